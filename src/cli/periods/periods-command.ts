import { PERIODS } from '../../options/periods.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declarePeriods(program: GuidedCommand): void {
  withInput(program.command('periods'), 'how the adaptive period behaved, and what was lost')
    .examples([
      ['perf-ts periods', 'of perf.data'],
      ['perf-ts periods --pairs 8', 'and the rates from sample to sample'],
      [
        "perf-ts periods --simulate '1M/s for 100ms, 10k/s for 1s' --freq 5000",
        'of events that are made up',
      ],
    ])
    .asks(PERIODS, async (options, file: string | undefined) => {
      if (options.simulate !== undefined) {
        const { runSimulate } = await import('./simulate.ts');
        runSimulate(options.simulate, options);
        return;
      }
      const { fileBehindPairs, runPeriods } = await import('./periods.ts');
      const given = fileBehindPairs(file, options);
      await runPeriods(inputFile(given.file, given.flags), given.flags);
    });
}
