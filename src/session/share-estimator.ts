import { computeElapsedEvents } from '../period/elapsed-events.ts';
import { findRules } from '../period/realign.ts';
import { groupByStream } from '../period/streams.ts';
import { createShareEstimator } from '../period/uncertainty.ts';
import { selectSamples } from '../profile/filter.ts';
import type { ShareEstimator } from '../profile/share-steps.ts';
import type { EventIndex, Profile, Weights } from '../profile/types.ts';

/** How well shares of one event are known, by these weights: all its samples, in their streams. */
export function estimateShares(
  profile: Profile,
  weights: Weights,
  event: EventIndex,
): ShareEstimator {
  const groups = groupByStream(profile);
  const input = { weights: weights.values, rows: selectSamples(profile, { event }), groups, event };
  if (weights.kind !== 'events') return createShareEstimator(input);
  const elapsedEvents = computeElapsedEvents(profile, groups, findRules(profile, groups));
  const { timeNs, periodEvents } = profile.samples;
  return createShareEstimator({ ...input, course: { elapsedEvents, timeNs, periodEvents } });
}
