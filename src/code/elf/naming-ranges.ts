import type { ByteSource } from '../../base/byte-source.ts';
import { SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS } from './constants.ts';
import type { ElfFile } from './elf-file.ts';
import type { ElfSection } from './sections.ts';

/** Sections of a file that are kept in addition to its symbols and unwinding tables. */
export type KeptSections = {
  /** Machine code: the unwinder of stack copies looks at it. */
  readonly code: boolean;
  /** DWARF's lines and inlined calls. */
  readonly dwarf: boolean;
};

/** A part of a file, in bytes. */
export type FileRange = { readonly offset: number; readonly size: number };

const ELF_HEADER_BYTES = 64;
/** Sections of SHF_ALLOC that naming and unwinding read; the others are code and data. */
const NEEDED = /^\.(eh_frame|plt|note|gnu|dyn|rela?\.|rela?$|hash|interp|ARM\.ex)/;
const DWARF = /^\.z?debug_(?!frame)/;
/** Go's table of functions, and the data where its inlined calls are. */
const GO_TABLE = /^(\.data\.rel\.ro)?\.gopclntab$/;
const GO_DATA = /^\.(go\.|noptrdata|data\.rel\.ro|dynamic)/;

/**
 * The parts of a file that name its code, clipped to it; they may overlap. Null without section headers:
 * nothing reports what is code then.
 */
export function namingRanges(
  { header, sections, source }: ElfFile,
  kept: KeptSections,
): FileRange[] | null {
  if (sections.length === 0) return null;
  const ranges: FileRange[] = [
    { offset: 0, size: ELF_HEADER_BYTES },
    {
      offset: header.programHeaderOffset,
      size: header.programHeaderSize * header.programHeaderCount,
    },
    { offset: header.sectionHeaderOffset, size: header.sectionHeaderSize * sections.length },
    ...sections.filter((section) => isNeeded(section, kept)),
    ...goRanges(sections),
  ];
  return ranges
    .map(({ offset, size }) => ({ offset, size: Math.min(size, source.size - offset) }))
    .filter(({ size }) => size > 0);
}

function isNeeded({ name, type, flags }: ElfSection, kept: KeptSections): boolean {
  if (type === SHT_NOBITS) return false;
  if (DWARF.test(name)) return kept.dwarf;
  if ((flags & SHF_ALLOC) === 0) return true;
  return NEEDED.test(name) || (kept.code && (flags & SHF_EXECINSTR) !== 0);
}

/** All that names a Go program that has no DWARF, however it was put together. */
function goRanges(sections: readonly ElfSection[]): readonly ElfSection[] {
  const isGo = sections.some(({ name }) => GO_TABLE.test(name) || name === '.go.buildinfo');
  if (!isGo || sections.some(({ name }) => DWARF.test(name))) return [];
  // From Go 1.26 on, which makes this section, funcdata lie with the table and not among the constants.
  const hasModule = sections.some(({ name }) => name === '.go.module');
  return sections.filter(
    ({ name, type }) =>
      type !== SHT_NOBITS &&
      (GO_TABLE.test(name) || GO_DATA.test(name) || (name === '.rodata' && !hasModule)),
  );
}

const WINDOW_BYTES = 1 << 16;

/** Whether the file is a copy of its naming ranges alone: where its code was, there are zeros. */
export function isWithoutCode({ sections, source }: ElfFile): boolean {
  const code = sections.filter(
    ({ name, type, flags, size }) =>
      type !== SHT_NOBITS && (flags & SHF_EXECINSTR) !== 0 && size > 0 && !NEEDED.test(name),
  );
  return code.length > 0 && code.every((section) => isZero(source, section));
}

function isZero(source: ByteSource, { offset, size }: FileRange): boolean {
  for (let at = 0; at < size; at += WINDOW_BYTES) {
    const bytes = source.read(offset + at, Math.min(WINDOW_BYTES, size - at));
    if (bytes.some((byte) => byte !== 0)) return false;
    if (bytes.length === 0) return true;
  }
  return true;
}
