import { CPU } from '../../options/cpu.ts';
import { declareChecked } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareCpu(program: GuidedCommand): void {
  declareChecked(program.command('cpu'), CPU)
    .description('hardware events that this CPU supports')
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
