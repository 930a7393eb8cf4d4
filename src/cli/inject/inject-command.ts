import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput, withRecordSelection } from '../shared/reading-options.ts';

export function declareInject(program: GuidedCommand): void {
  withRecordSelection(
    withInput(
      program.command('inject'),
      'write a copy of a recording: made smaller or anonymous, or a part of it',
      'the closing summary as JSON on standard error',
    ),
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .requiredOption('-o, --output <file>', 'where to write; - is standard output, as a pipe')
    .optionsGroup('Changes:')
    .option('--strip-kernel', 'one marker in place of all kernel addresses')
    .option('--drop-stacks', 'without the copies of user stacks and registers')
    .option('--anonymize', 'hashes in place of paths, comms, host name, command line')
    .option('--salt <text>', 'is added to the hashes, so that trying names does not reveal them')
    .option('-b, --build-ids', 'add the build IDs of mapped files that are on this machine')
    .option('--remove-build-ids', 'without build IDs')
    .examples([
      ['perf-ts inject -o small.data --drop-stacks', 'without the copies of stacks'],
      ['perf-ts inject -o part.data --time 10%-20%', 'a part of the time'],
      [
        'perf-ts inject -o share.data --strip-kernel --anonymize --salt "$(cat /proc/sys/kernel/random/uuid)"',
        'names replaced, to be shown to others',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      const { runInject } = await import('./inject.ts');
      runInject(inputFile(file, options), options);
    });
}
