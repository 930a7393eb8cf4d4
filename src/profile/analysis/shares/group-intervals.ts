// Hot: once per sample.

import { NONE } from '../../../base/brand.ts';
import type { Profile } from '../../types.ts';

/** Samples by the event instance that took them, as `period/streams.ts` groups them. */
export type SamplesByStream = {
  readonly length: number;
  readonly event: Int32Array;
  /** Exactly `length + 1` entries. */
  readonly offsets: Int32Array;
  readonly rows: Int32Array;
};

/** Facts of all samples, known before anything is asked of them (`period/alignment.ts`). */
export type AlignedSamples = {
  readonly groups: SamplesByStream;
  /** Per sample: events since the stream's previous sample. */
  readonly elapsedEvents: Float64Array;
  /** Per sample: the part of these that lost samples stood for. */
  readonly lostBefore: Float64Array;
};

/**
 * Counts of two counters of a group between two samples of its leader, whose samples read both. Columns,
 * one row an interval, stream after stream:
 *
 *     leader's samples   ·───●────────●───────●        rows 4, 7, 9 of the sample table
 *     begin, end             4,7      7,9              the interval before the first has no row
 *     part                   1 200    900              instructions, say
 *     whole                  1 000    1 000            cycles
 *
 * Intervals in which samples were lost, or that were not counted, have no row either.
 */
export type GroupIntervals = {
  readonly length: number;
  /** Rows of the sample table. */
  readonly begin: Int32Array;
  readonly end: Int32Array;
  readonly part: Float64Array;
  readonly whole: Float64Array;
};

/** The intervals of `leader`; `part` and `whole` are it or members of its group. */
export function groupIntervals(
  profile: Profile,
  { groups, elapsedEvents, lostBefore }: AlignedSamples,
  leader: number,
  part: number,
  whole: number,
): GroupIntervals {
  const { events, samples } = profile;
  // A clock's period is the timer's; the time that its counter has is another one.
  const counts = events[leader].mode === 'clock' ? samples.count : null;
  const ofPart = part === leader ? null : countsAtLeader(profile, leader, part);
  const ofWhole = whole === leader ? null : countsAtLeader(profile, leader, whole);
  const begin = new Int32Array(samples.length);
  const end = new Int32Array(samples.length);
  const partCounts = new Float64Array(samples.length);
  const wholeCounts = new Float64Array(samples.length);
  let length = 0;
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== leader) continue;
    for (let k = groups.offsets[g] + 1; k < groups.offsets[g + 1]; k++) {
      const before = groups.rows[k - 1];
      const row = groups.rows[k];
      if (lostBefore[row] !== 0) continue;
      const own = counts === null ? elapsedEvents[row] : counts[row] - counts[before];
      const counted = ofWhole === null ? own : ofWhole[row];
      // Also false for what was not read.
      if (!(own >= 0 && counted > 0)) continue;
      begin[length] = before;
      end[length] = row;
      partCounts[length] = ofPart === null ? own : ofPart[row];
      wholeCounts[length] = counted;
      length++;
    }
  }
  return {
    length,
    begin: begin.slice(0, length),
    end: end.slice(0, length),
    part: partCounts.slice(0, length),
    whole: wholeCounts.slice(0, length),
  };
}

/**
 * Counts of a member, at the rows of its leader. A sample's row is followed by one for each member that
 * has counted anything.
 */
function countsAtLeader({ samples }: Profile, leader: number, member: number): Float64Array {
  const { length, event, thread, timeNs, periodEvents } = samples;
  const counts = new Float64Array(length);
  let last: number = NONE;
  for (let row = 0; row < length; row++) {
    if (event[row] === leader) last = row;
    else if (event[row] === member && last !== NONE) {
      if (thread[row] !== thread[last] || timeNs[row] !== timeNs[last]) continue;
      counts[last] = counts[last] + periodEvents[row];
    }
  }
  return counts;
}
