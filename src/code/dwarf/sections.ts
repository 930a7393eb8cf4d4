import { type ByteSource, memorySource } from '../../base/byte-source.ts';
import {
  type AbbreviationTable,
  type Declaration,
  findDeclaration,
  parseAbbreviations,
} from './abbreviations.ts';
import { DwarfReader, damaged } from './dwarf-reader.ts';
import type { UnitHeader } from './unit-header.ts';

/** The section of this name (`.debug_info`), decompressed; null if there is none. */
export type SectionProvider = (name: string) => ByteSource | null;

/** A name longer than this is cut. */
const MAX_STRING_BYTES = 64 * 1024;
const SHORT_STRING_BYTES = 256;
/** Decodes to flat strings; those that grow by a character at a time take ten times the memory. */
const decoder = new TextDecoder();
const EMPTY = memorySource(new Uint8Array(0));

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
      const source = this.#provide(`.debug_${name}${this.suffix}`) ?? EMPTY;
      reader = new DwarfReader(source, this.littleEndian);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  /** The zero-terminated string at `offset` of `.debug_<name>`; empty if it lies outside. */
  string(name: string, offset: number): string {
    const reader = this.reader(name);
    let bytes = reader.peek(offset, SHORT_STRING_BYTES);
    if (bytes.indexOf(0) < 0) bytes = reader.peek(offset, MAX_STRING_BYTES);
    const nul = bytes.indexOf(0);
    return decoder.decode(nul < 0 ? bytes : bytes.subarray(0, nul));
  }
}

/** Addresses are looked up in order, so few units are in use at a time. */
const MOST_TABLES = 256;
/** Bytes that are read of one `.debug_abbrev` for all units, besides so many times its size: less than a second. */
const MOST_READ_BYTES = 128 << 20;
const READS_OF_EACH_BYTE = 16;

/**
 * The abbreviation tables last used, of one `.debug_abbrev`. Each unit has its own in most files. A unit takes 14
 * bytes and may name any place of the section, so that what is read of it for all of them is bounded.
 */
class AbbreviationCache {
  readonly #tables = new Map<string, AbbreviationTable>();
  #readBytes = 0;

  /** The declaration of `code` in the table at `offset`; null if there is none. Throws `DwarfDamage`. */
  declaration(reader: DwarfReader, offset: number, code: number): Declaration | null {
    return this.#within(reader, offset, () => findDeclaration(reader, offset, code));
  }

  /** The table at `offset`. Throws `DwarfDamage`. */
  get(
    reader: DwarfReader,
    offset: number,
    encoding: Pick<UnitHeader, 'addressSize' | 'version' | 'is64'>,
  ): AbbreviationTable {
    const { addressSize, version, is64 } = encoding;
    const key = `${offset} ${addressSize} ${version} ${is64}`;
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const table = this.#within(reader, offset, () => parseAbbreviations(reader, offset, encoding));
    if (this.#tables.size >= MOST_TABLES) {
      this.#tables.delete(this.#tables.keys().next().value as string);
    }
    this.#tables.set(key, table);
    return table;
  }

  #within<T>(reader: DwarfReader, offset: number, read: () => T): T {
    if (this.#readBytes > MOST_READ_BYTES + READS_OF_EACH_BYTE * reader.size) damaged();
    try {
      return read();
    } finally {
      this.#readBytes += Math.max(0, reader.at - offset);
    }
  }
}
