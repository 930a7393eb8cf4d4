// Hot: once per sample.

import { LongTurns } from '../../turn-table.ts';
import type { Profile, Weights } from '../../types.ts';
import { isWaitEvent } from '../../wait-event.ts';
import type { SampleSelection } from './filter.ts';

/**
 * Weights in which a wait that reaches out of the selected times, or turns, weighs its part inside of them:
 *
 *     selected             |------------|
 *     waits        |--------------|  |--|  |----|
 *     weigh                |######|  |##|
 *
 * The same weights where no times or turns are selected, no event is of waits, or samples are counted.
 */
export function clipWaits(
  { events, samples, turns }: Pick<Profile, 'events' | 'samples' | 'turns'>,
  weights: Weights,
  select: Pick<SampleSelection, 'fromNs' | 'toNs' | 'times' | 'inTurnsOver'>,
): Weights {
  const { fromNs, toNs, times, inTurnsOver } = select;
  const isWhole = [fromNs, toNs, times, inTurnsOver].every((by) => by === undefined);
  const isLength = weights.kind === 'events' || weights.kind === 'period';
  const isWait = Uint8Array.from(events, (event) => (isWaitEvent(event) ? 1 : 0));
  if (isWhole || !isLength || !isWait.includes(1)) return weights;
  const first = fromNs ?? Number.NEGATIVE_INFINITY;
  const last = toNs ?? Number.POSITIVE_INFINITY;
  const ranges = times ?? [{ fromNs: first, toNs: last }];
  const longTurns =
    inTurnsOver === undefined ? null : new LongTurns(turns, inTurnsOver, ({ thread: row }) => row);
  const values = weights.values.slice();
  for (let sample = 0; sample < samples.length; sample++) {
    const lengthNs = samples.periodEvents[sample];
    if (isWait[samples.event[sample]] === 0 || !(lengthNs > 0)) continue;
    const beginNs = samples.timeNs[sample];
    let inside = 0;
    for (let i = 0; i < ranges.length; i++) {
      const from = Math.max(beginNs, ranges[i].fromNs, first);
      const to = Math.min(beginNs + lengthNs, ranges[i].toNs, last);
      if (to <= from) continue;
      inside += longTurns === null ? to - from : longTurns.partOf(samples.thread[sample], from, to);
    }
    values[sample] = values[sample] * (inside / lengthNs);
  }
  return { ...weights, values };
}
