import { NONE } from '../../../base/brand.ts';
import type { IntColumn } from '../../../base/int-column.ts';
import { finish, SLICE_ITEMS, type Slices } from '../../../base/slices.ts';
import type { LostBounds } from '../../types.ts';
import { computeDepths, sumSubtrees } from '../trees/call-tree.ts';

/** Pairs of samples, rows of the sample table, and an amount for each. Parallel columns. */
export type StepColumns = {
  readonly length: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Squared weight; of near steps half of it. */
  readonly amount: Float64Array;
};

/**
 * Samples that follow each other in one event instance, as pairs: what the uncertainty of a share
 * is computed from (`period/uncertainty/uncertainty.ts`). A category, a function say, collects the amounts of
 * those steps that enter or leave it: one of the two samples is in it, the other is not.
 *
 *     samples    f f g f      near: 0─1  1─2  2─3      g collects 1─2 and 2─3 of them,
 *                0 1 2 3      far:  0─2  1─3           and 0─2 and 1─3
 */
export type SampleSteps = {
  /** Steps from one sample to the next, in parts. */
  readonly near: readonly StepColumns[];
  /** Steps from one sample to the next but one, in parts. */
  readonly far: readonly StepColumns[];
  /** The first sample of each stream, and the last one if it has a tail, by itself: events, not squared. */
  readonly ends: StepColumns;
  /** The last sample of each stream, to itself: for what came after it. */
  readonly last: StepColumns;
  /** Steps over intervals much longer than those around them, squared, once more: any border there is alone. */
  readonly lone: StepColumns;
  /**
   * Each sample, to itself: the weight, not squared, that it has more in the other reading of its
   * periods, less where it has less. Empty where it is known how they are to be read.
   */
  readonly shift: StepColumns;
};

/** Sums that categories collect: one entry each, squared weights but for `entered`. */
export type StepSums = {
  readonly near: Float64Array;
  readonly far: Float64Array;
  /** Weight, not squared, of the near steps that enter the category less those that leave it. */
  readonly entered: Float64Array;
  /** Events, not squared, of heads and tails whose samples are in the category. */
  readonly ends: Float64Array;
  /** Sum of the last samples that are in the category. */
  readonly last: Float64Array;
  /** Sums of the lone steps that enter or leave the category. */
  readonly lone: Float64Array;
  /** Weight, not squared, that the category has more in the other reading of the periods. */
  readonly shift: Float64Array;
};

/** Lower and upper end of a share's 95 % interval, both 0…1. */
export type ShareInterval = { readonly low: number; readonly high: number };

/** Turns what a category collected into an interval; made by `period/uncertainty/uncertainty.ts`. */
export type ShareEstimator = {
  readonly steps: SampleSteps;
  /** Shares are measured, not estimated: every interval is the share itself. */
  readonly isExact: boolean;
  /** How far what was lost may be from its estimate. */
  readonly lostBounds: LostBounds;
  /** (Σw)²/Σw² of the samples; null where nothing has weight. */
  readonly effectiveSamples: number | null;
  /** `share` is of the weight of all samples, without what was lost between them. */
  intervalOf(share: number, sums: StepSums, category: number): ShareInterval;
  /** The interval of a category without a sample. */
  intervalOfNothing(): ShareInterval;
  /** Standard error of share a − share b, both of the weight of all samples. */
  errorOfDifference(shareA: number, shareB: number, sums: DifferenceSums): number;
};

/** Sums that x = 1 in a, −1 in b, 0 elsewhere collects: as `StepSums`, with (x − x′)² for a factor. */
export type DifferenceSums = {
  readonly near: number;
  readonly far: number;
  readonly entered: number;
  readonly lone: number;
  /** Sums of the last samples in a, and of those in b. */
  readonly lastA: number;
  readonly lastB: number;
  /** Weight that a has more in the other reading of the periods, less what b has more. */
  readonly shift: number;
};

/**
 * `keyOfSample` with −1 for all samples but those of a selection. An estimator's steps are between
 * neighbours in a stream, selected or not; what is not selected is in no category and must not add to
 * one's uncertainty.
 */
export function keysOfSelected(keyOfSample: IntColumn, samples: Int32Array): Int32Array {
  const keys = new Int32Array(keyOfSample.length).fill(NONE);
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    keys[sample] = keyOfSample[sample];
  }
  return keys;
}

/** Collects the steps of each key, where a sample is in one category (−1: in none): its thread, say. */
export function* sumStepsByKey(
  steps: SampleSteps,
  keyOfSample: Int32Array,
  keyCount: number,
): Slices<StepSums> {
  const sums = emptyStepSums(keyCount);
  yield* sumKinds(steps, sums, (columns, first, end, into, entered) =>
    addByKey(columns, first, end, keyOfSample, into, entered),
  );
  addOwn(steps.ends, keyOfSample, sums.ends);
  addOwn(steps.last, keyOfSample, sums.last);
  addOwn(steps.shift, keyOfSample, sums.shift);
  return sums;
}

/** Calls `add` for the near, far and lone steps, some at a time: `first` … `end` − 1. */
export function* sumKinds(
  steps: SampleSteps,
  sums: StepSums,
  add: (
    columns: StepColumns,
    first: number,
    end: number,
    into: Float64Array,
    entered: Float64Array | null,
  ) => void,
): Slices<void> {
  let left = SLICE_ITEMS;
  for (const kind of ['near', 'far', 'lone'] as const) {
    const entered = kind === 'near' ? sums.entered : null;
    for (const columns of kind === 'lone' ? [steps.lone] : steps[kind]) {
      let first = 0;
      while (first < columns.length) {
        const end = Math.min(columns.length, first + left);
        add(columns, first, end, sums[kind], entered);
        left -= end - first;
        first = end;
        if (left > 0) continue;
        left = SLICE_ITEMS;
        yield;
      }
    }
  }
}

/**
 * Collects the steps of the differences between key k and key k + 1, one for each k below `keyCount` − 1.
 * (x − x′)² is 1 for a step that enters or leaves either key, and 4 from the one to the other: 1
 * for each of the two, and 2 more.
 */
export function sumStepsOfNeighbours(
  steps: SampleSteps,
  keyOfSample: Int32Array,
  keyCount: number,
): DifferenceSums[] {
  const { near, far, entered, last, lone, shift } = finish(
    sumStepsByKey(steps, keyOfSample, keyCount),
  );
  const between = {
    near: sumBetween(steps.near, keyOfSample, keyCount),
    far: sumBetween(steps.far, keyOfSample, keyCount),
    lone: sumBetween([steps.lone], keyOfSample, keyCount),
  };
  const differences: DifferenceSums[] = [];
  for (let a = 0, b = 1; b < keyCount; a++, b++) {
    differences.push({
      near: near[a] + near[b] + 2 * between.near[a],
      far: far[a] + far[b] + 2 * between.far[a],
      lone: lone[a] + lone[b] + 2 * between.lone[a],
      entered: entered[a] - entered[b],
      lastA: last[a],
      lastB: last[b],
      shift: shift[a] - shift[b],
    });
  }
  return differences;
}

/** Per key the steps between it and the next one, either way. */
function sumBetween(
  parts: readonly StepColumns[],
  keyOfSample: Int32Array,
  keyCount: number,
): Float64Array {
  const sums = new Float64Array(keyCount);
  for (const part of parts) addBetween(part, keyOfSample, sums);
  return sums;
}

// Hot: once per step.
function addBetween(
  { length, from, to, amount }: StepColumns,
  keyOfSample: Int32Array,
  sums: Float64Array,
): void {
  for (let i = 0; i < length; i++) {
    const a = keyOfSample[from[i]];
    const b = keyOfSample[to[i]];
    if (a === NONE || b === NONE) continue;
    if (b === a + 1) sums[a] = sums[a] + amount[i];
    else if (a === b + 1) sums[b] = sums[b] + amount[i];
  }
}

// Hot: once per step.
function addByKey(
  { from, to, amount }: StepColumns,
  first: number,
  end: number,
  keyOfSample: Int32Array,
  sums: Float64Array,
  entered: Float64Array | null,
): void {
  for (let i = first; i < end; i++) {
    const a = keyOfSample[from[i]];
    const b = keyOfSample[to[i]];
    if (a === b) continue;
    const value = amount[i];
    if (a !== NONE) sums[a] = sums[a] + value;
    if (b !== NONE) sums[b] = sums[b] + value;
    if (entered === null) continue;
    const weight = Math.sqrt(2 * value);
    if (a !== NONE) entered[a] = entered[a] - weight;
    if (b !== NONE) entered[b] = entered[b] + weight;
  }
}

/** Adds each sample's amount to its own key. */
function addOwn(ends: StepColumns, keyOfSample: Int32Array, sums: Float64Array): void {
  for (let i = 0; i < ends.length; i++) {
    const key = keyOfSample[ends.to[i]];
    if (key !== NONE) sums[key] = sums[key] + ends.amount[i];
  }
}

/**
 * Collects the steps of each row of a tree, where a sample is in its own row (−1: in none) and in all rows
 * above: in a row's total. A step leaves the rows from its one end up to where the paths meet, and
 * enters those down to the other, so it is put down at three rows only:
 *
 *     main          −2 here, where they meet       a row's sum is that of all rows below it,
 *     ├ work        +1 here                        so above the meeting row the three cancel
 *     └ wait        +1 here
 */
export function* sumStepsByTreeRow(
  steps: SampleSteps,
  rowOfSample: Int32Array,
  prefix: Int32Array,
): Slices<StepSums> {
  const sums = emptyStepSums(prefix.length);
  const depth = computeDepths(prefix);
  yield;
  yield* sumKinds(steps, sums, (columns, first, end, into, entered) =>
    addByTreeRow(columns, first, end, rowOfSample, prefix, depth, into, entered),
  );
  addOwn(steps.ends, rowOfSample, sums.ends);
  addOwn(steps.last, rowOfSample, sums.last);
  addOwn(steps.shift, rowOfSample, sums.shift);
  return {
    near: sumSubtrees(prefix, sums.near),
    far: sumSubtrees(prefix, sums.far),
    entered: sumSubtrees(prefix, sums.entered),
    ends: sumSubtrees(prefix, sums.ends),
    last: sumSubtrees(prefix, sums.last),
    lone: sumSubtrees(prefix, sums.lone),
    shift: sumSubtrees(prefix, sums.shift),
  };
}

// Hot: once per step.
function addByTreeRow(
  { from, to, amount }: StepColumns,
  first: number,
  end: number,
  rowOfSample: Int32Array,
  prefix: Int32Array,
  depth: Int32Array,
  sums: Float64Array,
  entered: Float64Array | null,
): void {
  for (let i = first; i < end; i++) {
    const a = rowOfSample[from[i]];
    const b = rowOfSample[to[i]];
    if (a === b) continue;
    const value = amount[i];
    const meeting = findMeetingRow(a, b, prefix, depth);
    if (a !== NONE) sums[a] = sums[a] + value;
    if (b !== NONE) sums[b] = sums[b] + value;
    if (meeting !== NONE) sums[meeting] = sums[meeting] - 2 * value;
    if (entered === null) continue;
    // Weight that leaves on the one side enters on the other, so above the meeting row it cancels.
    const weight = Math.sqrt(2 * value);
    if (a !== NONE) entered[a] = entered[a] - weight;
    if (b !== NONE) entered[b] = entered[b] + weight;
  }
}

/** Rows by parent, with what each belongs to. A `CallNodeTable` or a `CallTree` is one. */
export type GroupedTree = {
  readonly prefix: Int32Array;
  readonly group: Int32Array;
};

/**
 * Collects the steps of each group (function, DSO), where a sample is in the groups of all rows on its
 * path, however often they recur: in a function's total.
 */
export function sumStepsByGroup(
  steps: SampleSteps,
  rowOfSample: Int32Array,
  tree: GroupedTree,
  groupCount: number,
): StepSums {
  const sums = emptyStepSums(groupCount);
  const adder = new GroupAdder(rowOfSample, tree, groupCount);
  for (const part of steps.near) adder.add(part, sums.near, sums.entered);
  for (const part of steps.far) adder.add(part, sums.far, null);
  adder.add(steps.lone, sums.lone, null);
  adder.addOwn(steps.ends, sums.ends);
  adder.addOwn(steps.last, sums.last);
  adder.addOwn(steps.shift, sums.shift);
  return sums;
}

class GroupAdder {
  readonly #rowOfSample: Int32Array;
  readonly #prefix: Int32Array;
  readonly #group: Int32Array;
  readonly #depth: Int32Array;
  /** 1 where no row above is of the same group: where a path comes into its group. */
  readonly #isOutermost: Uint8Array;
  /** The last step, counted over all kinds, that met the group on its one path; on both. */
  readonly #metBy: Int32Array;
  readonly #sharedBy: Int32Array;
  #step = 0;

  constructor(rowOfSample: Int32Array, { prefix, group }: GroupedTree, groupCount: number) {
    this.#rowOfSample = rowOfSample;
    this.#prefix = prefix;
    this.#group = group;
    this.#depth = computeDepths(prefix);
    this.#isOutermost = findOutermost(prefix, group, groupCount);
    this.#metBy = new Int32Array(groupCount).fill(NONE);
    this.#sharedBy = new Int32Array(groupCount).fill(NONE);
  }

  // Hot: once per row on which the paths of a step differ.
  add(steps: StepColumns, sums: Float64Array, entered: Float64Array | null): void {
    const { length, from, to, amount } = steps;
    const rowOfSample = this.#rowOfSample;
    const prefix = this.#prefix;
    const group = this.#group;
    const depth = this.#depth;
    const isOutermost = this.#isOutermost;
    const metBy = this.#metBy;
    const sharedBy = this.#sharedBy;
    for (let i = 0; i < length; i++) {
      const a = rowOfSample[from[i]];
      const b = rowOfSample[to[i]];
      if (a === b) continue;
      const step = this.#step++;
      const value = amount[i];
      const weight = entered === null ? 0 : Math.sqrt(2 * value);
      const meeting = findMeetingRow(a, b, prefix, depth);
      for (let row = a; row !== meeting; row = prefix[row]) {
        if (isOutermost[row] === 1) metBy[group[row]] = step;
      }
      for (let row = b; row !== meeting; row = prefix[row]) {
        if (isOutermost[row] === 0) continue;
        const key = group[row];
        if (metBy[key] === step) {
          sharedBy[key] = step;
          continue;
        }
        sums[key] = sums[key] + value;
        if (entered !== null) entered[key] = entered[key] + weight;
      }
      for (let row = a; row !== meeting; row = prefix[row]) {
        const key = group[row];
        if (isOutermost[row] === 0 || sharedBy[key] === step) continue;
        sums[key] = sums[key] + value;
        if (entered !== null) entered[key] = entered[key] - weight;
      }
    }
  }

  addOwn(ends: StepColumns, sums: Float64Array): void {
    for (let i = 0; i < ends.length; i++) {
      let row = this.#rowOfSample[ends.to[i]];
      for (; row !== NONE; row = this.#prefix[row]) {
        if (this.#isOutermost[row] === 0) continue;
        const key = this.#group[row];
        sums[key] = sums[key] + ends.amount[i];
      }
    }
  }
}

export function emptyStepSums(count: number): StepSums {
  return {
    near: new Float64Array(count),
    far: new Float64Array(count),
    entered: new Float64Array(count),
    ends: new Float64Array(count),
    last: new Float64Array(count),
    lone: new Float64Array(count),
    shift: new Float64Array(count),
  };
}

/** The innermost row that is on both paths, −1 if there is none. */
function findMeetingRow(a: number, b: number, prefix: Int32Array, depth: Int32Array): number {
  if (a === NONE || b === NONE) return NONE;
  let upper = a;
  let lower = b;
  while (upper !== lower) {
    if (depth[upper] > depth[lower]) {
      upper = prefix[upper];
    } else if (depth[lower] > depth[upper]) {
      lower = prefix[lower];
    } else {
      upper = prefix[upper];
      lower = prefix[lower];
      if (upper === NONE) return NONE;
    }
  }
  return upper;
}

/** 1 where no row above is of the same group. */
function findOutermost(prefix: Int32Array, group: Int32Array, groupCount: number): Uint8Array {
  const isOutermost = new Uint8Array(prefix.length).fill(1);
  const rowsOfGroup = new Int32Array(groupCount);
  for (let row = 0; row < prefix.length; row++) {
    const key = group[row];
    rowsOfGroup[key] = rowsOfGroup[key] + 1;
  }
  for (let row = 0; row < prefix.length; row++) {
    // Alone of its group, it need not look; most rows of a deep tree are not so lucky.
    if (rowsOfGroup[group[row]] === 1) continue;
    for (let above = prefix[row]; above !== NONE; above = prefix[above]) {
      if (group[above] !== group[row]) continue;
      isOutermost[row] = 0;
      break;
    }
  }
  return isOutermost;
}
