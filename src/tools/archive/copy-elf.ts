import { ftruncateSync } from 'node:fs';
import type { ByteSource } from '../../base/byte-source.ts';
import type { ElfFile } from '../../code/elf/elf-file.ts';
import { type KeptSections, namingRanges } from '../../code/elf/naming-ranges.ts';
import { writeFully } from '../../system/files/output-file.ts';

/** Parts of a file that go into the archive, besides its symbols and unwinding tables. */
export type Kept = KeptSections & {
  /** Everything, byte by byte. */
  readonly all: boolean;
};

const WINDOW_BYTES = 1 << 20;

/** Copies `source` to the new file `fd`, with holes for what is not kept. */
export function copyElf(source: ByteSource, elf: ElfFile | null, fd: number, kept: Kept): void {
  const ranges = kept.all || elf === null ? null : namingRanges(elf, kept);
  if (ranges === null) {
    copyRange(source, fd, 0, source.size);
    return;
  }
  for (const { offset, size } of ranges) copyRange(source, fd, offset, size);
  ftruncateSync(fd, source.size);
}

function copyRange(source: ByteSource, fd: number, offset: number, size: number): void {
  for (let at = offset; at < offset + size; at += WINDOW_BYTES) {
    const bytes = source.read(at, Math.min(WINDOW_BYTES, offset + size - at));
    if (bytes.length === 0) return;
    writeFully(fd, bytes, at);
  }
}
