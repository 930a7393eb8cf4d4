import { Z95 } from '../../base/normal.ts';
import type { Slices } from '../../base/slices.ts';
import { T95_TERMS } from '../../base/student.ts';
import type {
  DifferenceSums,
  ShareEstimator,
  ShareInterval,
  StepColumns,
  StepSums,
} from '../../profile/analysis/shares/share-steps.ts';
import type { LostBounds } from '../../profile/types.ts';
import type { InStep } from '../in-step.ts';
import { rowsOfStreams } from '../streams.ts';
import { effectiveSampleSize } from '../weights.ts';
import { EndsOfStreams } from './ends-of-streams.ts';
import { varianceOfVisits } from './equal-visits.ts';
import type { ShareInput } from './share-input.ts';
import { type ComputedSteps, computeSteps } from './uncertainty-steps.ts';

/**
 * How well a share is known: the share p = Σ w·x / Σ w, x = 1 where the sample is in the category
 * (a function, a subtree), against the share of all events of this same run.
 *
 * Samples are not drawn at random: one is taken every P events. What that costs depends on how the
 * program goes about its work. Where functions alternate much faster than samples come, every
 * sample is as good as drawn: the error of an interval of w events is w²·p(1−p). Where they work
 * in phases of many samples, intervals inside a phase are right, and only those across a border
 * are wrong, by up to half of w to either side: w²/12 each. Formulas for drawn samples would
 * give intervals many times too wide, a bootstrap of blocks as well.
 *
 * Both show in differences of neighbours. With D₁ = ½ Σ w²(xᵢ − xᵢ₋₁)² and D₂ the same with
 * xᵢ₋₂, fast alternation adds p(1−p)w² to both, while a border adds ½w² to D₁, and twice that to
 * D₂, which steps across it twice. So with a fast part A and a slow part B
 *
 *     D₁ = A + B,  D₂ = A + 2B,  variance = A + B/6,
 *
 * D₁ is the successive difference estimator of systematic sampling (K. M. Wolter, Introduction to
 * Variance Estimation, ch. 8, v₂), which takes B for A and is six times too wide on phases; his v₈
 * (W. G. Cochran, 1946) takes A for B where both occur, and is too narrow.
 *
 * where the two ends of a visit have nothing to do with each other (`equal-visits.ts`).
 *
 * Weights of kind `events` have half of each interval (`interval-split.ts`), so that the
 * squared weights, not the squared intervals, are what the fast part costs: A is scaled by their ratio. Other
 * weights have whole intervals; what that costs at borders is in `oneSided`.
 *
 * Few steps say little. Of a rare function, or where a few heavy samples have most of the squared
 * weight, A is blended with what drawn samples would have, and the interval is Student's with as many
 * degrees of freedom as there are steps that can tell. It has Wilson's shape, for as many drawn samples
 * as have this variance, so it stays inside of 0…1 and is right for rare functions too.
 *
 * Added is what the streams counted before their first and after their last samples
 * (`ends-of-streams.ts`), and no interval is shorter than what a category may have too much or too little of
 * by its lone borders (`LoneBorders`). These errors have ends, and no long tail as Wilson's shape
 * would give them.
 *
 * Samples in step with the work cross the same borders at the same places: then errors don't cancel, and
 * what n cycles have is n² times that of one, not n times (`in-step.ts`). The same is true of borders that many
 * tasks have in one interval of theirs (`shared-borders.ts`). Of samples that move through a loop
 * slowly neighbours say nothing; how they move does (`event-loop.ts`). Where work is nearly the same each time, all visits to a
 * function may be wrong one way (`regular-work.ts`): that grows with their number, not with its root.
 *
 * Where it is unknown which interval a period measures, the interval holds the share in both readings
 * (`other-reading.ts`).
 *
 * What no estimator sees from the samples: phases that pass between two samples. If they alternate
 * regularly, the intervals are too wide.
 */
export function* createShareEstimator(input: ShareInput): Slices<ShareEstimator> {
  const { weights, rows } = input;
  const computed = yield* computeSteps(input);
  const variances = new ShareVariance(input, computed);
  const ends = new EndsOfStreams(input, computed, variances.weight);
  const borders = new LoneBorders(input, variances.weight);
  const { steps } = computed;
  const effectiveSamples = effectiveSampleSize(weights, rows);
  return {
    isExact: false,
    steps,
    effectiveSamples,
    lostBounds: input.lostBounds ?? NOTHING_LOST,
    intervalOfNothing: () => ends.widen(wilsonInterval(0, 0, effectiveSamples ?? 0), 0, 0, 0),
    intervalOf(share: number, sums: StepSums, category: number): ShareInterval {
      const { near, far, entered } = sums;
      const drawn = share * (1 - share);
      const variance = variances.ofSum(near[category], far[category], entered[category], drawn);
      const between = wilsonInterval(
        share,
        variance / variances.weight ** 2,
        effectiveSamples ?? 0,
        studentT95(variances.degreesOf(drawn)),
      );
      const bordered = borders.widen(between, share, sums.lone[category]);
      const ended = ends.widen(bordered, share, sums.last[category], sums.ends[category]);
      return spanBoth(ended, sums.shift[category], variances.weight);
    },
    errorOfDifference(shareA: number, shareB: number, sums: DifferenceSums): number {
      const difference = shareA - shareB;
      const drawn = shareA + shareB - difference * difference;
      const between = variances.ofSum(sums.near, sums.far, sums.entered, drawn);
      const variance =
        Math.max(between, borders.varianceOf(sums.lone)) +
        ends.varianceOfDifference(difference, sums.lastA, sums.lastB, drawn) +
        (sums.shift / Z95) ** 2;
      return Math.sqrt(variance) / variances.weight;
    },
  };
}

/** The interval that holds the share in both readings of the periods: the category has `shift` more in the other. */
function spanBoth({ low, high }: ShareInterval, shift: number, weight: number): ShareInterval {
  if (shift === 0 || !(weight > 0)) return { low, high };
  const moved = shift / weight;
  return {
    low: Math.max(0, low + Math.min(0, moved)),
    high: Math.min(1, high + Math.max(0, moved)),
  };
}

export const NOTHING_LOST: LostBounds = { least: 1, most: 1 };

/**
 * Borders in intervals much longer than those around them. Of a function that is nowhere else, one of a
 * program's start say, that one sample is all there is: it has half of the interval, may have had all of
 * it or nothing, and no other samples show how often that happens.
 *
 *     samples   ·start·start···············work···work···work
 *     interval              ├──── w ──────┤           start has ½w ± ½w
 */
class LoneBorders {
  readonly #weight: number;
  readonly #hasHalves: boolean;

  constructor({ course }: ShareInput, weight: number) {
    this.#weight = weight;
    this.#hasHalves = course?.isHalved === true;
  }

  /** Variance of Σ w·x, for squared intervals `lone`. */
  varianceOf(lone: number): number {
    return this.#hasHalves ? lone / 12 : lone / 3;
  }

  widen({ low, high }: ShareInterval, share: number, lone: number): ShareInterval {
    if (!(this.#weight > 0)) return { low, high };
    const reach = (Z95 * Math.sqrt(this.varianceOf(lone))) / this.#weight;
    return {
      low: Math.max(0, Math.min(low, share - reach)),
      high: Math.min(1, Math.max(high, share + reach)),
    };
  }
}

/** The variance of Σ w·x between the samples, from what the steps collected. */
class ShareVariance {
  /** Σ w of the selected samples. */
  readonly weight: number;
  /** Σ w² of what is in doubt, and what part that is of the squared intervals. */
  readonly #squares: number;
  readonly #halved: number;
  readonly #computed: ComputedSteps;
  /** Number of near steps of one amount that would tell as much. */
  readonly #effectiveSteps: number;
  readonly #hasHalves: boolean;
  readonly #isFixed: boolean;
  /** How often the same borders recur at the same places of their intervals. */
  readonly #repeats: number;
  /** Variance of one of these borders, in squared intervals: that of a half, or of a whole one. */
  readonly #repeated: number;
  /** The variance is that of drawn samples so many times, where a loop tells how many; else 0. */
  readonly #ofDrawn: number;
  /** The variance of regular work is that of drawn samples so many times at least, … */
  readonly #leastOfDrawn: number;
  /** … and the squared part of an interval by which each visit may be wrong, all of them one way; for one squared interval. */
  readonly #oneWay: number;
  /** The variance of a visit, in squared intervals. */
  readonly #ofVisit: number;

  constructor(input: ShareInput, computed: ComputedSteps) {
    const { weights, rows, course, inStep } = input;
    let weight = 0;
    for (let i = 0; i < rows.length; i++) weight += weights[rows[i]];
    const squares = squaresIfDrawn(input);
    const { near } = computed.steps;
    this.weight = weight;
    this.#squares = squares;
    this.#computed = computed;
    this.#halved = computed.intervalSquares > 0 ? squares / computed.intervalSquares : 1;
    this.#effectiveSteps = effectiveSteps(near);
    this.#hasHalves = course?.isHalved === true;
    this.#isFixed = course?.isFixed === true;
    this.#ofVisit = varianceOfVisits(rowsOfStreams(input.groups, input.event), input.place);
    this.#repeats = repeatsOf(inStep ?? null);
    this.#repeated = inStep?.kind === 'tasks' ? 2 / 3 : 1 / 6;
    this.#ofDrawn = inStep?.kind === 'loop' ? inStep.times : 0;
    const regular = inStep?.kind === 'regular' ? inStep : null;
    this.#leastOfDrawn = regular?.times ?? 0;
    const part = ONE_WAY * Math.max(0, 1 - (regular?.differing ?? 1));
    this.#oneWay = part > 0 ? (part * part * rows.length) / computed.intervalSquares : 0;
  }

  /** `near`, `far`: 2D₁ and 2D₂ halved, as the steps collect them; `drawn`: the variance of x if it were drawn. */
  ofSum(near: number, far: number, entered: number, drawn: number): number {
    const first = near + this.#computed.aloneNear * drawn;
    const second = far + this.#computed.aloneFar * drawn;
    const slow = Math.min(first, Math.max(0, second - first));
    const fast = Math.max(0, 2 * first - second);
    const fastPart = first > 0 ? Math.min(1, fast / first) : 1;
    const ifDrawn = this.#squares * drawn;
    const seen = 2 * drawn * this.#effectiveSteps;
    const blended =
      (fast * this.#halved * seen + ifDrawn * fastPart * BLENDED_STEPS) / (seen + BLENDED_STEPS);
    if (this.#ofDrawn > 0) return this.#ofDrawn * ifDrawn;
    const ofIntervals = this.#computed.intervalSquares * drawn;
    const changes = ofIntervals > 0 ? first / ofIntervals : 0;
    const changesOfTwo = ofIntervals > 0 ? second / ofIntervals : 0;
    const asDrawn = this.#partAsDrawn(changes, changesOfTwo);
    const between = blended + slow * (this.#ofVisit + (1 - this.#ofVisit) * asDrawn);
    const ofAlike = asDrawn > 0 ? asDrawn * timesOfAlike(changes, changesOfTwo) : 0;
    const least = Math.max(this.#leastOfDrawn, ofAlike) * ifDrawn;
    return (
      Math.max(least, Math.min(MOST_OF_DRAWN * ifDrawn, between)) +
      this.#oneWay * first * first +
      oneSided(first, second, entered, this.#hasHalves ? UNEVEN : 1 / 2) +
      first * this.#repeats * this.#repeated
    );
  }

  /**
   * The part of its samples that count as drawn. With phases of some samples a border adds 1/6, in steps. Where functions
   * change at nearly every sample, `changes` of 1 as drawn ones do, neighbours may be alike for another reason: work that comes again about
   * once in a period shows nearly the same place of it twice. That is worth no more than one of the two samples, nor are both more than drawn
   * (`timesOfAlike`). Periods that the kernel moves seldom meet the work's for long: theirs count as drawn where those two apart do, which
   * they don't in short phases that alternate.
   */
  #partAsDrawn(changes: number, changesOfTwo: number): number {
    const [fewest, many] = this.#isFixed ? CHANGES_OF_FIXED : CHANGES_AT_RATE;
    const part = Math.min(1, Math.max(0, (changes - fewest) / (many - fewest)));
    return this.#isFixed ? part : part * Math.max(0, 1 - Math.abs(1 - changesOfTwo) / FORGOTTEN);
  }

  /** Steps that can be expected to enter or leave the category, and those blended in. */
  degreesOf(drawn: number): number {
    return 2 * drawn * this.#effectiveSteps + BLENDED_STEPS;
  }
}

/** Number of steps of one amount that would tell as much: (Σa)²/Σa². */
function effectiveSteps(parts: readonly StepColumns[]): number {
  let sum = 0;
  let squares = 0;
  for (const { length, amount } of parts) {
    for (let i = 0; i < length; i++) {
      sum += amount[i];
      squares += amount[i] * amount[i];
    }
  }
  return squares > 0 ? (sum * sum) / squares : 0;
}

/**
 * Σ of what drawn samples would cost: each speaks for w events of which it is one itself, and the others
 * of its interval are as chance has them. Of weights that count no events: w².
 */
function squaresIfDrawn({ weights, rows, course }: ShareInput): number {
  let squares = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = weights[rows[i]];
    if (course === undefined) squares += value * value;
    else squares += (value - 1) ** 2 + Math.max(0, course.arrivedEvents[rows[i]] - 1);
  }
  return squares;
}

/**
 * The number of cycles in which errors are the same: all of a cycle of events, all tasks that change at the same
 * samples; with a clock the samples drift, for about the root of that (bench/coverage).
 */
function repeatsOf(inStep: InStep | null): number {
  if (inStep?.kind === 'cycle' || inStep?.kind === 'tasks') return inStep.repeats;
  return inStep?.kind === 'clock' ? Math.sqrt(inStep.cycles) : 0;
}

/**
 * The variance of samples of which neighbours are alike, as a multiple of that of drawn ones: 1 + 2 Σ ρ, ρ the correlation one and two
 * samples apart. 1 where those two apart are still alike, as functions are that are sampled in a part of the time, in phases.
 */
function timesOfAlike(changes: number, changesOfTwo: number): number {
  const near = 1 - changes;
  const far = 1 - changesOfTwo;
  return far > near / 2 ? 1 : Math.max(1, 1 + 2 * (near + far));
}

/** `changes` between which samples come to count as drawn: of fixed periods, and of those that the kernel moves. */
const CHANGES_OF_FIXED = [0.4, 0.65] as const;
const CHANGES_AT_RATE = [0.7, 0.85] as const;
/** Correlation of samples two apart that is none of drawn samples. */
const FORGOTTEN = 0.12;

/**
 * The part of an interval by which each visit to a function is wrong where all are the same. Of regular work a visit was 0.02 to 0.15 of an interval
 * too long or too short on average (bench/coverage). In steps a visit is one squared interval: to enter is half of it, to leave as well.
 */
const ONE_WAY = 0.17;

/** Number of seen steps that the variance of drawn samples counts for. */
const BLENDED_STEPS = 4;
/** No process is worse than so many times what drawn samples would have, but by chance. */
const MOST_OF_DRAWN = 1.25;

/**
 * A border's interval goes to the side that it ends in, c/2 too much on average. Where a category
 * is entered in longer intervals than it is left in, or more often, as what many tasks end with, that does not cancel.
 * Halves are right where a border is as likely anywhere in its interval, which it is not quite where a function works at another rate for a
 * time that is not any: `part` is how far off. Squared; only the slow part B has borders.
 */
function oneSided(near: number, far: number, entered: number, part: number): number {
  if (!(near > 0)) return 0;
  const slow = Math.min(1, Math.max(0, (far - near) / near));
  return slow * (part * entered) ** 2;
}

/** The mean place of a border was 0.484 to 0.516 of its interval (bench/coverage), on the way in and out to opposite sides. */
const UNEVEN = 0.016;

/** Student's factor of a 95 % interval with `degrees` ≥ 3. */
function studentT95(degrees: number): number {
  const [first, second] = T95_TERMS;
  return Z95 + first / degrees + second / degrees ** 2;
}

/**
 * The interval of a share with this variance. `samples` stands in where the variance says nothing:
 * at a share of 0 or 1, which no sample contradicts (`3.84 / (samples + 3.84)` is left). `z`: 95 % lie
 * within so many standard deviations.
 */
export function wilsonInterval(
  share: number,
  variance: number,
  samples: number,
  z: number = Z95,
): ShareInterval {
  // Rounding may leave a sum of all weights just beside 1.
  const p = Math.min(1, Math.max(0, share));
  const drawn = p * (1 - p);
  if (variance === 0 && drawn > 1e-9) return { low: p, high: p };
  const isKnown = drawn > 1e-9 && variance > 0;
  const n = isKnown ? (drawn / variance) * (Z95 / z) ** 2 : samples;
  if (!(n > 0)) return { low: 0, high: 1 };
  const z2 = Z95 * Z95;
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 / (1 + z2 / n)) * Math.sqrt(drawn / n + z2 / (4 * n * n));
  return {
    low: Math.max(0, Math.min(p, middle - half)),
    high: Math.min(1, Math.max(p, middle + half)),
  };
}

/**
 * How many more seconds of the same would separate two shares: their difference then exceeds what
 * chance makes of it. 0 if it does already; null if that would take more than `MAX_TIMES` the
 * recording, or there is no difference at all.
 *
 * `difference` and its `standardError` are in the same unit, `seconds` is how long was recorded.
 */
export function secondsToSeparate(
  difference: number,
  standardError: number,
  seconds: number,
): number | null {
  const times = ((Z95 * standardError) / Math.abs(difference)) ** 2;
  if (times <= 1) return 0;
  return times <= MAX_TIMES ? seconds * (times - 1) : null;
}

/** Beyond that two shares are as good as equal, and programs don't stay the same that long. */
const MAX_TIMES = 20;
