import { OPTION_GROUP } from './groups.ts';
import { duration, oneOf, text, texts, whole, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { JAVASCRIPT, JSON_OUTPUT, ROWS, STRICT, SYMBOLS, WEIGHING } from './reading.ts';

/** Rows of a question by name where no number is given. */
export const USUAL_ANSWERS = 20;

/** `perf-ts query`. */
export const QUERY = options({
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...STRICT,
  ...inGroup('Questions by name:', {
    func: commandOption(text, {
      flags: '--func <name>',
      isCommon: true,
      help: 'this function; * is anything',
    }),
    event: commandOption(text, {
      flags: '-e, --event <name>',
      help: 'this event (default the first)',
    }),
    by: commandOption(oneOf('self', 'total'), {
      flags: '--by <what>',
      help: 'top: by what functions did, or with what they called (default self)',
    }),
    limit: ROWS.limit.with({
      flags: '-n, --limit <rows>',
      isCommon: true,
      help: `rows of a question by name (default ${USUAL_ANSWERS})`,
      configurable: true,
    }),
    baseline: commandOption(texts, {
      flags: '--baseline <old>',
      help: 'diff: an older recording; may repeat, all files are new then',
    }),
  }),
  ...inGroup('Server:', {
    on: commandOption(text, {
      flags: '--on <server>',
      help: 'ask clickhouse://HOST:8123/DATABASE in place of recordings',
    }),
    insert: commandOption(yesNo, {
      flags: '--insert',
      help: 'with --on: add the recordings to the server first',
    }),
    service: commandOption(text, {
      flags: '--service <name>',
      help: 'share, compare, rarest, newest: of this service; with --insert: the name it gets',
    }),
    build: commandOption(text, {
      flags: '--build <name>',
      help: 'with --insert: the version that was recorded',
    }),
  }),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    sql: commandOption(yesNo, { flags: '--sql', isCommon: true, help: 'print the SQL, too' }),
    ...JSON_OUTPUT,
    csv: commandOption(yesNo, { flags: '--csv', help: 'as CSV' }),
    md: commandOption(yesNo, { flags: '--md', help: 'as a table in Markdown' }),
    maxRows: commandOption(whole(), {
      flags: '--max-rows <rows>',
      help: 'stop after so many rows',
      configurable: true,
      default: '10000',
    }),
    timeout: commandOption(duration('s'), {
      flags: '--timeout <s>',
      help: 'end the query after this time',
      configurable: true,
      default: '60',
    }),
  }),
  ...pick(WEIGHING, 'weight'),
});
