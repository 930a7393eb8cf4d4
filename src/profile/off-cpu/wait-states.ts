/**
 * The state in which a thread left the CPU: `prev_state` of `sched:sched_switch`, as
 * `include/trace/events/sched.h` prints it since Linux 4.14:
 *
 *     0 R   1 S   2 D   4 T   8 t   0x10 X   0x20 Z   0x40 P   0x80 I   0x100 + (preempted)
 */
export type WaitState = {
  /** The letter of `ps` and perf. */
  readonly letter: string;
  /** The meaning, for people. */
  readonly word: string;
};

const PREEMPTED_BIT = 0x100;
const EXIT_DEAD = 0x10;
const EXIT_ZOMBIE = 0x20;

/** The state of threads of which only is known that they gave the CPU up or were preempted. */
export const STATE_UNKNOWN = -1;
export const STATE_PREEMPTED = PREEMPTED_BIT;

/** The state of rows that begin when the thread is woken. */
export const STATE_WOKEN = -2;

const STATES: ReadonlyMap<number, WaitState> = new Map([
  [STATE_UNKNOWN, { letter: '?', word: 'waiting' }],
  [STATE_WOKEN, { letter: 'R', word: 'runnable' }],
  [0, { letter: 'R', word: 'runnable' }],
  [1, { letter: 'S', word: 'sleeping' }],
  [2, { letter: 'D', word: 'uninterruptible' }],
  [4, { letter: 'T', word: 'stopped' }],
  [8, { letter: 't', word: 'traced' }],
  [0x40, { letter: 'P', word: 'parked' }],
  [0x80, { letter: 'I', word: 'idle' }],
]);

export function waitState(prevState: number): WaitState {
  if (prevState > 0 && prevState & PREEMPTED_BIT) return { letter: 'R+', word: 'preempted' };
  return STATES.get(prevState) ?? { letter: '?', word: `state 0x${prevState.toString(16)}` };
}

/** Whether the thread has ended: it waits for nothing. */
export function isEnded(prevState: number): boolean {
  return prevState > 0 && (prevState & (EXIT_DEAD | EXIT_ZOMBIE)) !== 0;
}

/** Whether it could have gone on: it waits for a CPU only. */
export function isRunnable(prevState: number): boolean {
  return (
    prevState === 0 ||
    prevState === STATE_WOKEN ||
    (prevState > 0 && (prevState & PREEMPTED_BIT) !== 0)
  );
}
