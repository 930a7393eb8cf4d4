const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const WORD_BITS = 32;
const TWO_32 = 2 ** 32;
const TWO_63 = 2 ** 63;
/** Rows below which a comparison sort is faster than clearing the digit counters. */
const SMALL = 2048;

/**
 * Row numbers of `values[0…length)` in ascending order of value; equal values keep their order.
 * Values are whole numbers. A radix sort: its time follows the number of rows, not their order,
 * and 11 bits of the values' span cost one pass.
 */
export function sortedOrder(values: Float64Array, length = values.length): Uint32Array {
  const order = new Uint32Array(length);
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let isSorted = true;
  for (let i = 0; i < length; i++) {
    const value = values[i];
    order[i] = i;
    if (value < highest) isSorted = false;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  if (isSorted) return order;
  const span = highest - lowest;
  if (length < SMALL || span >= TWO_63) {
    return order.sort((a, b) => values[a] - values[b] || a - b);
  }
  const words = new Uint32Array(length);
  for (let i = 0; i < length; i++) words[i] = values[i] - lowest;
  const rows = sortByWord(words, order);
  if (span < TWO_32) return rows;
  for (let i = 0; i < length; i++) words[i] = (values[rows[i]] - lowest) / TWO_32;
  return sortByWord(words, rows);
}

/** The values of these rows, in their order. A callback of `Float64Array.from` would get each as an object of its own. */
export function valuesAt(
  values: Float64Array,
  rows: Uint32Array | Int32Array,
): Float64Array<ArrayBuffer> {
  const found = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) found[i] = values[rows[i]];
  return found;
}

/** `order` by one word of each row's value, which `keys` has in that order; equal ones keep it. Both are written into. */
function sortByWord(keys: Uint32Array, order: Uint32Array): Uint32Array {
  const { length } = keys;
  let rows = order;
  // The words move along with their rows: reading them in the order of memory is what makes it fast.
  let otherRows: Uint32Array = new Uint32Array(length);
  let otherKeys: Uint32Array = new Uint32Array(length);
  const counts = new Uint32Array(DIGITS);
  for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) {
    counts.fill(0);
    for (let i = 0; i < length; i++) {
      const digit = (keys[i] >>> shift) & (DIGITS - 1);
      counts[digit] = counts[digit] + 1;
    }
    if (counts[(keys[0] >>> shift) & (DIGITS - 1)] === length) continue;
    let sum = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const count = counts[digit];
      counts[digit] = sum;
      sum += count;
    }
    for (let i = 0; i < length; i++) {
      const key = keys[i];
      const digit = (key >>> shift) & (DIGITS - 1);
      const at = counts[digit];
      counts[digit] = at + 1;
      otherKeys[at] = key;
      otherRows[at] = rows[i];
    }
    [rows, otherRows] = [otherRows, rows];
    [keys, otherKeys] = [otherKeys, keys];
  }
  return rows;
}
