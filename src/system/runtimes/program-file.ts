import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { fsPath } from '../files/byte-path.ts';

const BLOCK_BYTES = 4 << 20;
/** Marks are texts of the program, which stand before what debuggers need. A file may have holes without an end. */
const MOST_BYTES = 512 << 20;
/** More than any mark of a runtime with its version. */
const OVERLAP_BYTES = 128;

/** The answer of `read` about a regular file of so many bytes or more; null where there is none. */
export function readRegular<T>(
  path: string,
  leastBytes: number,
  read: (fd: number) => T,
): T | null {
  let fd: number;
  try {
    fd = openSync(fsPath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size >= leastBytes ? read(fd) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** The front of the file in blocks that overlap by more than a mark: the bytes are valid until the next block. */
export function* blocksOf(fd: number): Generator<{ at: number; bytes: Buffer }> {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0; at < MOST_BYTES; at += BLOCK_BYTES - OVERLAP_BYTES) {
    const bytes = block.subarray(0, readSync(fd, block, 0, block.length, at));
    yield { at, bytes };
    if (bytes.length < block.length) return;
  }
}

/** The file that a path leads to; the path where there is none. */
export function realPath(path: string): string {
  try {
    return realpathSync(fsPath(path));
  } catch {
    return path;
  }
}
