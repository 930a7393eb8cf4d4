import { BUILD_ID_LIST, EVLIST } from '../../options/lists.ts';
import { declareChecked } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

/** Declares `evlist`: the events of a recording. */
export function declareEvlist(program: GuidedCommand): void {
  withInput(
    declareChecked(program.command('evlist'), EVLIST),
    'the events of a recording, one line each',
  )
    .examples([
      ['perf-ts evlist', 'of perf.data'],
      ['perf-ts evlist -F', 'with the rate of each'],
      ['perf-ts info', 'more about the recording'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runEvlist } = await import('./lists.ts');
      await runEvlist(inputFile(file, options), options);
    });
}

/** Declares `buildid-list`: the build IDs of recorded files. */
export function declareBuildIdList(program: GuidedCommand): void {
  withInput(
    declareChecked(program.command('buildid-list'), BUILD_ID_LIST),
    'the build IDs of the files of a recording',
  )
    .examples([
      ['perf-ts buildid-list', 'of perf.data'],
      ['perf-ts buildid-list -k', 'of the kernel that runs'],
      ['perf-ts inject -b -o b.data', 'adds those that are missing'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runBuildIdList } = await import('./lists.ts');
      await runBuildIdList(inputFile(file, options), options);
    });
}
