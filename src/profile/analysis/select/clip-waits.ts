// Hot: once per sample.

import type { Profile, Weights } from '../../types.ts';
import { isWaitEvent } from '../../wait-event.ts';
import type { SampleSelection } from './filter.ts';
import { selectedSpans } from './selected-spans.ts';

/**
 * Weights in which a wait that reaches out of the selected times, turns or marks weighs its part inside of them:
 *
 *     selected             |------------|
 *     waits        |--------------|  |--|  |----|
 *     weigh                |######|  |##|
 *
 * The same weights where none of these is selected, no event is of waits, or samples are counted.
 */
export function clipWaits(
  profile: Pick<Profile, 'events' | 'samples' | 'turns' | 'marks'>,
  weights: Weights,
  select: Pick<SampleSelection, 'fromNs' | 'toNs' | 'times' | 'inTurnsOver' | 'inMark'>,
): Weights {
  const { events, samples } = profile;
  const { fromNs, toNs, times, inTurnsOver, inMark } = select;
  const isWhole = [fromNs, toNs, times, inTurnsOver, inMark].every((by) => by === undefined);
  const isLength = weights.kind === 'events' || weights.kind === 'period';
  const isWait = Uint8Array.from(events, (event) => (isWaitEvent(event) ? 1 : 0));
  if (isWhole || !isLength || !isWait.includes(1)) return weights;
  const first = fromNs ?? Number.NEGATIVE_INFINITY;
  const last = toNs ?? Number.POSITIVE_INFINITY;
  const ranges = times ?? [{ fromNs: first, toNs: last }];
  const spans = selectedSpans(profile, select);
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
      inside += spans === null ? to - from : spans.partOf(samples.thread[sample], from, to);
    }
    values[sample] = values[sample] * (inside / lengthNs);
  }
  return { ...weights, values };
}
