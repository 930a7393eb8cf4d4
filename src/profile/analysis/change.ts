import { Z95 } from '../../base/normal.ts';
import { bothTailsOfT, t95 } from '../../base/student.ts';

/** Lower and upper end of a 95 % interval. */
export type Bounds = { readonly low: number; readonly high: number };

/** A quantity of one recording, and where it lies; null where the model gives no interval. */
export type Quantity = { readonly value: number; readonly interval: Bounds | null };

/** How much more of something recordings have than those that they are compared with. */
export type Change = {
  /** Values in the recording looked at and in the one that it is compared with: of several, the mean. */
  readonly here: number;
  readonly there: number;
  /** `here` − `there`. */
  readonly delta: number;
  /** 95 % interval of `delta`; null where it has none. */
  readonly interval: Bounds | null;
  /** The two sides differ in this. */
  readonly isCertain: boolean;
};

/** A change with the chance that so great a one comes from nothing, 0…1. */
export type Judged = Change & { readonly chance: number };

/** Maximum chance that any of all changes marked certain is so wrongly. */
const ALPHA = 0.05;
/** The least part of what recordings leave open by themselves, as standard deviations, by which runs differ. */
export const LEAST_SPREAD = 1 / 3;

/**
 * The change from `there` to `here`, one value for each recording of a side; none is certain yet.
 *
 * With one recording a side, the interval is that of a difference of two independent quantities,
 * Newcombe's for shares (1998, method 10), of any others known as MOVER (Zou & Donner 2008):
 *
 *     low  = a − b − √((a − l₁)² + (u₂ − b)²)
 *     high = a − b + √((u₁ − a)² + (b − l₂)²)
 *
 * With several, it is Student's of the two means: runs of one program differ, and how far they do is
 * taken from both sides together. What a recording leaves open by itself is as if its samples were drawn at random:
 * those of a clock come at regular times, and runs differ less. So their own spread counts, but no less than a third
 * of what they leave open: runs of a function with a sample or two may agree by chance.
 */
export function changeOf(here: readonly Quantity[], there: readonly Quantity[]): Judged {
  return changeOfSides(sideOf(here), sideOf(there));
}

/** The quantities of one side, as far as its change follows from them. */
export type ChangeSide = {
  readonly count: number;
  readonly mean: number;
  /** Sum of their squared distances from the mean. */
  readonly squares: number;
  /** Sum of the squared widths of their intervals, 0 for one without. */
  readonly open: number;
  /** The interval of a single one. */
  readonly interval: Bounds | null;
};

function sideOf(values: readonly Quantity[]): ChangeSide {
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length;
  let [squares, open] = [0, 0];
  for (const { value, interval } of values) {
    squares += (value - mean) ** 2;
    if (interval !== null) open += (interval.high - interval.low) ** 2;
  }
  return { count: values.length, mean, squares, open, interval: values[0].interval };
}

/** Judges the change between two sides of which sums are known. */
export function changeOfSides(here: ChangeSide, there: ChangeSide): Judged {
  const count = here.count + there.count;
  const delta = here.mean - there.mean;
  const change = { here: here.mean, there: there.mean, delta, isCertain: false };
  if (count === 2) {
    const interval = differenceInterval(here, there);
    return { ...change, interval, chance: chanceOf(delta, interval) };
  }
  const degrees = count - 2;
  const spread = (here.squares + there.squares) / degrees;
  // The variance that the recordings leave open by themselves, on average.
  const open = (here.open + there.open) / count / (2 * Z95) ** 2;
  const variance = Math.max(spread, open * LEAST_SPREAD ** 2);
  const error = Math.sqrt(variance * (1 / here.count + 1 / there.count));
  const half = t95(degrees) * error;
  return {
    ...change,
    interval: { low: delta - half, high: delta + half },
    chance: delta === 0 ? 1 : error === 0 ? 0 : bothTailsOfT(delta / error, degrees),
  };
}

/** More recordings are no plan. */
const MOST_RUNS = 100;
/** Normal deviate below which 80 % lie: what fails every other time is no plan. */
const Z80 = 0.8416;

/** Recordings of either side. */
type Runs = { readonly here: number; readonly there: number };

/** The standard deviation between recordings of one side, and the degrees of freedom by which it is known. */
export type RunSpread = { readonly deviation: number; readonly degrees: number };

/** The spread that the interval of a change follows from; null where one recording a side can't tell. */
export function spreadOfRuns({ interval }: Pick<Change, 'interval'>, runs: Runs): RunSpread | null {
  const degrees = runs.here + runs.there - 2;
  if (interval === null || degrees < 1) return null;
  const error = (interval.high - interval.low) / 2 / t95(degrees);
  return { deviation: error / Math.sqrt(1 / runs.here + 1 / runs.there), degrees };
}

/**
 * The least change that so many recordings would show four times in five, where they differ by `spread`. `among`: the number
 * of changes that are judged together.
 */
export function leastSeen({ deviation, degrees }: RunSpread, runs: Runs, among = 1): number {
  const error = deviation * Math.sqrt(1 / runs.here + 1 / runs.there);
  return error * deviatesToSee(degrees, runs.here + runs.there - 2, ALPHA / among);
}

/** The recordings a side that would show a change of this size four times in five; null where `most` are too few. */
export function runsThatDecide(
  spread: RunSpread,
  change: number,
  among = 1,
  most = MOST_RUNS,
): number | null {
  for (let count = 2; count <= most; count = Math.max(count + 1, Math.round(count * 1.02))) {
    if (leastSeen(spread, { here: count, there: count }, among) < Math.abs(change)) return count;
  }
  return null;
}

/**
 * The number of standard errors by which two means have to differ for a test with `then` degrees to tell it four times in five,
 * where the standard error is known with `known` degrees only. It is the k of
 *
 *     P(Z + k·S₁ > t·S₂) = 0.8
 *
 * with S₁ and S₂ the spreads that are found over the real one: chi's distribution, taken as normal with its mean and variance.
 */
function deviatesToSee(known: number, then: number, tails: number): number {
  const t = t95(then, tails);
  const [found, later] = [known, then].map(meanOfSpread);
  const a = found ** 2 - Z80 ** 2 * (1 - found ** 2);
  const b = found * t * later;
  const c = (t * later) ** 2 - Z80 ** 2 * (1 + t ** 2 * (1 - later ** 2));
  return (b + Math.sqrt(b * b - a * c)) / a;
}

/** The mean of what is found of a standard deviation of 1; its mean square is 1. */
function meanOfSpread(degrees: number): number {
  return 1 - 1 / (4 * degrees) + 1 / (32 * degrees ** 2);
}

function differenceInterval(here: ChangeSide, there: ChangeSide): Bounds | null {
  if (here.interval === null || there.interval === null) return null;
  const delta = here.mean - there.mean;
  const down = Math.hypot(here.mean - here.interval.low, there.interval.high - there.mean);
  const up = Math.hypot(here.interval.high - here.mean, there.mean - there.interval.low);
  return { low: delta - down, high: delta + up };
}

/** How likely so great a change is where there is none, from its interval: 0…1. */
function chanceOf(delta: number, interval: Bounds | null): number {
  if (interval === null || delta === 0) return 1;
  const toZero = delta > 0 ? delta - interval.low : interval.high - delta;
  return toZero > 0 ? bothTails((Z95 * Math.abs(delta)) / toZero) : 0;
}

/** Chance that a normal variable is more than `z` standard deviations away, by Laplace's fraction. */
function bothTails(z: number): number {
  if (z < 1) return 1;
  let fraction = z;
  for (let step = 100; step > 0; step--) fraction = z + step / fraction;
  return (2 * Math.exp((-z * z) / 2)) / (Math.sqrt(2 * Math.PI) * fraction);
}

/**
 * Marks what is certain of `changes`, to 95 % for all of them together, by Holm's correction (1979): the
 * change that is surest has to hold against all rows, the next against one less, and so on up to the
 * first that does not.
 *
 * `least`: the part of the larger side that a change must have to be marked at all.
 */
export function markCertain(changes: readonly Judged[], least = 0): Change[] {
  const order = changes.map((_, row) => row).sort((a, b) => changes[a].chance - changes[b].chance);
  const certain = new Set<number>();
  for (const [rank, row] of order.entries()) {
    if (changes[row].chance > ALPHA / (changes.length - rank)) break;
    certain.add(row);
  }
  return changes.map(({ chance: _, ...change }, row) => ({
    ...change,
    isCertain: certain.has(row) && isLarge(change, least),
  }));
}

function isLarge({ here, there, delta }: Change, least: number): boolean {
  return Math.abs(delta) >= least * Math.max(here, there);
}
