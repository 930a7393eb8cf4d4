import { OPTION_GROUP } from '../../options/groups.ts';
import { yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts version`. */
const VERSION = options({
  ...inGroup(OPTION_GROUP.OUTPUT, {
    buildOptions: commandOption(yesNo, {
      flags: '--build-options',
      help: 'the parts that may be missing, and what they are for',
    }),
    ...JSON_OUTPUT,
  }),
});

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
