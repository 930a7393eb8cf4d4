// Hot: once per sample.

import { PairInterner } from '../../base/pair-interner.ts';
import type { Profile, Weights } from '../../profile/types.ts';

/** Samples that differ in nothing but their time, as one row with sums. */
export type PprofRows = {
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

/**
 * Adds up `samples` by stack, thread, comm, CPU and event. Rows come in the order of their first
 * sample. What was lost before a sample is a row with that sample's thread and `[lost]` as stack.
 */
export function sumPprofRows(profile: Profile, weights: Weights, samples: Int32Array): PprofRows {
  const { stack, thread, comm, cpu, event } = profile.samples;
  const { values, lostBefore } = weights;
  // A row is ((stack, (thread, comm)), (cpu, event)): pairs of pairs, each interned.
  const tasks = new PairInterner();
  const places = new PairInterner();
  const sources = new PairInterner();
  const rows = new PairInterner();
  let count = new Float64Array(1024);
  let weight = new Float64Array(1024);
  const add = (ofStack: number, sample: number, addedCount: number, addedWeight: number) => {
    const task = tasks.intern(thread[sample], comm[sample]);
    const source = sources.intern(cpu[sample], event[sample]);
    const row = rows.intern(places.intern(ofStack, task), source);
    if (row === count.length) {
      count = doubled(count);
      weight = doubled(weight);
    }
    count[row] = count[row] + addedCount;
    weight[row] = weight[row] + addedWeight;
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
    count: count.slice(0, length),
    weight: weight.slice(0, length),
  };
}

function doubled(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/**
 * Rounds weights to whole numbers so that their sum is the rounded sum: each gets what the running
 * total grows by. The format holds integers only.
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
