import type { GuidedCommand } from '../shared/guided-command.ts';
import { CPU } from './cpu-options.ts';

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
