import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { MOST_DETAIL, STAT, type StatOptions } from '../../options/stat.ts';

/** The options that a command line of `stat` gives, by their keys. */
export type AskedCount = AskedOf<typeof STAT>;

/** The count that is asked for, of `command`. */
export function countAsked(command: readonly string[], asked: AskedCount): StatOptions {
  const { detail = 0, ...rest } = forLibrary(STAT, asked);
  return {
    ...rest,
    ...(detail > 0 && { detail: Math.min(detail, MOST_DETAIL) }),
    ...(command.length > 0 && { command }),
  };
}
