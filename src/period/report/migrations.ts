// Hot: once per sample.

import { eachSlice, SLICE_ITEMS, type Slices } from '../../base/slices.ts';
import { SlotNumbers } from '../../base/slot-numbers.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput } from '../types.ts';

/**
 * Finds where threads went from one event instance to another. Inherited events have an instance per task
 * and CPU, each with its own controller, so a thread that migrates is met by a period that knows
 * nothing of it, and a ramp follows:
 *
 *     thread 7   CPU 0  ●──●──●──●              ●──●──●      back: the period of old times
 *                CPU 1              ●●●─●──●──●              a period of 1: a ramp
 */
export type Migrations = {
  /**
   * Per sample: the row of its thread's previous sample of the same event, where another instance
   * took that one; −1 where it was the same instance, or there is none.
   */
  readonly cameFrom: Int32Array;
};

/** Follows every thread from instance to instance, in time order. */
export function* followThreads(input: PeriodInput, groups: StreamGroups): Slices<Migrations> {
  const { length, event, thread } = input.samples;
  const groupOfSample = new Int32Array(length);
  let left = SLICE_ITEMS;
  for (let g = 0; g < groups.length; g++) {
    const end = groups.offsets[g + 1];
    for (let k = groups.offsets[g]; k < end; k++) {
      groupOfSample[groups.rows[k]] = g;
      if (--left > 0) continue;
      left = SLICE_ITEMS;
      yield;
    }
  }
  const threadCount = input.threads.length;
  // (event, thread) -> row of the last sample + 1; 0 is "none yet".
  const lastPlusOne = new SlotNumbers(input.events.length * threadCount);
  const cameFrom = new Int32Array(length).fill(-1);
  yield* eachSlice(length, (first, end) => {
    for (let i = first; i < end; i++) {
      const t = thread[i];
      if (t < 0) continue;
      const slot = event[i] * threadCount + t;
      const previous = lastPlusOne.get(slot) - 1;
      lastPlusOne.set(slot, i + 1);
      if (previous >= 0 && groupOfSample[previous] !== groupOfSample[i]) cameFrom[i] = previous;
    }
  });
  return { cameFrom };
}
