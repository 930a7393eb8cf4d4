import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  debuginfodOption,
  eventOption,
  inputFile,
  weightOption,
  withInput,
  withJavaScript,
  withSelection,
  withSymbols,
} from '../shared/reading-options.ts';

export function declareExport(program: GuidedCommand): void {
  withJavaScript(
    withSymbols(
      withSelection(
        withInput(
          program.command('export'),
          'the profile in the format of other tools',
          'what the weights are, as JSON on standard error',
        ),
      ),
    ),
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(['folded', 'speedscope', 'html', 'pprof', 'firefox', 'cpuprofile', 'parquet'])
        .makeOptionMandatory(),
    )
    .requiredOption(
      '-o, --output <file>',
      'where to write; - is standard output; parquet: a folder',
    )
    .option('--service <name>', 'parquet: the service that was recorded')
    .option('--build <name>', 'parquet: the version that was recorded')
    .addOption(weightOption())
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option(
      '--join',
      'one event of those that count time: what ran, and with --off-cpu what waited',
    )
    .addOption(debuginfodOption())
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--title <text>', 'title of the page (default the command that was recorded)')
    .option('--no-sources', 'html: without the texts of the source files with most samples')
    .addOption(
      new Option(
        '--names <how>',
        'names in folded lines: complete, or cut at parameters as stackcollapse-perf.pl does',
      )
        .choices(['full', 'tidy'])
        .default('full'),
    )
    .examples([
      ['perf-ts export --format html -o page.html', 'the page of perf-ts view in one file'],
      ['perf-ts export --format speedscope -o p.speedscope.json', 'for www.speedscope.app'],
      ['perf-ts export --format pprof -o p.pb.gz', 'for go tool pprof'],
      ['perf-ts export --format firefox -o p.json', 'for profiler.firefox.com'],
      [
        'perf-ts export --format cpuprofile -o p.cpuprofile',
        'one thread, for DevTools and VS Code',
      ],
      ['perf-ts export --format parquet -o app.parquet', 'tables for SQL, one file each'],
      [
        'perf-ts export --format folded -o - | flamegraph.pl > graph.svg',
        'for the scripts of FlameGraph',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      if (options.format === 'parquet') {
        const { exportParquet } = await import('./export-parquet.ts');
        await exportParquet(inputFile(file, options), options);
        return;
      }
      const { runExport } = await import('./export.ts');
      await runExport(inputFile(file, options), options);
    });
}
