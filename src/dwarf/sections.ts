import { decodeText } from '../base/text.ts';
import { AbbreviationCache } from './abbreviation-cache.ts';
import { DwarfReader } from './dwarf-reader.ts';

/** Contents of the section of this name (`.debug_info`), decompressed; null if there is none. */
export type SectionProvider = (name: string) => Uint8Array | null;

/** A name longer than this is cut. */
const MAX_STRING_BYTES = 64 * 1024;
const EMPTY = new Uint8Array(0);

/**
 * The DWARF sections of one file, each asked for when first needed. `suffix` is `.dwo` in split
 * files, whose sections carry it in their names.
 */
export class DwarfSections {
  readonly littleEndian: boolean;
  readonly suffix: string;
  readonly abbreviations = new AbbreviationCache();
  readonly #provide: SectionProvider;
  readonly #readers = new Map<string, DwarfReader>();

  constructor(provide: SectionProvider, littleEndian: boolean, suffix = '') {
    this.#provide = provide;
    this.littleEndian = littleEndian;
    this.suffix = suffix;
  }

  /** A reader of `.debug_<name>`, the same at each call; of no bytes if there is no such section. */
  reader(name: string): DwarfReader {
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      const bytes = this.#provide(`.debug_${name}${this.suffix}`) ?? EMPTY;
      reader = new DwarfReader(bytes, this.littleEndian);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  /** The zero-terminated string at `offset` of `.debug_<name>`; empty if it lies outside. */
  string(name: string, offset: number): string {
    const { bytes } = this.reader(name);
    return decodeText(bytes.subarray(offset, offset + MAX_STRING_BYTES));
  }
}
