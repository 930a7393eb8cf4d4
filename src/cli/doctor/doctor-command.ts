import { GENERAL } from '../../options/general.ts';
import { text, texts, yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts doctor`. */
const DOCTOR = options({
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

export function declareDoctor(program: GuidedCommand): void {
  program
    .command('doctor')
    .description('problems that prevent recording here, and the fix for each')
    .argument('[binary]', 'a program or library: whether stacks through it will be complete')
    .examples([
      ['perf-ts doctor', 'what can be recorded here, and what stands in the way'],
      ['perf-ts doctor ./app', 'whether stacks through it will be complete'],
      ['sudo perf-ts doctor --selftest', 'whether the kernel samples as it should'],
      ['perf-ts doctor --clean --dry-run', 'what killed recordings have left'],
    ])
    .asks(DOCTOR, async (options, binary: string | undefined) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(options, program.commands, binary);
    });
}
