import { NONE } from '../base/brand.ts';
import type { Profile } from './types.ts';

/** Samples of `event` that did not arrive: the larger of the two figures, which count the same. */
export function lostSamplesOf(profile: Profile, event: number): number {
  const loss = profile.losses.find((entry) => entry.event === event);
  return Math.max(loss?.lostRecords ?? 0, loss?.lostSamples ?? 0);
}

/** The function of what no sample shows, −1 if nothing was lost. */
export function lostFunc({ lostStack, stacks, frames }: Profile): number {
  return lostStack === NONE ? NONE : (frames.func[stacks.frame[lostStack] as number] as number);
}
