import { NONE } from './brand.ts';
import type { IntColumn, NumberColumn } from './int-column.ts';

/** The elements of a column of integers, narrow to wide. */
const INT_ARRAYS = [Int8Array, Int16Array, Int32Array] as const;
type IntArray = InstanceType<(typeof INT_ARRAYS)[number]>;

/**
 * A column of integers that is filled part by part, with elements as small as the largest so far allows. How
 * much room there is, is told from outside: the columns of a table have it in common.
 */
export class NarrowColumn {
  #array: IntArray;
  #width = 0;

  constructor(capacity: number) {
    this.#array = new Int8Array(capacity);
  }

  /** Rows `at` … become the first `length` of `part`. */
  // Hot: once per value.
  put(at: number, part: Int32Array, length: number): void {
    let bits = 0;
    for (let i = 0; i < length; i++) bits |= part[i] ^ (part[i] >> 31);
    const width = widthOf(bits);
    if (width > this.#width) this.#become(width, this.#array.length);
    this.#array.set(length === part.length ? part : part.subarray(0, length), at);
  }

  /** Another value in a row that has one. */
  setOne(row: number, value: number): void {
    const width = widthOf(value ^ (value >> 31));
    if (width > this.#width) this.#become(width, this.#array.length);
    this.#array[row] = value;
  }

  /** Room for `capacity` rows; those that are there stay. */
  reserve(capacity: number): void {
    this.#become(this.#width, capacity);
  }

  /** A view of the first `length` rows, of memory that the next change may leave. */
  view(length: number): IntColumn {
    return this.#array.subarray(0, length);
  }

  /** A copy of the first `length` rows. */
  copy(length: number): IntColumn {
    return this.#array.slice(0, length);
  }

  #become(width: number, capacity: number): void {
    const wider = new INT_ARRAYS[width](capacity);
    wider.set(this.#array);
    this.#array = wider;
    this.#width = width;
  }
}

/** Row of `INT_ARRAYS` for numbers whose bits beside the sign's are among `bits`. */
function widthOf(bits: number): number {
  if (bits < 2 ** 7) return 0;
  return bits < 2 ** 15 ? 1 : 2;
}

/** A column of numbers that is filled part by part, a `Float64Array` from the first on that is not whole, negative or large. */
export class CountColumn {
  #array: Uint32Array | Float64Array;

  constructor(capacity: number) {
    this.#array = new Uint32Array(capacity);
  }

  // Hot: once per value.
  put(at: number, part: Float64Array, length: number): void {
    let areSmall = true;
    for (let i = 0; i < length; i++) areSmall = areSmall && part[i] >>> 0 === part[i];
    if (!areSmall) this.widen();
    this.#array.set(length === part.length ? part : part.subarray(0, length), at);
  }

  /** Makes room for any number. */
  widen(): void {
    if (this.#array instanceof Float64Array) return;
    this.#array = new Float64Array(this.#array);
  }

  reserve(capacity: number): void {
    const isWide = this.#array instanceof Float64Array;
    const longer = isWide ? new Float64Array(capacity) : new Uint32Array(capacity);
    longer.set(this.#array);
    this.#array = longer;
  }

  view(length: number): NumberColumn {
    return this.#array.subarray(0, length);
  }

  copy(length: number): NumberColumn {
    return this.#array.slice(0, length);
  }
}

/** Replaces each value by the element of `table` at it, up to `most`; −1 stays. */
// Hot: once per value, so without a call for each.
export function lookUpNarrow(column: IntColumn, table: Int32Array, most: number): IntColumn {
  const found = zeros(column.length, most);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    found[row] = value === NONE ? NONE : table[value];
  }
  return found;
}

/** A column of zeros with room in each row for numbers up to `most`, and −1. */
export function zeros(length: number, most: number): IntArray {
  return new INT_ARRAYS[widthOf(most)](length);
}
