import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareCpu(program: GuidedCommand): void {
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
