import { INFO } from '../../options/info.ts';
import { declareChecked } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareInfo(program: GuidedCommand): void {
  withInput(declareChecked(program.command('info'), INFO), 'header, events, record counts')
    .examples([
      ['perf-ts info', 'of perf.data'],
      ['perf-ts info --json app.data', 'for a program'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runInfo } = await import('./info.ts');
      await runInfo(inputFile(file, options), options);
    });
}
