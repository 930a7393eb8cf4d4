import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareList(program: GuidedCommand): void {
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
