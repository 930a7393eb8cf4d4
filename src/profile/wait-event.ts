import type { ProfileEvent } from './types.ts';

/** The recorder's name of the event whose samples weigh what their threads waited. */
export const OFF_CPU_EVENT = 'off-cpu';

/**
 * Whether an event's samples are waits: each begins with its sample and lasts for its period. By its
 * name: a time that another profiler measured has no rate and no fixed period either.
 */
export function isWaitEvent({ name }: Pick<ProfileEvent, 'name'>): boolean {
  return name === OFF_CPU_EVENT;
}
