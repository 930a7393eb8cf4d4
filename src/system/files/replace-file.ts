import { closeSync, constants, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { isSystemError } from '../../base/system-error.ts';

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/**
 * The file has these bytes, or what it had before: never a part of them, which are in `half` meanwhile. Throws the
 * system's error, with the path.
 */
export function replaceFile(path: string, bytes: Uint8Array, half = `${path}.tmp`): void {
  let fd = -1;
  try {
    fd = openSync(half, FLAGS, 0o640);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    closeSync(fd);
    fd = -1;
    renameSync(half, path);
  } catch (error) {
    if (fd >= 0) closeSync(fd);
    rmSync(half, { force: true });
    // A call on a descriptor has none.
    throw isSystemError(error) && error.path === undefined ? Object.assign(error, { path }) : error;
  }
}
