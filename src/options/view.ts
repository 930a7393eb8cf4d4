import { OPTION_GROUP } from './groups.ts';
import { text, texts, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { JAVASCRIPT, STRICT, SYMBOLS, WEIGHING } from './reading.ts';
import { DEFAULT_FREQUENCY_HZ, RECORD } from './record.ts';

const IT_SHOWS = 'it shows what is recorded now';
/** Recording options that mean something only while the page shows what is recorded. */
const needs = 'live';

/** `perf-ts view`. */
export const VIEW = options({
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...STRICT,
  ...pick(WEIGHING, 'weight', 'debuginfod'),
  ...inGroup(OPTION_GROUP.INPUT, {
    baseline: commandOption(texts, {
      flags: '--baseline <old>',
      help: 'a recording to compare the files with; may repeat, as may the files: several runs a side',
    }),
  }),
  ...inGroup('Page:', {
    port: commandOption(text, {
      flags: '--port <n>',
      isCommon: true,
      help: 'listen on this port of 127.0.0.1; 3000+: or the next free one (default any that is free)',
      configurable: true,
    }),
    open: commandOption(yesNo, {
      flags: '--no-open',
      isCommon: true,
      help: 'print the address only',
      configurable: true,
    }),
  }),
  ...inGroup('Live:', {
    live: commandOption(yesNo, {
      flags: '--live',
      isCommon: true,
      help: 'record now, and show what comes: with one of the next three',
      excludes: { baseline: IT_SHOWS },
    }),
    pids: RECORD.pids.with({ needs }),
    tids: RECORD.tids.with({ needs }),
    systemWide: RECORD.systemWide.with({ needs }),
    events: RECORD.events.with({
      flags: [
        {
          flags: '-e, --event <list>',
          help: 'events in perf syntax; may repeat (default as in record)',
        },
      ],
      needs,
    }),
    freq: RECORD.freq.with({
      flags: [
        { flags: '-F, --freq <hz>', help: `samples per second (default ${DEFAULT_FREQUENCY_HZ})` },
      ],
      excludes: {},
      needs,
    }),
    callGraph: RECORD.callGraph.with({
      flags: [{ flags: '--call-graph <how>', help: 'call stacks, as in record (default fp)' }],
      needs,
    }),
    durationMs: RECORD.durationMs.with({ needs }),
    attachJs: RECORD.attachJs.with({ needs }),
  }),
});
