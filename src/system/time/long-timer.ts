/** Node's timers count at most this many milliseconds, 24.8 days; longer ones fire after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer of any length. */
export type LongTimer = { cancel(): void };

/** Calls `action` once, after `ms`. With `unref` the timer does not keep the process alive. */
export function callAfter(ms: number, action: () => void, { unref = false } = {}): LongTimer {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const nowMs = Math.min(leftMs, MAX_TIMER_MS);
    timer = setTimeout(() => (leftMs > nowMs ? wait(leftMs - nowMs) : action()), nowMs);
    if (unref) timer.unref();
  };
  wait(ms);
  return { cancel: () => clearTimeout(timer) };
}

/** Calls `action` every `ms`. */
export function callEvery(ms: number, action: () => void): LongTimer {
  if (ms <= MAX_TIMER_MS) {
    const interval = setInterval(action, ms);
    return { cancel: () => clearInterval(interval) };
  }
  let timer: LongTimer;
  const wait = (): void => {
    timer = callAfter(ms, () => {
      wait();
      action();
    });
  };
  wait();
  return { cancel: () => timer.cancel() };
}
