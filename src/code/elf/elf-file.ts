import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { SHT_DYNSYM, SHT_SYMTAB } from './constants.ts';
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
