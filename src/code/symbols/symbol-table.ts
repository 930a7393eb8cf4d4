// Hot: once per distinct address of a DSO.

import { lastAtMost, lastOffsetAtMost } from '../../base/bisect.ts';

/** Addresses, or their ends: an agent keeps a million of them, and in most files they have 32 bits. */
type Addresses = Float64Array | Uint32Array;

/** Index of a symbol in its table, −1 for none. */
export const NO_SYMBOL = -1;

/** Nested symbols deeper than this are not searched; real code nests two or three. */
const MAX_NESTING = 64;

/**
 * All symbols of one DSO, by address: row i covers [starts[i], ends[i]).
 *
 * Rows are sorted by start and no two have the same start. They may nest, as a label with a size
 * inside a function does, so a lookup that misses the nearest row goes on to the row around it:
 *
 *   starts   100        140     180        an address at 190 is past the end of row 1 and row 2,
 *            |-- row 0 ----------------|   and `enclosing` leads from row 2 to row 1 to row 0
 *                       |- 1 -| |- 2 -|
 *
 * Addresses of one table lie in one half of the address space, so they compare as plain numbers.
 */
export class SymbolTable {
  readonly length: number;
  readonly starts: Addresses;
  readonly ends: Addresses;
  /** Row that covers this one's end, −1 if none; null if no rows overlap. */
  readonly #enclosing: Int32Array | null;
  readonly #nameOf: (index: number) => string;
  readonly #origins: Addresses;

  /**
   * `origins`: where each symbol begins, for tables in which a row may be the rest of a symbol
   * whose first part was overwritten. Names are read only for the rows that are asked for.
   */
  constructor(
    starts: Float64Array,
    ends: Float64Array,
    nameOf: (index: number) => string,
    origins: Float64Array = starts,
  ) {
    this.length = starts.length;
    this.starts = smallestOf(starts);
    this.ends = smallestOf(ends);
    this.#nameOf = nameOf;
    this.#origins = origins === starts ? this.starts : origins;
    this.#enclosing = computeEnclosing(starts, ends);
  }

  /** The symbol that covers `address`, −1 if none. */
  find(address: number): number {
    const { starts, ends } = this;
    let index =
      starts instanceof Uint32Array
        ? lastOffsetAtMost(starts, address)
        : lastAtMost(starts, address, this.length);
    const enclosing = this.#enclosing;
    for (let depth = 0; index >= 0 && depth < MAX_NESTING; depth++) {
      if (address < ends[index]) return index;
      index = enclosing === null ? NO_SYMBOL : enclosing[index];
    }
    return NO_SYMBOL;
  }

  /** The name as the source spells it: C++ and Rust names are still mangled. */
  name(index: number): string {
    return this.#nameOf(index);
  }

  /** Address of the symbol's first byte. */
  start(index: number): number {
    return this.#origins[index];
  }
}

export const EMPTY_SYMBOL_TABLE = new SymbolTable(
  new Float64Array(0),
  new Float64Array(0),
  () => '',
);

function smallestOf(addresses: Float64Array): Addresses {
  // A callback would get each address as an object of its own.
  for (let i = 0; i < addresses.length; i++) {
    if (!(addresses[i] >= 0 && addresses[i] < 2 ** 32)) return addresses;
  }
  return new Uint32Array(addresses);
}

function computeEnclosing(starts: Float64Array, ends: Float64Array): Int32Array | null {
  const length = starts.length;
  let overlaps = false;
  for (let i = 1; i < length && !overlaps; i++) {
    overlaps = ends[i - 1] > starts[i];
  }
  if (!overlaps) return null;
  const enclosing = new Int32Array(length);
  // Among the rows before i, the chain from i − 1 outwards has growing ends.
  for (let i = 0; i < length; i++) {
    let outer = i - 1;
    while (outer >= 0 && ends[outer] <= ends[i]) {
      outer = enclosing[outer];
    }
    enclosing[i] = outer;
  }
  return enclosing;
}
