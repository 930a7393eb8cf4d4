import type { GuidedCommand } from '../shared/guided-command.ts';
import { DOCTOR } from './doctor-options.ts';

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
