import { closeSync, constants, openSync } from 'node:fs';
import { readSome } from './read-some.ts';

/** The kernel's symbol list has 5 MB. */
const PROC_FILE_BYTES = 8 << 20;

/**
 * A file of /proc, whose size is not known before. The kernel hands it out a page at a time, and
 * `readFileSync` would take a new buffer of 64 KiB for each of them.
 */
export function readProcFile(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    let bytes = Buffer.allocUnsafeSlow(PROC_FILE_BYTES);
    let length = 0;
    for (;;) {
      const count = readSome(fd, bytes, length, bytes.length - length, null);
      if (count === 0) return bytes.subarray(0, length);
      length += count;
      if (length < bytes.length) continue;
      const larger = Buffer.allocUnsafeSlow(bytes.length * 2);
      bytes.copy(larger);
      bytes = larger;
    }
  } finally {
    closeSync(fd);
  }
}
