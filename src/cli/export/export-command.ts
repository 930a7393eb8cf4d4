import { EXPORT } from '../../options/export.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareExport(program: GuidedCommand): void {
  withInput(program.command('export'), 'the profile in the format of other tools')
    .examples([
      ['perf-ts export --format html -o page.html', 'the page of perf-ts view in one file'],
      ['perf-ts export -o flame.svg', 'a flame graph as a picture, without scripts'],
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
    .asks(EXPORT, async (options, file: string | undefined) => {
      const { exportAs } = await import('./export-as.ts');
      await exportAs(inputFile(file, options), options);
    });
}
