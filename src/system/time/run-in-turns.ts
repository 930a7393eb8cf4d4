import type { Slices } from '../../base/slices.ts';

/** Longest time that signals and timers wait, save for a slice that takes longer by itself. */
const TURN_MS = 20;

/** Runs `work` to its end, and lets signals, timers and input through in between. */
export async function runInTurns<Result>(work: Slices<Result>): Promise<Result> {
  let turnEndMs = performance.now() + TURN_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < turnEndMs) continue;
    await new Promise((resume) => setImmediate(resume));
    turnEndMs = performance.now() + TURN_MS;
  }
}
