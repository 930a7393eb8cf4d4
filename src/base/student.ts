import { Z95 } from './normal.ts';

/** Chance that a value of Student's distribution is further from 0 than `t`, to either side. */
export function bothTailsOfT(t: number, degrees: number): number {
  return incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/** The value within which 95 % of Student's distribution lie: 12.7 of 1 degree, 2.0 of 60; all but `tails` of it. */
export function t95(degrees: number, tails = 0.05): number {
  let low = 0;
  let high = 1e6;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (bothTailsOfT(middle, degrees) > tails) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Cornish and Fisher's expansion of `t95` (Abramowitz & Stegun 26.7.5): `Z95` and these, divided by the degrees, their
 * square and their cube. Two are for where an interval is needed at once, from 3 degrees on.
 */
export const T95_TERMS: readonly [number, number, number] = [
  (Z95 ** 3 + Z95) / 4,
  (5 * Z95 ** 5 + 16 * Z95 ** 3 + 3 * Z95) / 96,
  (3 * Z95 ** 7 + 19 * Z95 ** 5 + 17 * Z95 ** 3 - 15 * Z95) / 384,
];

/** Regularized incomplete beta function, by its continued fraction (Abramowitz & Stegun 26.5.8). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges quickly on this side only.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) /
    a;
  let fraction = 0;
  for (let m = 60; m > 0; m--) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m - 1) * (a + b + m - 1) * x) / ((a + 2 * m - 2) * (a + 2 * m - 1));
    fraction = odd / (1 + even / (1 + fraction));
  }
  return front / (1 + fraction);
}

/** Stirling's series, for values above 8; below by the recurrence. */
function logGamma(value: number): number {
  let shift = 0;
  let x = value;
  while (x < 8) shift += Math.log(x++);
  const square = 1 / (x * x);
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260))) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}
