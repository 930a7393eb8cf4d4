import { VERSION } from '../../options/version.ts';
import { declareChecked } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareVersion(program: GuidedCommand): void {
  declareChecked(program.command('version'), VERSION)
    .description('the version, and which parts are there')
    .examples([
      ['perf-ts version', 'for a bug report'],
      ['perf-ts version --build-options', 'the parts that may be missing, and their purpose'],
    ])
    .action(async (options) => {
      const { runVersion } = await import('./version.ts');
      runVersion(options);
    });
}
