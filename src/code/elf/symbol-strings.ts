import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import type { ElfFile } from './elf-file.ts';
import type { FileRange } from './naming-ranges.ts';
import type { ElfSection } from './sections.ts';
import { decodeString, MAX_NAME_BYTES, MAX_STRING_BYTES, StringSection } from './string-section.ts';

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
    strings = heldStrings(elf, section) ?? new StringSection(elf.source, section, diagnostics);
    if (section !== null) known.set(section, strings);
  }
  return strings;
}

/** Strings that stay in the file; null where its source holds nothing, or they are few. */
export function heldStrings(
  { source }: Pick<ElfFile, 'source'>,
  range: FileRange | null,
): SymbolStrings | null {
  const isHeld = range !== null && source.hold !== undefined && range.size >= LEAST_HELD;
  return isHeld ? new HeldStrings(source, range) : null;
}

/** Most names are shorter. */
const FIRST_READ = 256;
const GROWTH = 8;
/** Bytes that `byteAt` reads at once: whoever asks goes through a table of symbols. */
const WINDOW = 1 << 16;

/** A `StringSection` that is not read as a whole: a name is read when it is asked for. */
class HeldStrings {
  readonly #source: ByteSource;
  readonly #offset: number;
  readonly #size: number;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;

  constructor(source: ByteSource, { offset, size }: FileRange) {
    this.#source = source;
    this.#offset = offset;
    this.#size = Math.max(0, Math.min(size, source.size - offset, MAX_STRING_BYTES));
    source.hold?.(offset, this.#size);
  }

  at(offset: number): string {
    const limit = Math.min(this.#size - offset, MAX_NAME_BYTES);
    for (let length = FIRST_READ; limit > 0; length *= GROWTH) {
      const wanted = Math.min(length, limit);
      const bytes = this.#source.read(this.#offset + offset, wanted);
      const end = bytes.indexOf(0);
      if (end >= 0) return decodeString(bytes, 0, end);
      if (wanted === limit || bytes.length < wanted) return decodeString(bytes, 0, bytes.length);
    }
    return '';
  }

  byteAt(offset: number): number {
    if (offset < 0 || offset >= this.#size) return 0;
    const at = offset - this.#windowAt;
    if (at >= 0 && at < this.#window.length) return this.#window[at];
    this.#window = this.#source.read(this.#offset + offset, Math.min(WINDOW, this.#size - offset));
    this.#windowAt = offset;
    return this.#window[0] ?? 0;
  }
}
