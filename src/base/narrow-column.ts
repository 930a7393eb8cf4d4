import type { IntColumn } from './int-column.ts';

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
