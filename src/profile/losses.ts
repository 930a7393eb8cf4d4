import type { Profile } from './types.ts';

/** Samples of `event` that did not arrive: the larger of the two figures, which count the same. */
export function lostSamplesOf(profile: Profile, event: number): number {
  const loss = profile.losses.find((entry) => entry.event === event);
  return Math.max(loss?.lostRecords ?? 0, loss?.lostSamples ?? 0);
}
