// Hot: once per sample.

import { SLICE_ITEMS, type Slices } from '../base/slices.ts';
import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/**
 * The elapsed count of every sample: the events of its stream since the stream's previous sample,
 * which is what the sample stands for. Parallel to the sample table. Taken from the best source
 * that each sample has:
 *
 *  1. The difference of the counter's values. The first sample of a stream gets the value itself: a
 *     counter starts at 0. Under loss the difference spans the samples that did not arrive.
 *  2. Fixed periods: the sample's, which is the one asked for unless the sample recorded another one. A
 *     clock's period is the timer's.
 *  3. Rule 'next': the period that the stream's previous sample reported. The first sample gets its
 *     own: a fresh event starts with `last_period` 1 and reports it; an inherited one starts with
 *     the period that its parent has reached, and reports it too. After a lost sample the interval's
 *     true period was in the sample that is missing.
 *  4. Rule 'elapsed', and for want of better 'unknown': its own period.
 */
export function* computeElapsedEvents(
  input: PeriodInput,
  groups: StreamGroups,
  rules: readonly ReportedPeriod[],
): Slices<Float64Array> {
  const { length, periodEvents, count } = input.samples;
  const elapsed = new Float64Array(length);
  let left = SLICE_ITEMS;
  for (let g = 0; g < groups.length; g++) {
    const event = input.events[groups.event[g]];
    const isFixed = event.mode !== 'frequency';
    const isClock = event.mode === 'clock';
    const isNext = rules[groups.event[g]].rule === 'next';
    const start = groups.offsets[g];
    const end = groups.offsets[g + 1];
    let previousCount = 0;
    let previousPeriod = Number.NaN;
    for (let k = start; k < end; k++) {
      const row = groups.rows[k];
      const value = count === null ? Number.NaN : count[row];
      const period = periodEvents[row];
      const counted = value - previousCount;
      // NaN (not read) and a counter that went backwards both fail this comparison. A clock's
      // counter holds nanoseconds of another clock than its timer, so its period is kept.
      if (counted >= 0 && !isClock) elapsed[row] = counted;
      else if (isFixed) elapsed[row] = period;
      else elapsed[row] = isNext && k > start ? previousPeriod : period;
      // An unread sample leaves the next difference without a base.
      previousCount = value;
      previousPeriod = period;
      if (--left > 0) continue;
      left = SLICE_ITEMS;
      yield;
    }
  }
  return elapsed;
}
