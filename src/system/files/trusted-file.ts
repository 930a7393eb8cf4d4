import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isTrustedOwner } from '../accounts/trusted-owner.ts';
import { noteAsked } from '../asked-files.ts';

/** An open file, or why it is not used. */
export type TrustedFile =
  | {
      readonly kind: 'file';
      readonly fd: number;
      readonly size: number;
      readonly inode: number;
      /** Milliseconds since 1970. */
      readonly modifiedMs: number;
      readonly bornMs: number;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Opens a file that a stranger's process may have written, in a directory where anybody may put
 * files: only a regular one, not through a symbolic link, without ever waiting, and only if
 * its owner is trusted, `owners` among others. The caller closes it.
 */
export function openTrusted(path: string, owners: readonly number[]): TrustedFile {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  noteAsked(path, false);
  let fd = -1;
  try {
    fd = openSync(path, flags | constants.O_NOFOLLOW);
    const { size, uid, mode, ino: inode, mtimeMs, birthtimeMs } = fstatSync(fd);
    const isRegular = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (isRegular && isTrustedOwner(uid, owners)) {
      return { kind: 'file', fd, size, inode, modifiedMs: mtimeMs, bornMs: birthtimeMs };
    }
    closeSync(fd);
    return { kind: 'refused', reason: isRegular ? `owned by uid ${uid}` : 'not a regular file' };
  } catch (error) {
    if (fd >= 0) closeSync(fd);
    const { code } = error as NodeJS.ErrnoException;
    return {
      kind: 'refused',
      reason: code === 'ELOOP' ? 'a symbolic link' : (code ?? String(error)),
    };
  }
}
