// Hot: once per frame of a sample.

import { NONE } from '../../../base/brand.ts';
import { SLICE_ITEMS, type Slices } from '../../../base/slices.ts';
import { t95 } from '../../../base/student.ts';
import type { GroupIntervals } from './group-intervals.ts';
import type { GroupedTree } from './share-steps.ts';

/** The categories that ratios are asked of: a sample is in those of its row and of all rows above. */
export type RatioKeys = {
  /** Per row of the sample table; −1: in no category, or not selected. */
  readonly rowOfSample: Int32Array;
  readonly tree: GroupedTree;
  readonly count: number;
};

/** A ratio of one category. */
export type RatioEstimate = {
  /** Null: unknown, for `reason`. */
  readonly value: number | null;
  /** Ends of the 95 % interval; null with `value`. */
  readonly low: number | null;
  readonly high: number | null;
  /**
   * `few`: too little of what is divided by; `mixed`: others run between the samples, and the counters count
   * these as well.
   */
  readonly reason: 'few' | 'mixed' | null;
};

export const TOO_FEW: RatioEstimate = { value: null, low: null, high: null, reason: 'few' };
const MIXED: RatioEstimate = { ...TOO_FEW, reason: 'mixed' };

/**
 * Ratios of two counters of a group per category: the instructions that a function executes in a cycle, say.
 *
 * Counters don't know functions. What they counted between two samples is certainly of a function only if it
 * ran all the time in between, which is likely if it was found at both ends:
 *
 *     samples     f     f     f     g     g     f          f has the intervals 1 and 2, g has 4;
 *     interval       1     2     3     4     5             3 and 5 are left out
 *
 * Halves of the intervals 3 and 5, as shares have them, would give each function a part of the other's ratio.
 * The ratio of the sums of such intervals is not drawn: these were counted. Open is
 *
 * - what the function did elsewhere, a part u of all that it did. That it did there as here, from stay to stay
 *   as different as here, makes u times the variance of a ratio of sums over its stays (W. G. Cochran, Sampling
 *   Techniques, §6.3, with the finite population's factor).
 * - what others did in between. Three samples in a row show how often a function is left and entered again: of
 *   those with f at both ends, E₂ have another in the middle, and of four samples with f at both ends E₃ at each
 *   of the two places in the middle. Short visits elsewhere are as likely at any distance, but leaving for good is rare
 *   on short ones, so that with a fast part e and a slow part s: E₂ = e + s, E₃ = e + 2s, and within
 *   an interval e + s/6. Others may have had up to `FOREIGN` times the ratio, or any that was seen, or none at all.
 */
export function* groupRatios(
  intervals: GroupIntervals,
  keys: RatioKeys,
): Slices<(key: number) => RatioEstimate> {
  const sums = new RatioSums(keys);
  for (let first = 0; first < intervals.length; first += SLICE_ITEMS) {
    sums.add(intervals, first, Math.min(intervals.length, first + SLICE_ITEMS));
    yield;
  }
  return sums.finish();
}

/** Intervals that count as one stay at most, so that a long stay tells how much the ratio varies. */
const LONGEST_STAY = 16;
/** Intervals from which on a stay gives the ratio of its code, not that of single events. */
const DECISIVE_STAY = 4;
/** Intervals of one weight that a ratio needs at least. */
const FEWEST_INTERVALS = 8;
/** Number of samples with which a function that is seldom found twice in a row doesn't stay. */
const SEEN_OFTEN = 4 * FEWEST_INTERVALS;
/** Beyond this part of others in its intervals, a function has no ratio of its own. */
const MOST_FOREIGN = 0.25;
/** Ratio of others, as a multiple of the function's own, that is allowed for even where no interval shows it. */
const FOREIGN = 4;
/** One-sided, 95 %. */
const Z_UPPER = 1.645;

class RatioSums {
  readonly #rowOfSample: Int32Array;
  readonly #prefix: Int32Array;
  readonly #group: Int32Array;
  /** Bits of the last four samples that the key is on, newest lowest; 0 again after each interval. */
  readonly #bits: Uint8Array;
  readonly #touched: Int32Array;
  readonly #part: Float64Array;
  readonly #whole: Float64Array;
  readonly #wholeSquares: Float64Array;
  /** All that was counted at the key's samples, half of each interval to either end. */
  readonly #own: Float64Array;
  /** Intervals that end at the key's samples. */
  readonly #ended: Int32Array;
  readonly #near: Int32Array;
  readonly #nearOut: Int32Array;
  readonly #far: Int32Array;
  readonly #farOut: Int32Array;
  /** The stay that is going on: its sums, its intervals, the last of them. */
  readonly #stayPart: Float64Array;
  readonly #stayWhole: Float64Array;
  readonly #stayLength: Uint8Array;
  readonly #lastOfStay: Int32Array;
  readonly #stays: Int32Array;
  readonly #partPart: Float64Array;
  readonly #partWhole: Float64Array;
  readonly #wholeWhole: Float64Array;
  /** The highest ratio of a stay. */
  #highest = 0;

  constructor({ rowOfSample, tree, count }: RatioKeys) {
    const doubles = () => new Float64Array(count);
    const ints = () => new Int32Array(count);
    this.#rowOfSample = rowOfSample;
    this.#prefix = tree.prefix;
    this.#group = tree.group;
    this.#bits = new Uint8Array(count);
    this.#touched = ints();
    this.#part = doubles();
    this.#whole = doubles();
    this.#wholeSquares = doubles();
    this.#own = doubles();
    this.#ended = ints();
    this.#near = ints();
    this.#nearOut = ints();
    this.#far = ints();
    this.#farOut = ints();
    this.#stayPart = doubles();
    this.#stayWhole = doubles();
    this.#stayLength = new Uint8Array(count);
    this.#lastOfStay = ints().fill(NONE);
    this.#stays = ints();
    this.#partPart = doubles();
    this.#partWhole = doubles();
    this.#wholeWhole = doubles();
  }

  /** Intervals `first` … `end` − 1; those before were added. */
  add({ begin, end: ends, part, whole }: GroupIntervals, first: number, end: number): void {
    for (let i = first; i < end; i++) {
      const isSecond = i > 0 && ends[i - 1] === begin[i];
      const isThird = isSecond && i > 1 && ends[i - 2] === begin[i - 1];
      let touched = this.#mark(ends[i], 1, 0);
      touched = this.#mark(begin[i], 2, touched);
      if (isSecond) touched = this.#mark(begin[i - 1], 4, touched);
      if (isThird) touched = this.#mark(begin[i - 2], 8, touched);
      this.#addTouched(i, touched, isSecond, part[i], whole[i]);
    }
  }

  /** Marks the keys of a sample; returns how many are marked in all. */
  #mark(sample: number, bit: number, touched: number): number {
    const bits = this.#bits;
    let count = touched;
    for (let row = this.#rowOfSample[sample]; row !== NONE; row = this.#prefix[row]) {
      const key = this.#group[row];
      if (key === NONE) continue;
      if (bits[key] === 0) this.#touched[count++] = key;
      bits[key] |= bit;
    }
    return count;
  }

  #addTouched(i: number, touched: number, isSecond: boolean, part: number, whole: number): void {
    const own = this.#own;
    for (let t = 0; t < touched; t++) {
      const key = this.#touched[t];
      const bits = this.#bits[key];
      this.#bits[key] = 0;
      own[key] = own[key] + (((bits & 1) + ((bits >> 1) & 1)) * whole) / 2;
      this.#ended[key] += bits & 1;
      if ((bits & 5) === 5) {
        this.#near[key]++;
        if ((bits & 2) === 0) this.#nearOut[key]++;
      }
      if ((bits & 9) === 9) {
        this.#far[key] += 2;
        this.#farOut[key] += 2 - ((bits >> 1) & 1) - ((bits >> 2) & 1);
      }
      if ((bits & 3) === 3) this.#addOwn(i, key, isSecond, part, whole);
    }
  }

  /** An interval with the key at both ends. */
  #addOwn(i: number, key: number, isSecond: boolean, part: number, whole: number): void {
    this.#part[key] = this.#part[key] + part;
    this.#whole[key] = this.#whole[key] + whole;
    this.#wholeSquares[key] = this.#wholeSquares[key] + whole * whole;
    const goesOn = isSecond && this.#lastOfStay[key] === i - 1;
    if (!goesOn || this.#stayLength[key] >= LONGEST_STAY) this.#endStay(key);
    this.#stayPart[key] = this.#stayPart[key] + part;
    this.#stayWhole[key] = this.#stayWhole[key] + whole;
    this.#stayLength[key]++;
    this.#lastOfStay[key] = i;
  }

  #endStay(key: number): void {
    if (this.#stayLength[key] === 0) return;
    const part = this.#stayPart[key];
    const whole = this.#stayWhole[key];
    if (this.#stayLength[key] >= DECISIVE_STAY)
      this.#highest = Math.max(this.#highest, part / whole);
    this.#partPart[key] = this.#partPart[key] + part * part;
    this.#partWhole[key] = this.#partWhole[key] + part * whole;
    this.#wholeWhole[key] = this.#wholeWhole[key] + whole * whole;
    this.#stays[key]++;
    this.#stayPart[key] = 0;
    this.#stayWhole[key] = 0;
    this.#stayLength[key] = 0;
  }

  finish(): (key: number) => RatioEstimate {
    for (let key = 0; key < this.#stays.length; key++) this.#endStay(key);
    return (key) => this.#estimate(key);
  }

  #estimate(key: number): RatioEstimate {
    const foreign = this.#foreignPart(key);
    if (foreign === null && this.#ended[key] >= SEEN_OFTEN) return MIXED;
    const stays = this.#stays[key];
    if (foreign !== null && foreign.seen > MOST_FOREIGN) return MIXED;
    const whole = this.#whole[key];
    const effective = whole === 0 ? 0 : whole ** 2 / this.#wholeSquares[key];
    if (foreign === null || foreign.most > MOST_FOREIGN) return TOO_FEW;
    if (effective < FEWEST_INTERVALS || stays < 2) return TOO_FEW;
    const part = this.#part[key];
    const ratio = part / whole;
    const elsewhere = Math.max(0, 1 - whole / Math.max(whole, this.#own[key]));
    const residuals =
      this.#partPart[key] - 2 * ratio * this.#partWhole[key] + ratio ** 2 * this.#wholeWhole[key];
    const variance = (Math.max(0, residuals) * stays) / (stays - 1) / whole ** 2;
    const half = t95(stays - 1) * Math.sqrt(elsewhere * variance);
    // An event that did not happen here may happen elsewhere as often as is seldom missed: three times.
    const low = Math.max(0, ratio - half);
    const high = part === 0 ? (elsewhere * 3) / whole : ratio + half;
    const rest = 1 - foreign.most;
    const theirs = Math.max(this.#highest, FOREIGN * ratio);
    return {
      value: ratio,
      low: Math.max(0, (low - foreign.most * theirs) / rest),
      high: high / rest,
      reason: null,
    };
  }

  /** The part of others in the key's intervals: as seen, and at most; null where too few samples tell. */
  #foreignPart(key: number): { readonly seen: number; readonly most: number } | null {
    const near = this.#near[key];
    if (near < FEWEST_INTERVALS) return null;
    const middle = this.#nearOut[key] / near;
    const far = this.#far[key];
    const between = far === 0 ? middle : this.#farOut[key] / far;
    const slow = Math.max(0, Math.min(middle, between - middle));
    const seen = middle - slow + slow / 6;
    return { seen, most: upperEnd(seen, near) };
  }
}

/** The upper end of a share that was seen among `count`, as Wilson has it. */
function upperEnd(share: number, count: number): number {
  const z2 = Z_UPPER ** 2;
  const spread = Z_UPPER * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count * count));
  return (share + z2 / (2 * count) + spread) / (1 + z2 / count);
}
