import { UsageError } from '../../base/errors.ts';
import type { GivenFlags } from '../../options/read-flags.ts';

/** Options of perf that are not there, by commander's name for them, and why. */
export const REFUSED = [
  {
    flags: '--threads [=spec]',
    key: 'threads',
    why: 'one thread drains all rings',
    instead: 'if samples are lost, give it larger rings: -m 16M',
  },
  {
    flags: '--aio [=n]',
    key: 'aio',
    why: 'the thread that writes does nothing else',
    instead: 'if samples are lost, give it larger rings: -m 16M',
  },
] as const;

/** Throws `UsageError` that says why an option of perf is not there. */
export function refuse(flags: GivenFlags): void {
  for (const { flags: option, key, why, instead } of REFUSED) {
    if (flags[key] !== undefined)
      throw new UsageError(`${option.split(' ')[0]}: ${why}`, [instead]);
  }
}
