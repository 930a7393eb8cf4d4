import { OPTION_GROUP } from './groups.ts';
import { yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import { INPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** `perf-ts info`. */
export const INFO = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as JSON' }),
  }),
  ...RECORD_SELECTION,
});
