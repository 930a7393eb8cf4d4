import type { GuidedCommand } from '../shared/guided-command.ts';
import { LIST } from './list-options.ts';

export function declareList(program: GuidedCommand): void {
  program
    .command('list')
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
    .examples([
      ['perf-ts list', 'all events of this machine'],
      ["perf-ts list 'cache*'", 'those whose names begin so'],
      ["perf-ts list --json 'sched:*'", 'for a program'],
    ])
    .asks(LIST, async (options, glob: string | undefined) => {
      const { runList } = await import('./list.ts');
      await runList(glob, options);
    });
}
