// Hot: once per sample.

/**
 * Loss gaps: intervals between two samples of one stream in which samples are missing. Their events
 * belong to code that no sample shows, so no sample's weight may hold them:
 *
 *     sample        i−1       lost   lost        i
 *     events      ───●─────────○──────○──────────●───
 *                       P(i−1)            own(i)        own(i): what sample i stands for
 *                    ├───── lost ─────┤
 *
 * With counts the whole interval is known exactly, and a gap is one that is longer than the period
 * allows, on a CPU whose ring said LOST in its course. The period of the last part was in a lost
 * sample, so `own` is estimated by the period nearest to it that is known: the interval less the
 * part that is certainly lost, at most the period that sample i reports. A fixed period leaves no
 * doubt; else `own` is at least 1 event, and at most the longer of the two periods that are known.
 */

import { countBefore } from '../base/bisect.ts';
import { addToList } from '../base/group-by.ts';
import { SLICE_ITEMS, type Slices } from '../base/slices.ts';
import type { LostBounds } from '../profile/types.ts';
import { isCountedInSoftware } from './controller.ts';
import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/** Hardware counts on while it interrupts: an interval may be this much longer than its period. */
const HARDWARE_SLACK = 1.1;
/** The period of a stream's first interval may have been changed by a tick before its end. */
const FIRST_SLACK = 1.5;
/** A LOST record's time is taken a moment after that of the record that it precedes. */
export const LOST_LATENESS_NS = 100_000;
const ANY_CPU = -1;

export type LocatedLoss = {
  /**
   * Events inside the loss gap that ended at each sample, parallel to the sample table; 0 where there
   * is none, or where without counts nothing can be said.
   */
  readonly lostBefore: Float64Array;
  /** Per event: how far the gaps together may be off, null where there are none. */
  readonly lostBounds: readonly (LostBounds | null)[];
};

export function* findLossGaps(
  input: PeriodInput,
  groups: StreamGroups,
  rules: readonly ReportedPeriod[],
): Slices<LocatedLoss> {
  const { length, periodEvents, count, timeNs, cpu } = input.samples;
  const lost = new Float64Array(length);
  const ranges = input.events.map(() => ({ events: 0, least: 0, most: 0 }));
  let left = SLICE_ITEMS;
  const lossTimes = sortLossTimes(input);
  // Without counts nothing can be said.
  if (lossTimes.size === 0 || count === null)
    return { lostBefore: lost, lostBounds: ranges.map(boundsOf) };
  for (let g = 0; g < groups.length; g++) {
    const eventIndex = groups.event[g];
    const event = input.events[eventIndex];
    const range = ranges[eventIndex];
    // A clock's counter holds nanoseconds of another clock than its timer.
    if (event.mode === 'clock' || !hasLost(input, eventIndex)) continue;
    const fixedPeriod = event.mode === 'period' ? event.fixedPeriod : null;
    const isNext = rules[eventIndex].rule === 'next';
    const slack = isCountedInSoftware(event.type) ? 1 : HARDWARE_SLACK;
    const start = groups.offsets[g];
    const end = groups.offsets[g + 1];
    let previousCount = 0;
    let previousPeriod = Number.NaN;
    let previousNs = Number.NEGATIVE_INFINITY;
    for (let k = start; k < end; k++) {
      const row = groups.rows[k];
      const period = fixedPeriod ?? periodEvents[row];
      const value = count[row];
      const endNs = timeNs[row];
      const counted = value - previousCount;
      const isFirst = k === start;
      const expected = isNext && !isFirst ? previousPeriod : period;
      // NaN, where a sample was not read, fails this comparison too.
      if (
        counted > expected * (isFirst ? Math.max(slack, FIRST_SLACK) : slack) &&
        reportedLost(lossTimes, cpu[row], previousNs, endNs)
      ) {
        const certain = isNext && fixedPeriod === null ? expected : 0;
        const gap = counted - Math.min(period, counted - certain);
        lost[row] = gap;
        range.events += gap;
        range.least +=
          fixedPeriod === null ? Math.max(certain, counted - Math.max(period, expected)) : gap;
        range.most += fixedPeriod === null ? counted - 1 : gap;
      }
      previousCount = value;
      previousPeriod = period;
      previousNs = endNs;
      if (--left > 0) continue;
      left = SLICE_ITEMS;
      yield;
    }
  }
  return { lostBefore: lost, lostBounds: ranges.map(boundsOf) };
}

function boundsOf(range: { events: number; least: number; most: number }): LostBounds | null {
  const { events, least, most } = range;
  return events > 0
    ? { least: Math.min(1, least / events), most: Math.max(1, most / events) }
    : null;
}

/** Whether the event may have lost samples: by its own count, else by any LOST record. */
function hasLost(input: PeriodInput, event: number): boolean {
  let byCounters = 0;
  let own = 0;
  for (const loss of input.losses ?? []) {
    byCounters += loss.lostSamples;
    if (loss.event === event) own += loss.lostSamples;
  }
  return byCounters > 0 ? own > 0 : true;
}

/** Times of the LOST records by the CPU whose ring they are in, ascending. */
function sortLossTimes({ lossGaps }: PeriodInput): Map<number, number[]> {
  const times = new Map<number, number[]>();
  for (const { cpu, timeNs } of lossGaps ?? []) addToList(times, cpu, timeNs);
  for (const list of times.values()) list.sort((a, b) => a - b);
  return times;
}

/** Whether a LOST record of that CPU lies in (startNs, endNs]. */
function reportedLost(
  times: ReadonlyMap<number, number[]>,
  cpu: number,
  startNs: number,
  endNs: number,
): boolean {
  const list = times.get(cpu) ?? times.get(ANY_CPU);
  if (list === undefined) return false;
  const next = countBefore(list.length, (at) => list[at] <= startNs);
  return next < list.length && list[next] <= endNs + LOST_LATENESS_NS;
}
