import { GENERAL } from './general.ts';
import { percent, texts } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import {
  INPUT,
  JAVASCRIPT,
  JSON_OUTPUT,
  limitOrAlone,
  RECORD_SELECTION,
  SELECTION,
  STRICT,
  SYMBOLS,
  WEIGHING,
} from './reading.ts';

/** `perf-ts annotate`. */
export const ANNOTATE = options({
  ...SYMBOLS,
  ...RECORD_SELECTION,
  ...STRICT,
  ...INPUT,
  ...inGroup('Code:', {
    symbol: commandOption(texts, {
      flags: [
        { flags: '-S, --symbol <name>', help: 'this function; may repeat' },
        { flags: '-s <name>' },
      ],
    }),
    limit: limitOrAlone('functions', 'how many functions, where none is named; 0: all (default 3)'),
    percentLimit: commandOption(percent, {
      flags: '--percent-limit <share>',
      help: 'leave out functions below this per cent (default 0)',
    }),
  }),
  ...pick(WEIGHING, 'weight', 'debuginfod', 'event'),
  ...pick(SELECTION, 'dsos'),
  frames: JAVASCRIPT.frames.with({ givesWayTo: ['json', 'dsos'] }),
  ...JSON_OUTPUT,
  quiet: GENERAL.quiet.with({ help: 'the code only: no lines with #, no messages' }),
});
