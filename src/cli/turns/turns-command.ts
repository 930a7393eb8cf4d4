import { TURNS } from '../../options/turns.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareTurns(program: GuidedCommand): void {
  withInput(program.command('turns'), 'how long the event loop was busy at a time, and with what')
    .examples([
      ['perf-ts turns', 'of perf.data: how long turns took, and the slowest ones'],
      ['perf-ts turns --over 50ms -n 0', 'all that took 50 ms or longer'],
      ['perf-ts report --in-turns-over 50ms', 'what ran in those'],
    ])
    .asks(TURNS, async (options, file: string | undefined) => {
      const { runTurns } = await import('./turns.ts');
      await runTurns(inputFile(file, options), options);
    });
}
