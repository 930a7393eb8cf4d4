import type { Diagnostics } from '../../base/diagnostics.ts';
import type { ElfFile } from './elf-file.ts';
import { HeldStrings } from './held-strings.ts';
import type { ElfSection } from './sections.ts';
import { StringSection } from './string-section.ts';

/** The names of a section of symbols, by their offset. */
export type SymbolStrings = Pick<StringSection, 'at' | 'byteAt'>;

/** Sections that are smaller are read even of a source that holds bytes: that costs no descriptor. */
const LEAST_HELD = 256 << 10;

const known = new WeakMap<ElfSection, SymbolStrings>();

/** The strings of a section of symbols, read once: they are the largest part of most files' tables. */
export function stringSectionOf(
  elf: ElfFile,
  symbols: ElfSection,
  diagnostics: Diagnostics,
): SymbolStrings {
  const section = elf.sections[symbols.link] ?? null;
  let strings = section === null ? undefined : known.get(section);
  if (strings === undefined) {
    strings =
      section !== null && elf.source.hold !== undefined && section.size >= LEAST_HELD
        ? new HeldStrings(elf.source, section)
        : new StringSection(elf.source, section, diagnostics);
    if (section !== null) known.set(section, strings);
  }
  return strings;
}
