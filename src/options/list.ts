import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** `perf-ts list`. */
export const LIST = options({
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '-j, --json', help: 'as one JSON document' }),
  }),
  ...inGroup('Events:', {
    tryEach: commandOption(yesNo, {
      flags: '--try-each',
      help: 'try every tracepoint, not one of each kind (takes long)',
    }),
  }),
  verbose: GENERAL.verbose.with({
    help: 'other names of the same event, what each source alone knows',
  }),
});
