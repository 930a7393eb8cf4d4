import { GENERAL } from '../../options/general.ts';
import { yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';

/** `perf-ts list`. */
export const LIST = options({
  json: JSON_OUTPUT.json.with({ flags: [...JSON_OUTPUT.json.flags, { flags: '-j' }] }),
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
