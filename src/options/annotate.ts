import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { percent, text, texts, whole, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { RECORD_SELECTION, SELECTION, STRICT, SYMBOLS, WEIGHING } from './reading.ts';

/** `perf-ts annotate`. */
export const ANNOTATE = options({
  ...SYMBOLS,
  ...RECORD_SELECTION,
  ...STRICT,
  ...inGroup(OPTION_GROUP.INPUT, {
    input: commandOption(text, {
      flags: '-i, --input <file>',
      help: 'the recording; - is standard input (default perf.data)',
    }),
  }),
  ...inGroup('Code:', {
    symbol: commandOption(texts, {
      flags: '-s, --symbol <name>',
      help: 'this function; may repeat',
    }),
    limit: commandOption(whole(), {
      flags: '-n, --limit [functions]',
      help: 'how many functions, where none is named; 0: all (default 3)',
      configurable: true,
      givesWayTo: ['rows', 'entries', 'json', 'md'],
    }),
    rows: commandOption(whole(), { flags: '--rows <n>' }),
    percentLimit: commandOption(percent, {
      flags: '--percent-limit <share>',
      help: 'leave out functions below this per cent (default 0)',
    }),
  }),
  ...pick(WEIGHING, 'weight', 'debuginfod', 'event'),
  ...pick(SELECTION, 'dso', 'dsos'),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as JSON' }),
  }),
  quiet: GENERAL.quiet.with({ help: 'the code only: no lines with #, no messages' }),
});
