import { text, yesNo } from './kinds.ts';
import { type OptionsOf, option, options } from './option.ts';

/** The user that a command runs as. */
export const USER = options({
  /** Name or uid; under sudo the invoking user is the default. */
  user: option(text, {
    flags: '--user <name>',
    help: 'who the command runs as (default who called sudo, else you)',
    excludes: { asRoot: 'leave one of them out' },
  }),
  /** Keep root under sudo. */
  asRoot: option(yesNo, {
    flags: '--as-root',
    help: 'under sudo: keep root for the command',
  }),
});

/** The options that decide who the command runs as. */
export type UserOptions = OptionsOf<typeof USER>;
