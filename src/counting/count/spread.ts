/** Mean and spread of a number over several runs. */
export type Spread = {
  readonly mean: number;
  /** Standard error of the mean, in the number's unit: what perf prints after ±. 0 for one run. */
  readonly error: number;
  /** Standard deviation of one run. */
  readonly stddev: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
};

/** Null for no values. Welford's method: no sum of squares that loses the difference. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  let mean = 0;
  let squares = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  values.forEach((value, index) => {
    const off = value - mean;
    mean += off / (index + 1);
    squares += off * (value - mean);
    min = Math.min(min, value);
    max = Math.max(max, value);
  });
  const runs = values.length;
  const variance = runs > 1 ? squares / (runs - 1) : 0;
  return { mean, error: Math.sqrt(variance / runs), stddev: Math.sqrt(variance), min, max, runs };
}
