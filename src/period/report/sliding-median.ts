// Hot: once per sample.

import { eachSlice, type Slices } from '../../base/slices.ts';

/**
 * The median for each k of the `window` values [k, k + window); as many medians as there are whole
 * windows. `window` is even, so a median is the mean of the two middle values. Infinite values sort
 * last; NaN is not allowed.
 */
export function* slidingMedians(values: Float64Array, window: number): Slices<Float64Array> {
  const count = Math.max(0, values.length - window + 1);
  const medians = new Float64Array(count);
  if (count === 0) return medians;
  const sorted = values.slice(0, window).sort();
  const upper = window / 2;
  yield* eachSlice(count, (first, end) => {
    for (let k = first; k < end; k++) {
      medians[k] = (sorted[upper - 1] + sorted[upper]) / 2;
      const next = k + window;
      if (next < values.length) replaceSorted(sorted, values[k], values[next]);
    }
  });
  return medians;
}

/** Takes `old` out of a sorted array and puts `value` in. */
function replaceSorted(sorted: Float64Array, old: number, value: number): void {
  let at = 0;
  while (sorted[at] !== old) at++;
  while (at > 0 && sorted[at - 1] > value) {
    sorted[at] = sorted[at - 1];
    at--;
  }
  while (at < sorted.length - 1 && sorted[at + 1] < value) {
    sorted[at] = sorted[at + 1];
    at++;
  }
  sorted[at] = value;
}
