import { closeSync, constants, openSync, readSync } from 'node:fs';
import { memorySource } from '../../base/byte-source.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { parseHexAddress } from '../../base/u64.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import { readTextOrEmpty } from '../small-file.ts';

/** Real ones have two or three pages. */
const MAX_BYTES = 1 << 20;

/** The vDSO that the running kernel maps into every process of ours; null if it can't be read. */
export function readVdso(): Uint8Array | null {
  let fd = -1;
  try {
    const maps = readTextOrEmpty('/proc/self/maps');
    const line = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(maps);
    if (line === null) return null;
    const start = parseHexAddress(line[1]);
    const size = Math.min(parseHexAddress(line[2]) - start, MAX_BYTES);
    const bytes = new Uint8Array(size);
    fd = openSync('/proc/self/mem', constants.O_RDONLY);
    return bytes.subarray(0, readSync(fd, bytes, 0, size, start));
  } catch {
    return null;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

export function readVdsoBuildId(): string | null {
  const bytes = readVdso();
  if (bytes === null) return null;
  const uncounted = new Diagnostics();
  const elf = parseElf(memorySource(bytes), uncounted);
  return elf === null ? null : readBuildId(elf, uncounted);
}
