import { LIST } from '../../options/list.ts';
import { declareChecked } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareList(program: GuidedCommand): void {
  declareChecked(program.command('list'), LIST)
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
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
