import { readSync } from 'node:fs';

/** How long to wait before reading again from a descriptor that has nothing at the moment. */
const EMPTY_PAUSE_MS = 5;

/**
 * `readSync` without the errors by which the kernel only asks to try again: a read that a signal has
 * interrupted, and one of a pipe that a parent has left non-blocking. Reads at `position`, or (null)
 * where the descriptor stands; 0 at the end.
 */
export function readSome(
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number | null,
): number {
  for (;;) {
    try {
      return readSync(fd, bytes, offset, length, position);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code === 'EINTR') continue;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EMPTY_PAUSE_MS);
    }
  }
}

/** Fills `bytes` from `position` on as far as the file goes; how many bytes that are. */
export function readFully(fd: number, bytes: Uint8Array, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const count = readSome(fd, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
