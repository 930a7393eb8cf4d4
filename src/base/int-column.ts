/**
 * Integers, −1 among them, in elements as small as the largest of them allows: an `Int8Array`, an
 * `Int16Array` or an `Int32Array`. A copy that is to hold other numbers (`map`, `slice`) would cut
 * them, so this type has none: `mapInts` copies them.
 */
export interface IntColumn extends ArrayLike<number>, Iterable<number> {}

/** Numbers: a `Uint32Array` where all of them are whole and that small, else a `Float64Array`. */
export interface NumberColumn extends ArrayLike<number>, Iterable<number> {}

/** The results of `map` for each value, whatever their size. */
export function mapInts(
  column: IntColumn,
  map: (value: number, row: number) => number,
): Int32Array {
  const mapped = new Int32Array(column.length);
  for (let row = 0; row < column.length; row++) mapped[row] = map(column[row], row);
  return mapped;
}

/** A column of `length` rows that holds the number of each. */
export function rowNumbers(length: number): Int32Array {
  const rows = new Int32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}
