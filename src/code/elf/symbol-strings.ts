import type { Diagnostics } from '../../base/diagnostics.ts';
import type { ElfFile } from './elf-file.ts';
import type { ElfSection } from './sections.ts';
import { StringSection } from './string-section.ts';

const known = new WeakMap<ElfSection, StringSection>();

/** The strings of a section of symbols, read once: they are the largest part of most files' tables. */
export function stringSectionOf(
  elf: ElfFile,
  symbols: ElfSection,
  diagnostics: Diagnostics,
): StringSection {
  const section = elf.sections[symbols.link] ?? null;
  let strings = section === null ? undefined : known.get(section);
  if (strings === undefined) {
    strings = new StringSection(elf.source, section, diagnostics);
    if (section !== null) known.set(section, strings);
  }
  return strings;
}
