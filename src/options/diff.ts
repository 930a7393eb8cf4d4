import { DIFF_MEASURES } from '../profile/analysis/diff-measure.ts';
import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { oneOf, texts, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { JAVASCRIPT, JSON_OUTPUT, ROWS, SELECTION, STRICT, SYMBOLS, WEIGHING } from './reading.ts';

/** `perf-ts diff`. */
export const DIFF = options({
  ...SELECTION,
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...STRICT,
  ...inGroup('Comparison:', {
    baseline: commandOption(texts, {
      flags: '--baseline <old>',
      help: 'compare with this one; may repeat, all files are new then',
    }),
    old: commandOption(texts, {
      flags: '--old <files...>',
      help: 'the older recordings, up to the next option',
    }),
    new: commandOption(texts, {
      flags: '--new <files...>',
      help: 'the newer recordings, up to the next option',
    }),
    by: commandOption(oneOf(...DIFF_MEASURES), {
      flags: '--by <measure>',
      isCommon: true,
      help: 'compare as recorded, per second, or parts of all (default as recorded where a command ran)',
    }),
    failIf: commandOption(texts, {
      flags: '--fail-if <condition>',
      isCommon: true,
      help: "end with status 1 where recordings show it: 'share(FUNC) grows by 10%', 'p99(turn) grows by 10ms'; may repeat",
    }),
  }),
  ...pick(WEIGHING, 'weight', 'debuginfod', 'event'),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    limit: ROWS.limit.with({}),
    md: commandOption(yesNo, {
      flags: '--md',
      isCommon: true,
      help: 'a summary in Markdown, for a pull request',
    }),
    ...JSON_OUTPUT,
  }),
  ...pick(GENERAL, 'quiet'),
});
