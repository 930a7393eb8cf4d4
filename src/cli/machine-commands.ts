import { Option } from 'commander';
import type { GuidedCommand } from './command/guided-command.ts';
import { OPTION_GROUP } from './command/option-groups.ts';
import { collect } from './command/reading-options.ts';

/** Declares the commands about this machine. Their code is loaded when they are run. */
export function declareMachineCommands(program: GuidedCommand): void {
  declareList(program);
  declareCpu(program);
  declareDoctor(program);
  declareVersion(program);
}

function declareList(program: GuidedCommand): void {
  program
    .command('list')
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-j, --json', 'as one JSON document')
    .optionsGroup('Events:')
    .option('--try-each', 'try every tracepoint, not one of each kind (takes long)')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-v, --verbose', 'other names of the same event, what each source alone knows')
    .examples([
      ['perf-ts list', 'all events of this machine'],
      ["perf-ts list 'cache*'", 'those whose names begin so'],
      ["perf-ts list --json 'sched:*'", 'for a program'],
    ])
    .action(async (glob: string | undefined, options) => {
      const { runList } = await import('./list.ts');
      await runList(glob, options);
    });
}

function declareCpu(program: GuidedCommand): void {
  program
    .command('cpu')
    .description('hardware events that this CPU supports')
    .optionsGroup('CPU:')
    .option('--explain <register>', 'every bit of an event select, in hex: 0x004300c0')
    .addOption(
      new Option('--vendor <vendor>', 'explain: whose event select (default this machine)').choices(
        ['intel', 'amd', 'arm'],
      ),
    )
    .option('--leaves <file>', 'of another machine: the output of cpuid -r there')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--json', 'as one JSON document')
    .examples([
      ['perf-ts cpu', 'the events, and how many counters there are'],
      ['perf-ts cpu --explain 0x004300c0', 'the fields of a raw event'],
      ['perf-ts cpu --leaves cpuid.txt', 'of another machine, where cpuid -r > cpuid.txt ran'],
    ])
    .action(async (options) => {
      const { runCpu } = await import('./cpu.ts');
      await runCpu(options);
    });
}

function declareDoctor(program: GuidedCommand): void {
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

function declareVersion(program: GuidedCommand): void {
  program
    .command('version')
    .description('the version, and which parts are there')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--build-options', 'the parts that may be missing, and what they are for')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--json', 'as one JSON document')
    .examples([
      ['perf-ts version', 'for a bug report'],
      ['perf-ts version --build-options', 'the parts that may be missing, and their purpose'],
    ])
    .action(async (options) => {
      const { runVersion } = await import('./info/version.ts');
      runVersion(options);
    });
}
