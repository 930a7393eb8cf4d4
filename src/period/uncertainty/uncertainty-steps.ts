// Hot: once per sample.

import { eachSlice, type Slices } from '../../base/slices.ts';
import type { SampleSteps, StepColumns } from '../../profile/analysis/share-steps.ts';
import type { ShareInput } from './share-input.ts';
import { NOT_SPLIT } from './uncertainty-borders.ts';

/** Steps, and what is the same for every category. */
export type ComputedSteps = {
  readonly steps: SampleSteps;
  /** Squared weights of selected samples without a neighbour, or without a second one. */
  readonly aloneNear: number;
  readonly aloneFar: number;
  /** Σ of the amounts of `steps.last`. */
  readonly allLast: number;
};

/**
 * Each sample with the one before it in its stream and with the one before that (see
 * `uncertainty.ts`); the first ones of a stream with those after them instead. The amount is w²,
 * taken as the mean over comparable samples around: whether the function differs at the one sample
 * or at the next is chance. Those of a ramp are not comparable: they come event after event, so
 * that the function seldom differs, and must not speak for the large interval that follows.
 * Borders that were divided are left out and stand on their own.
 *
 * Of a selection, steps lead also to samples outside of it, which are in no category; alone and last
 * count those that are selected.
 */
export function* computeSteps(
  input: ShareInput,
  borders: Float64Array | null,
): Slices<ComputedSteps> {
  const { groups, event } = input;
  const builder = new StepsBuilder(input, borders);
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
  readonly #borders: Float64Array | null;
  readonly #isSelected: Uint8Array;
  #totalWeight = 0;
  readonly #near: StepList;
  readonly #far: StepList;
  readonly #border: StepList;
  readonly #last: StepList;
  /** Weights of the stream's samples, and their smoothed squares as far as they were added. */
  readonly #ofStream: Float64Array;
  readonly #squares: Float64Array;
  #aloneNear = 0;
  #aloneFar = 0;
  #allLast = 0;

  constructor(input: ShareInput, borders: Float64Array | null) {
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
    this.#borders = borders;
    this.#near = new StepList(samples);
    this.#far = new StepList(samples);
    this.#border = new StepList(borders === null ? 0 : samples);
    this.#last = new StepList(streams);
    this.#ofStream = new Float64Array(longest);
    this.#squares = new Float64Array(longest);
    this.#isSelected = new Uint8Array(weights.length);
  }

  /** Selected samples `first` … `end` − 1. */
  select(first: number, end: number): void {
    const { weights, rows } = this.#input;
    const isSelected = this.#isSelected;
    let totalWeight = this.#totalWeight;
    for (let i = first; i < end; i++) {
      const row = rows[i];
      totalWeight += weights[row];
      isSelected[row] = 1;
    }
    this.#totalWeight = totalWeight;
  }

  begin(rows: Int32Array, first: number, end: number): void {
    const { weights } = this.#input;
    const ofStream = this.#ofStream;
    for (let k = first; k < end; k++) ofStream[k] = weights[rows[k]];
  }

  /** Samples `first` … `end` − 1 of the stream; those before were added. */
  add(rows: Int32Array, first: number, end: number): void {
    const { weights, course } = this.#input;
    const borders = this.#borders;
    const isSelected = this.#isSelected;
    const squares = this.#squares;
    const { length } = rows;
    const huge = HUGE * this.#totalWeight;
    let aloneNear = 0;
    let aloneFar = 0;
    smoothSquares(this.#ofStream, length, first, end, course === undefined ? 0 : 1, squares);
    for (let k = first; k < end; k++) {
      const row = rows[k];
      const own = weights[row];
      if (own >= huge) {
        if (isSelected[row] === 1) {
          aloneNear += own * own;
          aloneFar += own * own;
        }
        continue;
      }
      const square = squares[k];
      const border = borders === null ? NOT_SPLIT : borders[row];
      if (border !== NOT_SPLIT) {
        this.#border.add(rows[k - 1], row, border);
        continue;
      }
      const near = k >= 1 ? k - 1 : k + 1;
      if (near < length) this.#near.add(rows[near], row, square / 2);
      else if (isSelected[row] === 1) aloneNear += square;
      // This step crosses the interval before, too.
      if (k >= 1 && borders !== null && borders[rows[k - 1]] !== NOT_SPLIT) continue;
      const far = k >= 2 ? k - 2 : k + 2;
      const squareBefore = squares[Math.max(0, k - 1)];
      if (far < length) this.#far.add(rows[far], row, (square + squareBefore) / 4);
      else if (isSelected[row] === 1) aloneFar += square;
    }
    this.#aloneNear += aloneNear;
    this.#aloneFar += aloneFar;
  }

  end(rows: Int32Array): void {
    const { weights, course } = this.#input;
    const last = rows[rows.length - 1];
    if (this.#isSelected[last] === 0) return;
    const weight = weights[last];
    const pending = course === undefined ? weight : course.periodEvents[last];
    const amount = Math.max(weight, pending) ** 2 / 3;
    this.#last.add(last, last, amount);
    this.#allLast += amount;
  }

  finish(): ComputedSteps {
    const steps = {
      near: this.#near.finish(),
      far: this.#far.finish(),
      border: this.#border.finish(),
      last: this.#last.finish(),
    };
    const [aloneNear, aloneFar, allLast] = [this.#aloneNear, this.#aloneFar, this.#allLast];
    return { steps, aloneNear, aloneFar, allLast };
  }
}

/**
 * A sample with this share of all weight stands for itself. In the interval of a period that
 * overshot, the program may have done anything, whatever the samples around it show.
 */
const HUGE = 0.05;

/** Samples on either side over which squared weights are taken together … */
const SIDE = 4;
/** … where the weights differ by no more than this factor. */
const COMPARABLE = 4;

/**
 * Mean of the squared weights around samples `from` … `to` − 1 of `length`, into `squares`. Of w events
 * one was seen, so only w − 1 are in doubt: w·(w − 1) with `seen` 1. At a period of 1 nothing is.
 */
function smoothSquares(
  weights: Float64Array,
  length: number,
  from: number,
  to: number,
  seen: 0 | 1,
  squares: Float64Array,
): void {
  for (let k = from; k < to; k++) {
    const own = weights[k];
    const least = own / COMPARABLE;
    const most = own * COMPARABLE;
    const first = Math.max(0, k - SIDE);
    const last = Math.min(length - 1, k + SIDE);
    let sum = 0;
    let count = 0;
    for (let j = first; j <= last; j++) {
      const weight = weights[j];
      if (weight < least || weight > most) continue;
      sum += weight * Math.max(0, weight - seen);
      count++;
    }
    squares[k] = sum / count;
  }
}

/** Columns with room for `capacity` steps. */
class StepList {
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #amount: Float64Array;
  #length = 0;

  constructor(capacity: number) {
    this.#from = new Int32Array(capacity);
    this.#to = new Int32Array(capacity);
    this.#amount = new Float64Array(capacity);
  }

  add(from: number, to: number, amount: number): void {
    this.#from[this.#length] = from;
    this.#to[this.#length] = to;
    this.#amount[this.#length++] = amount;
  }

  finish(): StepColumns {
    return { length: this.#length, from: this.#from, to: this.#to, amount: this.#amount };
  }
}
