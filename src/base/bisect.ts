// Hot: once per frame, by the tables that look addresses up.

/**
 * Index of the first of the ascending `values` that is not below `limit`; the length if all are.
 * Equal values: the first of them.
 */
export function firstNotBelow(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Index of the last of the first `length` of the ascending `values` that is at most `value`; −1 if
 * all are above. Equal values: the last of them.
 */
export function lastAtMost(values: Float64Array, value: number, length = values.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Index of the last offset that is at most `value` in the rows [first, end) of a column; `first` − 1 if all are above. */
export function lastOffsetAtMost(
  offsets: Uint32Array,
  value: number,
  first = 0,
  end = offsets.length,
): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Number of rows that are before what is looked for, among `length` rows that are no column: `isBefore` holds for the
 * first ones and for none behind them.
 */
export function countBefore(length: number, isBefore: (row: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
