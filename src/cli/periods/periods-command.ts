import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declarePeriods(program: GuidedCommand): void {
  withInput(program.command('periods'), 'how the adaptive period behaved, and what was lost')
    .optionsGroup('Streams:')
    .option('--streams <n>', 'how many streams to show, or all', '20')
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option('--time <ranges>', 'streams with samples of this time, as in report')
    .option('-C, --cpu <cpus>', 'streams with samples of these CPUs')
    .option('--pid <pids>', 'streams with samples of these processes')
    .option('--tid <tids>', 'streams with samples of these threads')
    .option('-c, --comm <names>', 'streams with samples of threads with these names')
    .optionsGroup('Streams:')
    .option(
      '--pairs [n]',
      'event rate and sampling rate of the first n pairs of samples, or all (default 32)',
    )
    .optionsGroup('Simulation:')
    .option('--simulate <rates>', "instead of a file, such events: '1M/s for 1s, 10k/s for 1s'")
    .option('--freq <hz>', 'samples per second asked', '4000')
    .addOption(
      new Option('--event-kind <kind>', 'who counts')
        .choices(['software', 'hardware'])
        .default('software'),
    )
    .addOption(
      new Option('--hz <ticks>', 'ticks per second of the kernel')
        .choices(['100', '250', '300', '1000'])
        .default('250'),
    )
    .addOption(
      new Option('--rounding <how>', 'how the eighth is rounded; up is before August 2024')
        .choices(['away', 'up'])
        .default('away'),
    )
    .examples([
      ['perf-ts periods', 'of perf.data'],
      ['perf-ts periods --pairs 8', 'and the rates from sample to sample'],
      [
        "perf-ts periods --simulate '1M/s for 100ms, 10k/s for 1s' --freq 5000",
        'of events that are made up',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      if (options.simulate !== undefined) {
        const { runSimulate } = await import('./simulate.ts');
        runSimulate(options);
        return;
      }
      const { fileBehindPairs, runPeriods } = await import('./periods.ts');
      const given = fileBehindPairs(file, options);
      await runPeriods(inputFile(given.file, given.flags), given.flags);
    });
}
