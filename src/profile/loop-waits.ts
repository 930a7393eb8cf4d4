/** System calls in which event loops wait for events. */
export const LOOP_CALLS = ['epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'io_uring_enter'] as const;

/** The last of `LOOP_CALLS`, which loops that wait by epoll make for other reasons. */
const RING_CALL = 'io_uring_enter';

const NAME = /^loop-wait-(begin|end):(\w+)$/;

/** The recorder's name of an event at which a wait for events begins, or has ended. It has no samples in a profile. */
export function loopWaitEvent(side: 'begin' | 'end', call: string): string {
  return `loop-wait-${side}:${call}`;
}

/** Takes such a name apart; null for other events. */
export function readLoopWaitEvent(
  name: string | null,
): { readonly isBegin: boolean; readonly isRing: boolean } | null {
  const [, side, call] = NAME.exec(name ?? '') ?? [];
  return side === undefined ? null : { isBegin: side === 'begin', isRing: call === RING_CALL };
}
