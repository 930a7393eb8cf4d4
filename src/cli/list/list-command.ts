import { GENERAL } from '../../options/general.ts';
import { yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts list`. */
const LIST = options({
  json: JSON_OUTPUT.json.with({ flags: [...JSON_OUTPUT.json.flags, { flags: '-j' }] }),
  ...inGroup('Events:', {
    tryEach: commandOption(yesNo, {
      flags: '--try-each',
      help: 'try every tracepoint, not one of each kind (takes long)',
    }),
  }),
  verbose: GENERAL.verbose.with({
    help: 'other names of the same event, what each source alone knows',
  }),
});

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
