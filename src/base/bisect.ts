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
