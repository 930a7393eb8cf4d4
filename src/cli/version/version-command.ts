import { VERSION } from '../../options/version.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareVersion(program: GuidedCommand): void {
  program
    .command('version')
    .description('the version, and which parts are there')
    .examples([
      ['perf-ts version', 'for a bug report'],
      ['perf-ts version --build-options', 'the parts that may be missing, and their purpose'],
    ])
    .asks(VERSION, async (options) => {
      const { runVersion } = await import('./version.ts');
      runVersion(options);
    });
}
