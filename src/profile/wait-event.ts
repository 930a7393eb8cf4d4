import type { ProfileEvent } from './types.ts';

/** The recorder's name of the event whose samples weigh what their threads waited. */
export const OFF_CPU_EVENT = 'off-cpu';

/** The recorder's name of the event whose samples are system calls, and weigh how long they took. */
export const SYSCALL_EVENT = 'syscalls';
/** The recorder's name of the event whose samples weigh the bytes that a system call moved. */
export const SYSCALL_BYTES_EVENT = 'syscall-bytes';

/** The recorder's name of the event whose samples weigh the memory that a page fault added to a process. */
export const MEMORY_EVENT = 'new-memory';
/** The event of a heap profile: its weights are bytes. */
export const HEAP_EVENT = 'heap-bytes';
/** The recorder's names of the same: of all that was allocated while it recorded, … */
export const ALLOCATED_EVENT = 'heap-allocated';
/** … and of what of that was in use in the end. */
export const LIVE_EVENT = 'heap-live';

type Named = { readonly name: string | null };

/** Whether it is that of memory, or the same of user space alone. */
export function isMemoryEvent({ name }: Named): boolean {
  return name === MEMORY_EVENT || name === `${MEMORY_EVENT}:u`;
}

/** Whether the recorder has it of V8, whose samples the kernel does not take. */
export function isHeapEvent({ name }: Named): boolean {
  return name === ALLOCATED_EVENT || name === LIVE_EVENT;
}

/** The one of both that `--memory` asks for. */
export function heapKind(memory: boolean | 'live' | undefined): 'allocated' | 'live' | null {
  if (memory === 'live') return memory;
  return memory === true ? 'allocated' : null;
}

/** Whether samples of an event weigh the bytes that each was measured to be. */
export function isOfBytes(event: Named): boolean {
  return event.name === SYSCALL_BYTES_EVENT || isMemoryEvent(event);
}

/** Whether samples of an event weigh what each was measured to be, and none stands for others. */
export function isMeasuredEvent(event: Named): boolean {
  const { name } = event;
  const isTimed = name === OFF_CPU_EVENT || name === SYSCALL_EVENT;
  return isTimed || isOfBytes(event);
}

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
