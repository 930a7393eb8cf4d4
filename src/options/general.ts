import { OPTION_GROUP } from './groups.ts';
import { oneOf, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** Options that every command takes. */
export const GENERAL = inGroup(
  OPTION_GROUP.GENERAL,
  options({
    commonHelp: commandOption(yesNo, { flags: '-h', help: 'print the options used most' }),
    color: commandOption(oneOf('auto', 'always', 'never'), {
      flags: '--color <when>',
      help: 'auto: on a terminal, by NO_COLOR and FORCE_COLOR; always; never (default auto)',
      configurable: true,
    }),
    quiet: commandOption(yesNo, {
      flags: '-q, --quiet',
      help: 'the result and errors only: no messages, no progress',
      configurable: true,
    }),
    verbose: commandOption(yesNo, {
      flags: '-v, --verbose',
      help: 'the versions first, and where in perf-ts a failure came from',
      configurable: true,
    }),
  }),
);
