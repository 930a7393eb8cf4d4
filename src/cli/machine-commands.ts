import { type Command, Option } from 'commander';
import { collect } from './command/reading-options.ts';

/** Declares the commands about this machine. Their code is loaded when they are run. */
export function declareMachineCommands(program: Command): void {
  program
    .command('list')
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
    .option('--json', 'as one JSON document')
    .option('--try-each', 'try every tracepoint, not one of each kind (takes long)')
    .option('-v, --verbose', 'other names of the same event, what each source alone knows')
    .action(async (glob: string | undefined, options) => {
      const { runList } = await import('./list.ts');
      await runList(glob, options);
    });

  program
    .command('cpu')
    .description('hardware events that this CPU supports')
    .option('--explain <register>', 'every bit of an event select, in hex: 0x004300c0')
    .addOption(
      new Option(
        '--vendor <vendor>',
        'explain: whose event select (default: of this machine)',
      ).choices(['intel', 'amd', 'arm']),
    )
    .option('--leaves <file>', 'of another machine: the output of cpuid -r there')
    .option('--json', 'as one JSON document')
    .action(async (options) => {
      const { runCpu } = await import('./cpu.ts');
      await runCpu(options);
    });

  program
    .command('doctor')
    .description('problems that prevent recording here, and the fix for each')
    .argument('[binary]', 'a program or library: whether stacks through it will be complete')
    .option('--selftest', 'record a workload of our own and check what is claimed of the kernel')
    .option('-e, --event <list>', 'selftest: this event only; may repeat', collect)
    .option('--quick', 'selftest: a third of the recordings')
    .option('-o, --output <file>', 'selftest: the report as JSON, to be sent on')
    .option(
      '--clean',
      'remove what killed programs and recordings have left; others are not touched',
    )
    .option('--dry-run', 'clean: print what it would remove')
    .option('--json', 'as one JSON document')
    .option('-v, --verbose', 'selftest: every number')
    .action(async (binary, options) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(options, binary);
    });

  program
    .command('version')
    .description('the version, and which parts are there')
    .option('--build-options', 'the parts that may be missing, and what they are for')
    .option('--json', 'as one JSON document')
    .addHelpText('after', '\nExample:\n  perf-ts version --build-options')
    .action(async (options) => {
      const { runVersion } = await import('./info/version.ts');
      runVersion(options);
    });
}
