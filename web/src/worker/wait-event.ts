import { OFF_CPU_EVENT } from '../../../src/profile/off-cpu/switch-pairs.ts';
import type { ProfileEvent } from '../../../src/profile/types.ts';

/**
 * Whether an event's samples are waits: each begins with its sample and lasts for its period. By its
 * name: a time that another profiler measured has no rate and no fixed period either.
 */
export function isWaitEvent({ name }: Pick<ProfileEvent, 'name'>): boolean {
  return name === OFF_CPU_EVENT;
}
