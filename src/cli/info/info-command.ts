import { INFO } from '../../options/info.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareInfo(program: GuidedCommand): void {
  withInput(program.command('info'), 'header, events, record counts')
    .examples([
      ['perf-ts info', 'of perf.data'],
      ['perf-ts info --json app.data', 'for a program'],
    ])
    .asks(INFO, async (options, file: string | undefined) => {
      const { runInfo } = await import('./info.ts');
      await runInfo(inputFile(file, options), options);
    });
}
