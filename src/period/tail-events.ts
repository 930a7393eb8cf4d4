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
 * Each stream gets its own where final values of single streams were recorded (`--exit-counts`). Else what the
 * event's final value leaves is divided by the periods that were running down when the streams ended: no
 * stream can have counted more than that without a sample. What is left then was counted by streams without
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
    let left = total;
    for (const { counted } of ends) left -= counted;
    const pending = ends.reduce((sum, end) => sum + end.pending, 0);
    const part = pending > 0 ? Math.min(1, left / pending) : 0;
    for (const { row, counted, final, pending } of ends) {
      const tail = final === null ? Math.floor(part * pending) : final - counted;
      if (!(tail > 0) || tail > MOST * total) continue;
      tails ??= new Float64Array(arrived.length);
      tails[row] = tail;
    }
  });
  return tails;
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
