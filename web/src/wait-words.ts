import type { WaitKind } from '../../src/profile/off-cpu/wait-kinds.ts';

/** Titles and hints of the reasons of waits, all of which are the kernel's code. */
const WAIT_TITLES: Readonly<Record<WaitKind, readonly [string, string]>> = {
  cpu: ['a CPU', 'ready to run, with no CPU free'],
  lock: ['locks', 'futexes, mutexes and semaphores'],
  disk: ['disks', 'pages, buffers and file systems'],
  network: ['network, pipes', 'sockets and pipes'],
  idle: ['events, timers', 'nothing to do: poll, select, sleep, idle threads'],
  other: ['else', 'children, devices, and what has no name'],
};

export const waitTitle = (kind: WaitKind): string => WAIT_TITLES[kind][0];

/** The reason of a wait as a sentence without a full stop. */
export const waitWords = (kind: WaitKind): string =>
  `Waited for ${WAIT_TITLES[kind][0]}: ${WAIT_TITLES[kind][1]}`;
