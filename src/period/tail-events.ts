import type { StreamGroups } from './streams.ts';
import type { PeriodInput } from './types.ts';

/**
 * Events that streams counted after their last samples, at these samples: parallel to the sample table,
 * null where nothing is known of it, or nothing came.
 *
 *     task     ├──●──●────●────────●── tail ──┤      the counter's final value tells how much
 *
 * Many short tasks do a good part of their work there, and to leave it out would give the beginnings of
 * tasks, where samples come event after event, many times their share. The last sample is the
 * nearest that tells what ran; that it may have been something else is for the interval to say.
 *
 * The events that single streams have after their last samples are not given to these one by one, though it is known where their
 * final values were recorded (`--exit-counts`): a last sample that is far from the end is seldom in what tasks end
 * with, and one in it is always near, so that its part would be the smallest where it is all of the tail.
 *
 *     tasks end with 15 events, every 37th is sampled: 15 of 37 tasks are seen in it, each 7 events before the end
 *     on average, the others 26 events before it, of which 15 are unseen
 *
 * The sum of what the streams have is divided among them by the periods that were running down when they ended: no
 * stream can have counted more than that without a sample. Where final values are known the sum is exact; else it is what
 * the event's own final value leaves, as far as the periods reach; what is left then was counted by streams without
 * any sample. A tail with more than `MOST` of all events is left alone: it would make one sample speak for
 * all of them. So is that of a single stream, whose samples all came before.
 */
export function computeTails(
  input: PeriodInput,
  groups: StreamGroups,
  arrived: Float64Array,
  lostBefore: Float64Array,
): Float64Array | null {
  let tails: Float64Array | null = null;
  input.events.forEach(({ mode }, event) => {
    const total = input.eventTotals?.[event] ?? null;
    if (mode === 'clock' || total === null) return;
    const ends = endsOf(input, groups, event, arrived, lostBefore);
    if (ends.length < 2) return;
    const known = ends.filter(({ final }) => final !== null);
    const open = ends.filter(({ final }) => final === null);
    const ofKnown = known.reduce((sum, { final, counted }) => sum + (final ?? 0) - counted, 0);
    const left = ends.reduce((rest, { counted }) => rest - counted, total) - ofKnown;
    const share = (tail: number, row: number) => {
      if (tail > MOST * total) return;
      tails ??= new Float64Array(arrived.length);
      tails[row] = tail;
    };
    divide(known, ofKnown, share);
    divide(open, Math.min(left, pendingOf(open)), share);
  });
  return tails;
}

/** Divides a sum of events by the periods that are running down: whole ones, which add up to it. */
function divide(
  ends: readonly StreamEnd[],
  sum: number,
  share: (tail: number, row: number) => void,
): void {
  const all = pendingOf(ends);
  let pending = 0;
  let given = 0;
  for (const end of ends) {
    pending += end.pending;
    const tail = Math.floor((sum * pending) / all) - given;
    if (!(tail > 0)) continue;
    given += tail;
    share(tail, end.row);
  }
}

function pendingOf(ends: readonly StreamEnd[]): number {
  return ends.reduce((sum, { pending }) => sum + pending, 0);
}

/** A single tail has at most this part of all events. */
const MOST = 0.02;

type StreamEnd = {
  /** The stream's last sample. */
  readonly row: number;
  /** Events up to it, lost ones included. */
  readonly counted: number;
  /** Final value of the stream's counter, null where it is not known. */
  readonly final: number | null;
  /** Events that the stream may have counted after its last sample. */
  readonly pending: number;
};

function endsOf(
  { samples, events, finals }: PeriodInput,
  groups: StreamGroups,
  event: number,
  arrived: Float64Array,
  lostBefore: Float64Array,
): StreamEnd[] {
  const finalOfStream = new Map<number, number>();
  for (const final of finals ?? []) {
    if (final.event === event && final.stream >= 0) finalOfStream.set(final.stream, final.count);
  }
  const isFixed = events[event].mode !== 'frequency';
  const ends: StreamEnd[] = [];
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    let counted = 0;
    for (let k = groups.offsets[g]; k < groups.offsets[g + 1]; k++) {
      counted += arrived[groups.rows[k]] + lostBefore[groups.rows[k]];
    }
    const row = groups.rows[groups.offsets[g + 1] - 1];
    // The period in the sample is that of the next interval, or close to it.
    const period = isFixed ? arrived[row] : samples.periodEvents[row];
    ends.push({
      row,
      counted,
      final: finalOfStream.get(groups.stream[g]) ?? null,
      pending: Math.max(0, period - 1),
    });
  }
  return ends;
}
