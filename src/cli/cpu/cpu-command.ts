import { oneOf, text } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** The options of `perf-ts cpu`. */
const CPU = options({
  ...inGroup('CPU:', {
    explain: commandOption(text, {
      flags: '--explain <register>',
      help: 'every bit of an event select, in hex: 0x004300c0',
    }),
    vendor: commandOption(oneOf('intel', 'amd', 'arm'), {
      flags: '--vendor <vendor>',
      help: 'explain: whose event select (default this machine)',
    }),
    leaves: commandOption(text, {
      flags: '--leaves <file>',
      help: 'of another machine: the output of cpuid -r there',
    }),
  }),
  ...JSON_OUTPUT,
});

export function declareCpu(program: GuidedCommand): void {
  program
    .command('cpu')
    .description('hardware events that this CPU supports')
    .examples([
      ['perf-ts cpu', 'the events, and how many counters there are'],
      ['perf-ts cpu --explain 0x004300c0', 'the fields of a raw event'],
      ['perf-ts cpu --leaves cpuid.txt', 'of another machine, where cpuid -r > cpuid.txt ran'],
    ])
    .asks(CPU, async (options) => {
      const { runCpu } = await import('./cpu.ts');
      await runCpu(options);
    });
}
