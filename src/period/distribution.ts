import type { Slices } from '../base/slices.ts';

/** Location and width of a set of numbers. */
export type Distribution = {
  readonly median: number;
  readonly mean: number;
  /** 5 % of the values lie below. */
  readonly p05: number;
  /** 5 % of the values lie above. */
  readonly p95: number;
  /** Coefficient of variation: standard deviation / mean. */
  readonly cv: number;
};

/** The spread of at least one number. */
export function* computeSpread(values: Float64Array): Slices<Distribution> {
  const { length } = values;
  if (length === 0) throw new RangeError('a spread needs at least one value, got none');
  let sum = 0;
  for (let i = 0; i < length; i++) sum += values[i];
  const mean = sum / length;
  let squares = 0;
  for (let i = 0; i < length; i++) squares += (values[i] - mean) ** 2;
  yield;
  const copy = values.slice();
  const median = quantile(copy, 0.5);
  yield;
  const p05 = quantile(copy, 0.05);
  yield;
  const p95 = quantile(copy, 0.95);
  return {
    median,
    mean,
    p05,
    p95,
    cv: mean === 0 ? 0 : Math.sqrt(squares / length) / mean,
  };
}

/** The median of at least one number, of the two middle ones the mean. */
export function median(values: readonly number[] | Float64Array): number {
  if (values.length === 0) throw new RangeError('a median needs at least one value, got none');
  const copy = Float64Array.from(values);
  const middle = copy.length >> 1;
  const upper = select(copy, middle);
  if (copy.length % 2 === 1) return upper;
  // Everything left of the middle is no larger now; its greatest value is the lower neighbour.
  let lower = copy[0];
  for (let i = 1; i < middle; i++) if (copy[i] > lower) lower = copy[i];
  return (lower + upper) / 2;
}

/**
 * The value that sorting would put at `rank`. Reorders `values` so that nothing before `rank` is
 * larger and nothing after it smaller (Hoare's selection: linear on average, where a sort is not).
 */
function select(values: Float64Array, rank: number): number {
  let left = 0;
  let right = values.length - 1;
  while (left < right) {
    const pivot = values[(left + right) >> 1];
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (rank <= j) right = j;
    else if (rank >= i) left = i;
    else break;
  }
  return values[rank];
}

/** The value that `share` (0…1) of the values lie below, between two in proportion. Reorders. */
function quantile(values: Float64Array, share: number): number {
  const position = share * (values.length - 1);
  const below = Math.floor(position);
  const low = select(values, below);
  if (position === below) return low;
  // Everything right of `below` is no smaller now; its least value is the upper neighbour.
  let high = values[below + 1];
  for (let i = below + 2; i < values.length; i++) {
    if (values[i] < high) high = values[i];
  }
  return low + (high - low) * (position - below);
}
