import { processOfThread } from './system-processes.ts';

/** The error for attaching to threads that did not come to an end. */
export const UNSETTLED =
  'threads were started faster than they could be attached to: some of them, and what they start, ' +
  'may be missing';

/**
 * The processes that ids after `-p` stand for, each once: an id may be that of any thread, and one
 * may be named twice.
 */
export function processesOf(pids: readonly number[]): number[] {
  return [...new Set(pids.map((pid) => processOfThread(pid) ?? pid))];
}
