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

/** Labels of `[R runnable]` and `[R+ preempted]`, frames that say why a thread waits. */
const RUNNABLE_LABEL = /^\[R\+? /;

/** Whether the label of a wait is that of a thread which waits for a CPU only. */
export function isRunnableLabel(label: string): boolean {
  return RUNNABLE_LABEL.test(label);
}
