import { STAT } from '../../options/stat.ts';
import type { Example, GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';

/** `perf-ts stat`; its code is loaded when it is run. */
export function declareStat(program: GuidedCommand): void {
  const what = 'count events of a command, of what runs, or of the whole system';
  measuringCommand(program, 'stat', what)
    .examples(EXAMPLES)
    .asks(STAT, async (flags, command: string[]) => {
      prepareFor(command);
      const { runStat } = await import('./stat.ts');
      await runStat(command, flags);
    });
}

const EXAMPLES: readonly Example[] = [
  ['perf-ts stat -- ./app', 'the default events of one program'],
  ["perf-ts stat -r 10 -e '{cycles,instructions}' -- ./app", 'mean of ten runs, with IPC'],
  ["perf-ts stat -I 1000 -e '{cycles,instructions}' -p PID", 'IPC of each second'],
  ['sudo perf-ts stat -a --per-core --duration 5', 'the machine, core by core'],
  ['sudo perf-ts stat -a -e power/energy-pkg/ -- ./app', 'Joules of the socket while it runs'],
  ['perf-ts stat --json -o counts.json -- ./app', 'for programs'],
];
