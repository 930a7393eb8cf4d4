/** Frames as `addWaitReasons` writes them: `[S sleeping in do_epoll_wait]`, `[woken by server/1234]`. */
const WAIT = /^\[(?:(?:[A-Za-z]\+?|\?) (?:\w+|state 0x\w+)(?: in .*)?|woken by .*)\]$/s;
/** Threads of unknown states are those that gave the CPU up. */
const SLEEP = /^\[(?:S sleeping|\? waiting)\b/;

/** Whether a frame states why a thread waits, on top of the stack. */
export function isWaitFrame(name: string): boolean {
  return WAIT.test(name);
}

export function isSleepFrame(name: string): boolean {
  return SLEEP.test(name);
}
