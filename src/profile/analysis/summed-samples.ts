// Hot: once per sample.

import { NONE } from '../../base/brand.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import type { IntColumn } from '../../base/int-column.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import type { Profile, Weights } from '../types.ts';

/** Samples that differ in nothing but their time, as one row with sums. */
export type SummedSamples = {
  readonly length: number;
  /** StackIndex, −1 for samples without any frame. */
  readonly stack: Int32Array;
  readonly thread: Int32Array;
  /** Index into `Profile.strings`. */
  readonly comm: Int32Array;
  readonly cpu: Int32Array;
  readonly event: Int32Array;
  /** Samples in the row; 0 where it stands for what no sample shows. */
  readonly count: Float64Array;
  /** Σ weights. */
  readonly weight: Float64Array;
};

/** Columns besides the stack that tell rows apart; rows have −1 for one that is left out. */
type KeyColumns = {
  readonly thread?: IntColumn;
  readonly comm?: IntColumn;
  readonly cpu?: IntColumn;
  readonly event?: IntColumn;
};

/**
 * Adds up `samples` by their stacks and the columns `by`. Rows come in the order of their first
 * sample. What was lost before a sample is a row with that sample's columns and `[lost]` as stack.
 */
export function sumSameSamples(
  profile: Profile,
  weights: Weights,
  samples: Int32Array,
  { thread, comm, cpu, event }: KeyColumns,
): SummedSamples {
  const { stack } = profile.samples;
  const { values, lostBefore } = weights;
  // A row is ((stack, (thread, comm)), (cpu, event)): pairs of pairs, each interned.
  const tasks = new PairInterner();
  const places = new PairInterner();
  const sources = new PairInterner();
  const rows = new PairInterner();
  const count = new GrowableFloat64();
  const weight = new GrowableFloat64();
  const add = (ofStack: number, sample: number, addedCount: number, addedWeight: number) => {
    const task = tasks.intern(thread?.[sample] ?? NONE, comm?.[sample] ?? NONE);
    const source = sources.intern(cpu?.[sample] ?? NONE, event?.[sample] ?? NONE);
    const row = rows.intern(places.intern(ofStack, task), source);
    if (row === count.length) {
      count.push(0);
      weight.push(0);
    }
    count.array[row] += addedCount;
    weight.array[row] += addedWeight;
  };
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const lost = lostBefore === undefined ? 0 : lostBefore[sample];
    if (lost > 0) add(profile.lostStack, sample, 0, lost);
    add(stack[sample], sample, 1, values[sample]);
  }

  const { length } = rows;
  const column = (valueAt: (row: number) => number) => {
    const made = new Int32Array(length);
    for (let row = 0; row < length; row++) made[row] = valueAt(row);
    return made;
  };
  const placeOf = (row: number) => rows.first.array[row];
  const taskOf = (row: number) => places.second.array[placeOf(row)];
  const sourceOf = (row: number) => rows.second.array[row];
  return {
    length,
    stack: column((row) => places.first.array[placeOf(row)]),
    thread: column((row) => tasks.first.array[taskOf(row)]),
    comm: column((row) => tasks.second.array[taskOf(row)]),
    cpu: column((row) => sources.first.array[sourceOf(row)]),
    event: column((row) => sources.second.array[sourceOf(row)]),
    count: count.finish(),
    weight: weight.finish(),
  };
}

/**
 * Rounds weights to whole numbers so that their sum is the rounded sum: each gets what the running
 * total grows by. Formats of protobuf hold integers only.
 */
export class RunningRound {
  #exact = 0;
  #rounded = 0;

  next(weight: number): number {
    this.#exact += weight;
    const before = this.#rounded;
    this.#rounded = Math.round(this.#exact);
    return this.#rounded - before;
  }
}
