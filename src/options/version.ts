import { OPTION_GROUP } from './groups.ts';
import { yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** `perf-ts version`. */
export const VERSION = options({
  ...inGroup(OPTION_GROUP.OUTPUT, {
    buildOptions: commandOption(yesNo, {
      flags: '--build-options',
      help: 'the parts that may be missing, and what they are for',
    }),
    json: commandOption(yesNo, { flags: '--json', help: 'as one JSON document' }),
  }),
});
