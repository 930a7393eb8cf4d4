// Hot: once per sample.

import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { eachSlice, type Slices } from '../../base/slices.ts';
import type { SampleSteps, StepColumns } from '../../profile/analysis/share-steps.ts';
import { findDistantPairs } from './distant-pairs.ts';
import type { ShareInput } from './share-input.ts';

/** Steps, and what is the same for every category. */
export type ComputedSteps = {
  readonly steps: SampleSteps;
  /** Squared intervals of selected samples without a neighbour, or without a second one. */
  readonly aloneNear: number;
  readonly aloneFar: number;
  /** Σ of the amounts of `steps.ends` and of `steps.last`. */
  readonly allEnds: number;
  readonly allLast: number;
  /** Streams with a selected sample. */
  readonly streams: number;
  /** Σ of the selected samples' squared intervals, as the steps have them. */
  readonly intervalSquares: number;
};

/**
 * Each sample with the one before it in its stream and with the one before that (see
 * `uncertainty.ts`); the first ones of a stream with those after them instead. The amount is w² of the
 * interval between them, taken as the mean over comparable intervals around: whether the function
 * differs at the one sample or at the next is chance. Those of a ramp are not comparable: they come
 * event after event, so that the function seldom differs, and must not speak for the large interval
 * that follows. An interval that has few like it around is judged by pairs of samples further apart, with as
 * many events between them (`distant-pairs.ts`): by one step alone it would count for nothing or for
 * all. Pairs say nothing of a function that is nowhere else, as those of a program's start are: the step
 * itself is kept too, as a lone one.
 *
 * Of a selection, steps lead also to samples outside of it, which are in no category; alone and last
 * count those that are selected.
 */
export function* computeSteps(input: ShareInput): Slices<ComputedSteps> {
  const { groups, event } = input;
  const builder = new StepsBuilder(input);
  yield* eachSlice(input.rows.length, (first, end) => builder.select(first, end));
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    const rows = groups.rows.subarray(groups.offsets[g], groups.offsets[g + 1]);
    yield* eachSlice(rows.length, (first, end) => builder.begin(rows, first, end));
    yield* eachSlice(rows.length, (first, end) => builder.add(rows, first, end));
    builder.end(rows);
  }
  return builder.finish();
}

/**
 * Is told all selected samples, then takes the streams one after the other: `begin` and `add`, each
 * from its first sample to its last, `end`.
 */
class StepsBuilder {
  readonly #input: ShareInput;
  readonly #isSelected: Uint8Array;
  /** Samples that are events of their intervals, not only times within these. */
  readonly #seen: 0 | 1;
  /** Of the selected samples' intervals. */
  #totalWeight = 0;
  #totalSquares = 0;
  readonly #near: StepList;
  readonly #far: StepList;
  readonly #ends: StepList;
  readonly #last: StepList;
  readonly #lone: StepList;
  #streams = 0;
  /** Intervals that the stream's samples end, and what was counted at each. */
  readonly #intervals: Float64Array;
  readonly #counted: Float64Array;
  #aloneNear = 0;
  #aloneFar = 0;
  #allEnds = 0;
  #allLast = 0;

  constructor(input: ShareInput) {
    const { weights, groups, event } = input;
    let samples = 0;
    let streams = 0;
    let longest = 0;
    for (let g = 0; g < groups.length; g++) {
      if (groups.event[g] !== event) continue;
      const length = groups.offsets[g + 1] - groups.offsets[g];
      samples += length;
      longest = Math.max(longest, length);
      streams++;
    }
    this.#input = input;
    this.#seen = input.course === undefined ? 0 : 1;
    this.#near = new StepList(samples);
    this.#far = new StepList(samples);
    this.#ends = new StepList(streams);
    this.#last = new StepList(streams);
    this.#lone = new StepList(streams);
    this.#intervals = new Float64Array(longest);
    this.#counted = new Float64Array(longest);
    this.#isSelected = new Uint8Array(weights.length);
  }

  /** Selected samples `first` … `end` − 1. */
  select(first: number, end: number): void {
    const { rows } = this.#input;
    const intervals = intervalsOf(this.#input);
    const isSelected = this.#isSelected;
    let totalWeight = this.#totalWeight;
    let totalSquares = this.#totalSquares;
    const seen = this.#seen;
    for (let i = first; i < end; i++) {
      const row = rows[i];
      const interval = intervals[row];
      totalWeight += interval;
      totalSquares += doubtOf(interval, seen);
      isSelected[row] = 1;
    }
    this.#totalWeight = totalWeight;
    this.#totalSquares = totalSquares;
  }

  begin(rows: Int32Array, first: number, end: number): void {
    const ofRow = intervalsOf(this.#input);
    const intervals = this.#intervals;
    const counted = this.#counted;
    let sum = first === 0 ? 0 : counted[first - 1];
    for (let k = first; k < end; k++) {
      const interval = ofRow[rows[k]];
      intervals[k] = interval;
      sum += interval;
      counted[k] = sum;
    }
  }

  /** Samples `first` … `end` − 1 of the stream; those before were added. */
  add(rows: Int32Array, first: number, end: number): void {
    const intervals = this.#intervals;
    const isSelected = this.#isSelected;
    const { length } = rows;
    const seen = this.#seen;
    const huge = HUGE * this.#totalWeight;
    const notable = NOTABLE * this.#totalSquares;
    for (let k = first; k < end; k++) {
      const row = rows[k];
      const own = intervals[k];
      const square = doubtOf(own, seen);
      if (own >= huge) {
        if (isSelected[row] === 1) {
          this.#aloneNear += own * own;
          this.#aloneFar += own * own;
        }
        if (k >= 1) this.#lone.add(rows[k - 1], row, square);
        continue;
      }
      if (square > notable && countComparable(intervals, length, k) < COMPANY) {
        this.#addByPairs(rows, k, square, 1);
        this.#addByPairs(rows, k, square, 2);
        if (k >= 1) this.#lone.add(rows[k - 1], row, square);
        continue;
      }
      const smoothed = smoothSquare(intervals, length, k, seen);
      const near = k >= 1 ? k - 1 : k + 1;
      if (near < length) this.#near.add(rows[near], row, smoothed / 2);
      else if (isSelected[row] === 1) this.#aloneNear += smoothed;
      const far = k >= 2 ? k - 2 : k + 2;
      if (far < length) this.#far.add(rows[far], row, smoothed / 2);
      else if (isSelected[row] === 1) this.#aloneFar += smoothed;
    }
  }

  /** Steps over `times` as many events as interval k has, in its place: near ones once, far ones twice. */
  #addByPairs(rows: Int32Array, k: number, square: number, times: 1 | 2): void {
    const isNear = times === 1;
    const list = isNear ? this.#near : this.#far;
    const pairs = findDistantPairs(this.#counted, rows.length, k, times * this.#intervals[k]);
    for (const [from, to] of pairs) {
      list.add(rows[from], rows[to], square / 2 / Math.max(pairs.length, COMPANY));
    }
    const missing = Math.max(0, 1 - pairs.length / COMPANY) * square;
    if (missing === 0 || this.#isSelected[rows[k]] === 0) return;
    if (isNear) this.#aloneNear += missing;
    else this.#aloneFar += missing;
  }

  end(rows: Int32Array): void {
    const { weights, course } = this.#input;
    if (rows.some((row) => this.#isSelected[row] === 1)) this.#streams++;
    const first = rows[0];
    if (this.#isSelected[first] === 1) {
      this.#ends.add(first, first, this.#intervals[0]);
      this.#allEnds += this.#intervals[0];
    }
    const last = rows[rows.length - 1];
    if (this.#isSelected[last] === 0) return;
    const tail = course?.tails?.[last] ?? 0;
    if (tail > 0) {
      this.#ends.add(last, last, tail);
      this.#allEnds += tail;
      return;
    }
    const pending = course === undefined ? weights[last] : course.periodEvents[last];
    const amount = Math.max(this.#intervals[rows.length - 1], pending) ** 2 / 3;
    this.#last.add(last, last, amount);
    this.#allLast += amount;
  }

  finish(): ComputedSteps {
    return {
      steps: {
        near: this.#near.finish(),
        far: this.#far.finish(),
        ends: this.#ends.finish(),
        last: this.#last.finish(),
        lone: this.#lone.finish(),
      },
      aloneNear: this.#aloneNear,
      aloneFar: this.#aloneFar,
      allEnds: this.#allEnds,
      allLast: this.#allLast,
      streams: this.#streams,
      intervalSquares: this.#totalSquares,
    };
  }
}

/** Events in the intervals that samples end, by row: the weights, unless they were divided. */
function intervalsOf({ weights, course }: ShareInput): Float64Array {
  return course === undefined ? weights : course.arrivedEvents;
}

/**
 * A sample with this share of all weight stands for itself. In the interval of a period that
 * overshot, the program may have done anything, whatever the samples around it show.
 */
const HUGE = 0.05;

/** Samples on either side over which squared intervals are taken together … */
const SIDE = 4;
/** … where they differ by no more than this factor. */
const COMPARABLE = 4;
/** With fewer comparable ones, itself included, an interval is judged by pairs further apart … */
const COMPANY = 6;
/** … if it has this part of all squared intervals. */
const NOTABLE = 0.0005;

function isComparable(own: number, other: number): boolean {
  return other >= own / COMPARABLE && other <= own * COMPARABLE;
}

function countComparable(intervals: Float64Array, length: number, k: number): number {
  const own = intervals[k];
  const last = Math.min(length - 1, k + SIDE);
  let count = 0;
  for (let j = Math.max(0, k - SIDE); j <= last; j++) {
    const interval = intervals[j];
    if (isComparable(own, interval)) count++;
  }
  return count;
}

/**
 * Squared, for what is in doubt of an interval. Of w events one is the sample itself; a border among the
 * others is at one of w places, which differ by (w² − 1)/12. At a period of 1 nothing is in doubt.
 */
function doubtOf(interval: number, seen: 0 | 1): number {
  return Math.max(0, interval * interval - seen);
}

/** Mean of the squared comparable intervals around sample k of `length`. */
function smoothSquare(intervals: Float64Array, length: number, k: number, seen: 0 | 1): number {
  const own = intervals[k];
  const last = Math.min(length - 1, k + SIDE);
  let sum = 0;
  let count = 0;
  for (let j = Math.max(0, k - SIDE); j <= last; j++) {
    const interval = intervals[j];
    if (!isComparable(own, interval)) continue;
    sum += doubtOf(interval, seen);
    count++;
  }
  return sum / count;
}

/** Columns with room for `capacity` steps, which grow where pairs add more. */
class StepList {
  readonly #from: GrowableInt32;
  readonly #to: GrowableInt32;
  readonly #amount: GrowableFloat64;

  constructor(capacity: number) {
    this.#from = new GrowableInt32(capacity);
    this.#to = new GrowableInt32(capacity);
    this.#amount = new GrowableFloat64(capacity);
  }

  add(from: number, to: number, amount: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#amount.push(amount);
  }

  /** Views of all that was reserved, which was little more than what is used. */
  finish(): StepColumns {
    const { length } = this.#amount;
    return {
      length,
      from: this.#from.array.subarray(0, length),
      to: this.#to.array.subarray(0, length),
      amount: this.#amount.array.subarray(0, length),
    };
  }
}
