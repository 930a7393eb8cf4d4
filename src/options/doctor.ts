import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { text, texts, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** `perf-ts doctor`. */
export const DOCTOR = options({
  ...inGroup('Self-test:', {
    selftest: commandOption(yesNo, {
      flags: '--selftest',
      help: 'record a workload of our own and check what is claimed of the kernel',
    }),
    event: commandOption(texts, {
      flags: '-e, --event <list>',
      help: 'this event only; may repeat',
    }),
    quick: commandOption(yesNo, { flags: '--quick', help: 'a third of the recordings' }),
    output: commandOption(text, {
      flags: '-o, --output <file>',
      help: 'the report as JSON into this file, to be sent on (default no file)',
    }),
  }),
  ...inGroup('Leftovers:', {
    clean: commandOption(yesNo, {
      flags: '--clean',
      help: 'remove what killed programs and recordings have left; others are not touched',
    }),
    dryRun: commandOption(yesNo, { flags: '--dry-run', help: 'print what it would remove' }),
  }),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as one JSON document' }),
  }),
  verbose: GENERAL.verbose.with({ help: 'every number' }),
});
