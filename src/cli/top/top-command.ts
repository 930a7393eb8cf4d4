import { TOP } from '../../options/top.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';

/** `perf-ts top`; its code is loaded when it is run. */
export function declareTop(program: GuidedCommand): void {
  measuringCommand(program, 'top', 'live profile of running code')
    .examples(
      [
        ['sudo perf-ts top', 'the whole machine'],
        ['sudo perf-ts top -g -F 1000 --window 10', 'with callers, the last ten seconds'],
        ['perf-ts top -p 1234', 'a process that runs already'],
        ['perf-ts top --json --duration 5 -- ./app', 'a line for each second, for a program'],
      ],
      [
        'Keys: q quit, s other rows, e other event, p pause, z begin anew, / filter, ↑ ↓ choose a row, Enter ' +
          'its callers, Esc back, h help.',
      ],
    )
    .asks(TOP, async (flags, command: string[]) => {
      prepareFor(command);
      const { runTop } = await import('./top.ts');
      await runTop(command, flags);
    });
}
