import { GENERAL } from '../../options/general.ts';
import { text, texts, yesNo } from '../../options/kinds.ts';
import { type AskedOf, commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';

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
  ...JSON_OUTPUT,
  verbose: GENERAL.verbose.with({ help: 'every number' }),
});

export type DoctorFlags = AskedOf<typeof DOCTOR>;
