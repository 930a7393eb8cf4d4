import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { collect } from '../shared/reading-options.ts';

export function declareDoctor(program: GuidedCommand): void {
  program
    .command('doctor')
    .description('problems that prevent recording here, and the fix for each')
    .argument('[binary]', 'a program or library: whether stacks through it will be complete')
    .optionsGroup('Self-test:')
    .option('--selftest', 'record a workload of our own and check what is claimed of the kernel')
    .option('-e, --event <list>', 'this event only; may repeat', collect)
    .option('--quick', 'a third of the recordings')
    .option(
      '-o, --output <file>',
      'the report as JSON into this file, to be sent on (default no file)',
    )
    .optionsGroup('Leftovers:')
    .option(
      '--clean',
      'remove what killed programs and recordings have left; others are not touched',
    )
    .option('--dry-run', 'print what it would remove')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--json', 'as one JSON document')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-v, --verbose', 'every number')
    .examples([
      ['perf-ts doctor', 'what can be recorded here, and what stands in the way'],
      ['perf-ts doctor ./app', 'whether stacks through it will be complete'],
      ['sudo perf-ts doctor --selftest', 'whether the kernel samples as it should'],
      ['perf-ts doctor --clean --dry-run', 'what killed recordings have left'],
    ])
    .action(async (binary, options) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(options, program.commands, binary);
    });
}
