// Hot: once per sample.

import { eachSlice, SLICE_ITEMS, type Slices } from '../../base/slices.ts';
import type { SampleSteps } from '../../profile/analysis/shares/share-steps.ts';
import { rowsOfStreams } from '../streams.ts';
import { findDistantPairs } from './distant-pairs.ts';
import { NO_STEPS } from './other-reading.ts';
import type { ShareInput } from './share-input.ts';
import { addSharedBorders } from './shared-borders.ts';
import { AmountKeeper, SHORTEST_RUN, StepList, StepParts } from './step-parts.ts';

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
 * interval between them, and of no other: where rates change at borders, as behind a burst, the interval across the
 * border is the longest one around in each turn, and the mean over its neighbours would be too little. An interval that has few like it around is judged by pairs of samples further apart, with as
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
    yield* eachSlice(rows.length, (first, end) => builder.add(rows, first, end));
    builder.end(rows);
  }
  builder.share(rowsOfStreams(groups, event));
  return builder.finish();
}

/**
 * Is told all selected samples, then takes the streams one after the other: `add`, from its first sample to
 * its last, then `end`.
 */
class StepsBuilder {
  readonly #input: ShareInput;
  readonly #isSelected: Uint8Array;
  /** Samples that are events of their intervals, not only times within these. */
  readonly #seen: 0 | 1;
  /** Sum of the selected samples' intervals. */
  #totalWeight = 0;
  #totalSquares = 0;
  readonly #near: StepParts;
  readonly #far: StepParts;
  readonly #ends: StepList;
  readonly #last: StepList;
  readonly #lone: StepList;
  #streams = 0;
  /** Intervals that the samples of one slice end, and those of `SIDE` samples on either side. */
  readonly #intervals = new Float64Array(SLICE_ITEMS + 2 * SIDE);
  /** Counts at each sample of the stream, where pairs of it have been looked for. */
  #counted: Float64Array | null = null;
  /** Amounts of steps to the samples of one slice. */
  readonly #amounts = new Float64Array(SLICE_ITEMS);
  readonly #keeper = new AmountKeeper();
  #aloneNear = 0;
  #aloneFar = 0;
  #allEnds = 0;
  #allLast = 0;

  constructor(input: ShareInput) {
    const { weights, groups, event } = input;
    let streams = 0;
    let copied = 0;
    for (let g = 0; g < groups.length; g++) {
      if (groups.event[g] !== event) continue;
      const length = groups.offsets[g + 1] - groups.offsets[g];
      copied += length < SHORTEST_RUN + FIRST ? length : FIRST;
      streams++;
    }
    this.#input = input;
    this.#seen = input.course === undefined ? 0 : 1;
    this.#near = new StepParts(copied);
    this.#far = new StepParts(copied);
    this.#ends = new StepList(streams);
    this.#last = new StepList(streams);
    this.#lone = new StepList(streams);
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

  /** Intervals around samples `from` … `to` − 1 of the stream. */
  #gather(rows: Int32Array, from: number, to: number): void {
    const ofRow = intervalsOf(this.#input);
    const intervals = this.#intervals;
    for (let k = from; k < to; k++) intervals[k - from] = ofRow[rows[k]];
  }

  /** Samples `first` … `end` − 1 of the stream, at most `SLICE_ITEMS`; those before were added. */
  add(rows: Int32Array, first: number, end: number): void {
    const from = Math.max(0, first - SIDE);
    const to = Math.min(rows.length, end + SIDE);
    this.#gather(rows, from, to);
    const intervals = this.#intervals;
    const amounts = this.#amounts;
    const length = to - from;
    const seen = this.#seen;
    const huge = HUGE * this.#totalWeight;
    const notable = NOTABLE * this.#totalSquares;
    let run = first;
    for (let k = first; k < end; k++) {
      const own = intervals[k - from];
      const square = doubtOf(own, seen);
      const isHuge = own >= huge;
      if (isHuge || (square > notable && countComparable(intervals, length, k - from) < COMPANY)) {
        this.#addRun(rows, run, k);
        run = k + 1;
        if (isHuge) this.#addHuge(rows[k], own);
        else {
          this.#addByPairs(rows, k, own, 1);
          this.#addByPairs(rows, k, own, 2);
        }
        if (k >= 1) this.#lone.add(rows[k - 1], rows[k], square);
        continue;
      }
      if (k >= FIRST) {
        amounts[k - run] = square / 2;
        continue;
      }
      this.#addFirst(rows, k, square);
      run = k + 1;
    }
    this.#addRun(rows, run, end);
  }

  /** Steps to samples `first` … `end` − 1, whose amounts were computed. */
  #addRun(rows: Int32Array, first: number, end: number): void {
    if (end <= first) return;
    const amounts = this.#keeper.keep(this.#amounts, end - first);
    this.#near.addRun(rows, first, 1, amounts);
    this.#far.addRun(rows, first, 2, amounts);
  }

  /** Steps of one of the stream's first samples, which has too few before it. */
  #addFirst(rows: Int32Array, k: number, square: number): void {
    const row = rows[k];
    const isSelected = this.#isSelected[row] === 1;
    const near = k >= 1 ? k - 1 : k + 1;
    if (near < rows.length) this.#near.add(rows[near], row, square / 2);
    else if (isSelected) this.#aloneNear += square;
    const far = k + 2;
    if (far < rows.length) this.#far.add(rows[far], row, square / 2);
    else if (isSelected) this.#aloneFar += square;
  }

  #addHuge(row: number, own: number): void {
    if (this.#isSelected[row] === 0) return;
    this.#aloneNear += own * own;
    this.#aloneFar += own * own;
  }

  /** Steps over `times` as many events as interval k has, in its place: near ones once, far ones twice. */
  #addByPairs(rows: Int32Array, k: number, own: number, times: 1 | 2): void {
    const square = doubtOf(own, this.#seen);
    const isNear = times === 1;
    const list = isNear ? this.#near : this.#far;
    this.#counted ??= sumsOf(intervalsOf(this.#input), rows);
    const pairs = findDistantPairs(this.#counted, rows.length, k, times * own);
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
    const intervals = intervalsOf(this.#input);
    this.#counted = null;
    if (rows.some((row) => this.#isSelected[row] === 1)) this.#streams++;
    const first = rows[0];
    if (this.#isSelected[first] === 1) {
      this.#ends.add(first, first, intervals[first]);
      this.#allEnds += intervals[first];
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
    const amount = Math.max(intervals[last], pending) ** 2 / 3;
    this.#last.add(last, last, amount);
    this.#allLast += amount;
  }

  /** Adds the borders that many of the event's streams have in common. */
  share(streams: readonly Int32Array[]): void {
    const { place } = this.#input;
    if (place !== undefined) addSharedBorders(streams, intervalsOf(this.#input), place, this.#lone);
  }

  finish(): ComputedSteps {
    return {
      steps: {
        near: this.#near.finish(),
        far: this.#far.finish(),
        ends: this.#ends.finish(),
        last: this.#last.finish(),
        lone: this.#lone.finish(),
        shift: this.#input.shift ?? NO_STEPS,
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

/** The sum of the numbers of `rows` up to each. */
function sumsOf(ofRow: Float64Array, rows: Int32Array): Float64Array {
  const sums = new Float64Array(rows.length);
  let sum = 0;
  for (let k = 0; k < rows.length; k++) {
    sum += ofRow[rows[k]];
    sums[k] = sum;
  }
  return sums;
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

/** Samples at a stream's beginning that have not two before them. */
const FIRST = 2;

/** An interval is compared with those of so many samples on either side … */
const SIDE = 4;
/** … which are like it where they differ by no more than this factor. */
const COMPARABLE = 4;
/** Number of comparable ones, itself included, below which an interval is judged by pairs further apart … */
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
