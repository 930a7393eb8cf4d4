import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** The kernel's id of the calling thread: what `pid` of another thread's group takes. */
export function threadId(): number {
  // "4242/task/4243"
  return Number(basename(readlinkSync('/proc/thread-self')));
}
