import type { StartUp } from './start-up.ts';

/**
 * The stage that a path from the root has reached: what starts a program or thread, a function that may be
 * part of that still (`main` of Rust, a lambda of C++), or what the author wrote.
 */
export const IN_START = 0;
const IN_MAIN = 1;
const IN_CALLABLE = 2;
const IN_PROGRAM = 3;

/** The stage of a path that goes on with a function. `stage` is that of its caller, or `IN_START`. */
export function nextStage(stage: number, startUp: StartUp | null): number {
  if (stage === IN_MAIN && startUp === 'Rust') return IN_START;
  if (stage === IN_CALLABLE && startUp === 'C++') return IN_START;
  if (stage !== IN_START || startUp === null) return IN_PROGRAM;
  if (startUp === 'main') return IN_MAIN;
  return startUp === 'callable' ? IN_CALLABLE : IN_START;
}
