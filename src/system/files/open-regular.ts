import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { isSystemError } from '../../base/system-error.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import { noteAsked } from '../asked-files.ts';
import { readFully } from './read-some.ts';

/** A regular file that was opened, and what reports whose it is. */
export type OpenFile = {
  readonly source: SymbolSource;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly inode: number;
  /** When its content last changed; milliseconds since 1970. */
  readonly modifiedMs: number;
  /** When it was made; 0 where the file system does not know. */
  readonly bornMs: number;
};

/**
 * Opens a regular file without ever waiting for one; otherwise the reason, an errno's name. With
 * O_NOFOLLOW among `flags` a link is refused.
 */
export function openRegular(path: string, flags = 0): OpenFile | string {
  noteAsked(path, (flags & constants.O_NOFOLLOW) === 0);
  let fd = -1;
  try {
    // Opening a device may do something, so look first; what is opened is looked at again.
    if (flags === 0 && !statSync(path).isFile()) return 'not a regular file';
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags);
    const { size, uid, gid, mode, dev, ino, mtimeMs, ctimeMs, birthtimeMs } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
      closeSync(fd);
      return 'not a regular file';
    }
    const version = { dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs };
    const look = (): ReturnType<NonNullable<SymbolSource['look']>> => {
      const { size: sizeNow, mtimeMs: modifiedMs, nlink: links } = fstatSync(fd);
      return { size: sizeNow, modifiedMs, links };
    };
    const source = { ...fileSource(fd, size, path), file: { path, uid, mode, version }, look };
    return { source, uid, gid, mode, inode: ino, modifiedMs: mtimeMs, bornMs: birthtimeMs };
  } catch (error) {
    if (fd >= 0) closeSync(fd);
    return codeOf(error) === 'ELOOP' ? 'a symbolic link' : codeOf(error);
  }
}

/** A buffer that was handed back, whichever file it was read from: one is enough, as tables are read one at a time. */
let spare: Uint8Array | null = null;

/**
 * Reads with pread: no position, so nothing to share. Closing it closes `fd`, once. Errors of reading
 * name `path`.
 */
export function fileSource(fd: number, size: number, path: string): SymbolSource {
  let isOpen = true;
  return {
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = spare?.length === wanted ? spare : new Uint8Array(wanted);
      if (bytes === spare) spare = null;
      const done = naming(path, () => readFully(fd, bytes, offset));
      return done === wanted ? bytes : bytes.subarray(0, done);
    },
    recycle(bytes) {
      if (bytes.byteLength === bytes.buffer.byteLength) spare = bytes;
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** A descriptor's errors do not know what it was opened on. */
function naming<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isSystemError(error) ? Object.assign(error, { path }) : error;
  }
}

/** The errno's name where there is one. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
