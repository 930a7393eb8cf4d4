import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareVersion(program: GuidedCommand): void {
  program
    .command('version')
    .description('the version, and which parts are there')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--build-options', 'the parts that may be missing, and what they are for')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--json', 'as one JSON document')
    .examples([
      ['perf-ts version', 'for a bug report'],
      ['perf-ts version --build-options', 'the parts that may be missing, and their purpose'],
    ])
    .action(async (options) => {
      const { runVersion } = await import('./version.ts');
      runVersion(options);
    });
}
