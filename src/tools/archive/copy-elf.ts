import { ftruncateSync } from 'node:fs';
import type { ByteSource } from '../../base/byte-source.ts';
import { SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS } from '../../code/elf/constants.ts';
import type { ElfFile } from '../../code/elf/elf-file.ts';
import type { ElfSection } from '../../code/elf/sections.ts';
import { writeFully } from '../../system/files/output-file.ts';

/** What of a file goes into the archive, beside its symbols and unwinding tables. */
export type Kept = {
  /** Machine code: the unwinder of stack copies looks at it. */
  readonly code: boolean;
  /** DWARF's lines and inlined calls. */
  readonly dwarf: boolean;
  /** Everything, byte by byte. */
  readonly all: boolean;
};

const WINDOW_BYTES = 1 << 20;
const ELF_HEADER_BYTES = 64;
/** Sections of SHF_ALLOC that naming and unwinding read; the others are code and data. */
const NEEDED = /^\.(eh_frame|plt|note|gnu|dyn|rela?\.|rela?$|hash|interp|ARM\.ex)/;
const DWARF = /^\.z?debug_(?!frame)/;

/** Copies `source` to the new file `fd`, with holes for what is not kept. */
export function copyElf(source: ByteSource, elf: ElfFile | null, fd: number, kept: Kept): void {
  // Without section headers nothing tells what is code.
  const isWhole = kept.all || elf === null || elf.sections.length === 0;
  if (isWhole) {
    copyRange(source, fd, 0, source.size);
  } else {
    for (const { offset, size } of neededRanges(elf, kept)) copyRange(source, fd, offset, size);
    ftruncateSync(fd, source.size);
  }
}

type Range = { readonly offset: number; readonly size: number };

/** Ranges of the file, clipped to it; they may overlap. */
function neededRanges({ header, sections, source }: ElfFile, kept: Kept): Range[] {
  const ranges: Range[] = [
    { offset: 0, size: ELF_HEADER_BYTES },
    {
      offset: header.programHeaderOffset,
      size: header.programHeaderSize * header.programHeaderCount,
    },
    { offset: header.sectionHeaderOffset, size: header.sectionHeaderSize * sections.length },
    ...sections.filter((section) => isNeeded(section, kept)),
  ];
  return ranges
    .map(({ offset, size }) => ({ offset, size: Math.min(size, source.size - offset) }))
    .filter(({ size }) => size > 0);
}

function isNeeded({ name, type, flags }: ElfSection, kept: Kept): boolean {
  if (type === SHT_NOBITS) return false;
  if (DWARF.test(name)) return kept.dwarf;
  if ((flags & SHF_ALLOC) === 0) return true;
  return NEEDED.test(name) || (kept.code && (flags & SHF_EXECINSTR) !== 0);
}

function copyRange(source: ByteSource, fd: number, offset: number, size: number): void {
  for (let at = offset; at < offset + size; at += WINDOW_BYTES) {
    const bytes = source.read(at, Math.min(WINDOW_BYTES, offset + size - at));
    if (bytes.length === 0) return;
    writeFully(fd, bytes, at);
  }
}
