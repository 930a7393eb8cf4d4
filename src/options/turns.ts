import { duration } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import {
  INPUT,
  JAVASCRIPT,
  JSON_OUTPUT,
  RECORD_SELECTION,
  ROWS,
  STRICT,
  SYMBOLS,
  WEIGHING,
} from './reading.ts';

/** `perf-ts turns`. */
export const TURNS = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...inGroup('Turns:', {
    over: commandOption(duration('ms'), {
      flags: '--over <time>',
      isCommon: true,
      help: 'list turns that took as long or longer: 50ms (default 1ms)',
      configurable: true,
    }),
    limit: ROWS.limit.with({
      flags: [
        {
          flags: '-n, --limit <rows>',
          isCommon: true,
          help: 'how many turns are listed, 0: all (default 10)',
          configurable: true,
        },
      ],
      givesWayTo: ['json'],
    }),
  }),
  time: RECORD_SELECTION.time.with({ help: 'turns of this time, as in report' }),
  ...pick(WEIGHING, 'event', 'weight', 'debuginfod'),
  ...SYMBOLS,
  ...JAVASCRIPT,
});
