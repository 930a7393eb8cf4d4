import { type AbbreviationTable, parseAbbreviations } from './abbreviations.ts';
import type { DwarfReader } from './dwarf-reader.ts';
import type { UnitHeader } from './unit-header.ts';

/** Addresses are looked up in order, so few units are in use at a time. */
const MOST_TABLES = 256;

/** The abbreviation tables last used, of one `.debug_abbrev`. Each unit has its own in most files. */
export class AbbreviationCache {
  readonly #tables = new Map<string, AbbreviationTable>();

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
    const table = parseAbbreviations(reader, offset, encoding);
    if (this.#tables.size >= MOST_TABLES) {
      this.#tables.delete(this.#tables.keys().next().value as string);
    }
    this.#tables.set(key, table);
    return table;
  }
}
