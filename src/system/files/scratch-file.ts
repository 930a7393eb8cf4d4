import { closeSync, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import type { Scratch } from '../../code/elf/inflated-section.ts';
import { readFully } from './read-some.ts';

/** `/tmp` is memory on many systems; `/var/tmp` is where large files go (FHS 3.0, 5.15). */
const FOLDERS = [process.env.TMPDIR, '/var/tmp', tmpdir()];
/** Bytes that a disk has to have left when the file is full. */
const SPARED_BYTES = 256 * 2 ** 20;

/**
 * A file for `size` bytes, readable by nobody else and without a name, so that it goes away with the
 * process at the latest; null where no folder has the room.
 */
export function openScratchFile(size: number): Scratch | null {
  for (const folder of FOLDERS) {
    if (folder === undefined || folder === '') continue;
    try {
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize < size + SPARED_BYTES) continue;
      const path = join(folder, `perf-ts-${lateModules.crypto.randomBytes(12).toString('hex')}`);
      // Exclusive: a link that somebody put there is not followed.
      const fd = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
      return scratchFile(fd);
    } catch {
      // Read-only or not there: the next one.
    }
  }
  return null;
}

function scratchFile(fd: number): Scratch {
  let isOpen = true;
  return {
    write(offset, bytes) {
      try {
        for (let done = 0; done < bytes.length; ) {
          done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
        }
        return true;
      } catch {
        return false;
      }
    },
    read(offset, length) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readFully(fd, bytes, offset));
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
