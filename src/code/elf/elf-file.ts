import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { PT_LOAD, SHT_DYNSYM, SHT_SYMTAB } from './constants.ts';
import { type ElfHeader, parseElfHeader } from './header.ts';
import { type ProgramHeader, parseProgramHeaders } from './program-headers.ts';
import { type ElfSection, parseSections } from './sections.ts';

/** The skeleton of an ELF file: headers only, section contents stay in `source` until asked for. */
export type ElfFile = {
  readonly source: ByteSource;
  readonly header: ElfHeader;
  readonly programHeaders: readonly ProgramHeader[];
  /** Index 0 is the reserved section. */
  readonly sections: readonly ElfSection[];
};

/** Reads the headers of an ELF file. Null, with the reason counted, if it is not one. */
export function parseElf(source: ByteSource, diagnostics: Diagnostics): ElfFile | null {
  const header = parseElfHeader(source, diagnostics);
  if (header === null) return null;
  const sections = parseSections(source, header, diagnostics);
  const programHeaders = parseProgramHeaders(source, header, sections[0]?.info ?? 0, diagnostics);
  return { source, header, programHeaders, sections };
}

/** The first section of that name, null if there is none. */
export function findSection(elf: ElfFile, name: string): ElfSection | null {
  return elf.sections.find((section) => section.name === name) ?? null;
}

/** `.symtab`, or null where the file is stripped. */
export function findSymtab(elf: ElfFile): ElfSection | null {
  return elf.sections.find((s) => s.name === '.symtab' && s.type === SHT_SYMTAB) ?? null;
}

/** `.dynsym`, the symbols that the dynamic linker needs; null in a static file. */
export function findDynsym(elf: ElfFile): ElfSection | null {
  return elf.sections.find((s) => s.name === '.dynsym' && s.type === SHT_DYNSYM) ?? null;
}

/**
 * Bytes of the file at a file address, cut at the end of its segment; null where none has it. `flags`: of segments that
 * have these.
 */
export function bytesAt(
  { programHeaders, source }: ElfFile,
  address: number,
  size: number,
  flags = 0,
): Uint8Array | null {
  for (const segment of programHeaders) {
    const at = address - segment.address;
    const isIn = segment.type === PT_LOAD && at >= 0 && at < segment.fileSize;
    if (!isIn || (segment.flags & flags) !== flags) continue;
    return source.read(segment.offset + at, Math.min(size, segment.fileSize - at));
  }
  return null;
}
