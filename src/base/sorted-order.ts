const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;
/** Below this many rows a comparison sort is faster than clearing the digit counters. */
const SMALL = 2048;

/**
 * Row numbers of `values[0…length)` in ascending order of value; equal values keep their order.
 * Values are whole numbers. A radix sort: its time follows the number of rows, not their order,
 * and 16 bits of the values' span cost one pass.
 */
export function sortedOrder(values: Float64Array, length = values.length): Uint32Array {
  let order = new Uint32Array(length);
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  let isSorted = true;
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    order[i] = i;
    if (value < highest) isSorted = false;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  if (isSorted) return order;
  if (length < SMALL) {
    return order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
  }
  const counts = new Uint32Array(DIGITS);
  let target = new Uint32Array(length);
  for (let scale = 1; scale <= highest - lowest; scale *= DIGITS) {
    counts.fill(0);
    for (let i = 0; i < length; i++) {
      const digit = Math.floor(((values[i] as number) - lowest) / scale) % DIGITS;
      counts[digit] = (counts[digit] as number) + 1;
    }
    let sum = 0;
    for (let d = 0; d < DIGITS; d++) {
      const count = counts[d] as number;
      counts[d] = sum;
      sum += count;
    }
    for (let i = 0; i < length; i++) {
      const row = order[i] as number;
      const digit = Math.floor(((values[row] as number) - lowest) / scale) % DIGITS;
      const at = counts[digit] as number;
      target[at] = row;
      counts[digit] = at + 1;
    }
    const swap = order;
    order = target;
    target = swap;
  }
  return order;
}
