// Hot: once per sample.

import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import type { TimeGrid } from '../messages/time-messages.ts';

/** Columns of the sample table, by row. */
export type Stretches = {
  readonly timeNs: Float64Array;
  readonly thread: ArrayLike<number>;
  /** Weight; nanoseconds unless `reach` is a moment. */
  readonly values: ArrayLike<number>;
  /**
   * The time that a sample stands for. A clock's sample is the time on the CPU until it was taken,
   * a wait the time from its beginning on; of other events only the moment is known.
   */
  readonly reach: 'before' | 'after' | 'moment';
};

/** The first moment that a sample stands for; nothing is before the recording's start. */
function beginOf(stretches: Stretches, at: number, weight: number): number {
  return stretches.reach === 'before' ? Math.max(Math.min(0, at), at - weight) : at;
}

function untilOf(stretches: Stretches, at: number, weight: number): number {
  return stretches.reach === 'after' ? at + weight : at;
}

/** The line of cells that a sample is added to: that of its thread, and as many below it. */
export type Lines = {
  /** Line by ThreadIndex; −1: none. */
  readonly ofThread: Int32Array;
  /** Stack by sample, and lines below that of the thread by stack; null: none. */
  readonly below: { readonly stack: ArrayLike<number>; readonly ofStack: Uint8Array } | null;
  /** Lines below for samples without a stack. */
  readonly withoutStack: number;
};

/** Adds the weight of `rows` to cells: those of line l begin at l · grid.length. What lies outside of the grid is left out. */
export function* addToLines(
  cells: Float32Array,
  { firstNs, cellNs, length }: TimeGrid,
  rows: Int32Array,
  stretches: Stretches,
  { ofThread, below, withoutStack }: Lines,
): Slices<void> {
  const { timeNs, thread, values } = stretches;
  const stacks = below?.stack ?? null;
  const ofStack = below?.ofStack ?? NO_LINES;
  yield* eachSlice(rows.length, (first, end) => {
    for (let k = first; k < end; k++) {
      const row = rows[k];
      const top = ofThread[thread[row]];
      if (top === NONE) continue;
      const stack = stacks === null ? NONE : stacks[row];
      const line = top + (stack === NONE ? withoutStack : ofStack[stack]);
      const at = timeNs[row];
      const value = values[row];
      const begin = (beginOf(stretches, at, value) - firstNs) / cellNs;
      const until = (untilOf(stretches, at, value) - firstNs) / cellNs;
      const firstCell = Math.floor(begin);
      const lastCell = Math.floor(until);
      if (lastCell < 0 || firstCell >= length) continue;
      const base = line * length;
      if (firstCell === lastCell) {
        cells[base + firstCell] += value;
        continue;
      }
      const perCell = value / (until - begin);
      const lastInside = Math.min(lastCell, length - 1);
      for (let cell = Math.max(0, firstCell); cell <= lastInside; cell++) {
        const share = Math.min(until, cell + 1) - Math.max(begin, cell);
        cells[base + cell] += perCell * share;
      }
    }
  });
}

const NO_LINES = new Uint8Array(0);

/** The totals of every thread within the grid. By ThreadIndex. */
export type ThreadTotals = {
  readonly weight: Float64Array;
  /** Samples at any time. */
  readonly samples: Float64Array;
  /** NaN without any within the grid. */
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
};

export function* sumByThread(
  { firstNs, cellNs, length }: TimeGrid,
  rows: Int32Array,
  stretches: Stretches,
  threadCount: number,
): Slices<ThreadTotals> {
  const { timeNs, thread, values } = stretches;
  const endNs = firstNs + length * cellNs;
  const totals = new Float64Array(threadCount);
  const samples = new Float64Array(threadCount);
  const fromNs = new Float64Array(threadCount).fill(Number.NaN);
  const toNs = new Float64Array(threadCount).fill(Number.NaN);
  yield* eachSlice(rows.length, (first, end) => {
    for (let k = first; k < end; k++) {
      const row = rows[k];
      const of = thread[row];
      samples[of]++;
      const at = timeNs[row];
      const value = values[row];
      const begin = beginOf(stretches, at, value);
      const until = untilOf(stretches, at, value);
      if (until < firstNs || begin >= endNs) continue;
      const inside = Math.min(until, endNs) - Math.max(begin, firstNs);
      totals[of] += until > begin ? (value * inside) / (until - begin) : value;
      if (!(fromNs[of] <= begin)) fromNs[of] = Math.max(begin, firstNs);
      if (!(toNs[of] >= until)) toNs[of] = Math.min(until, endNs);
    }
  });
  return { weight: totals, samples, fromNs, toNs };
}
