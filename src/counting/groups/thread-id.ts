import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * The kernel's id of the calling thread: what `pid` of another thread's group takes.
 *
 * @example
 * ```ts
 * import { openGroup, threadId } from 'perf-ts';
 *
 * using group = openGroup(['task-clock'], { pid: threadId() });
 * console.log(group.read().counts['task-clock']);
 * ```
 */
export function threadId(): number {
  // "4242/task/4243"
  return Number(basename(readlinkSync('/proc/thread-self')));
}
