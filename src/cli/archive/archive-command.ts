import { ARCHIVE } from '../../options/archive.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareArchive(program: GuidedCommand): void {
  withInput(
    program.command('archive'),
    'store symbols next to the recording, for reports on other machines',
  )
    .examples([
      ['perf-ts archive', 'perf.data.symbols, beside perf.data'],
      ['perf-ts archive -o perf.data.symbols.tar.gz', 'the same in one file'],
    ])
    .asks(ARCHIVE, async (options, file: string | undefined) => {
      const { runArchive } = await import('./archive.ts');
      runArchive(inputFile(file, options), options);
    });
}
