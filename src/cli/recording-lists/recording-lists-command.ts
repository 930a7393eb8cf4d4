import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';
import { BUILD_ID_LIST, EVLIST } from './recording-lists-options.ts';

/** Declares `evlist`: the events of a recording. */
export function declareEvlist(program: GuidedCommand): void {
  withInput(program.command('evlist'), 'the events of a recording, one line each')
    .examples([
      ['perf-ts evlist', 'of perf.data'],
      ['perf-ts evlist -F', 'with the rate of each'],
      ['perf-ts info', 'more about the recording'],
    ])
    .asks(EVLIST, async (options, file: string | undefined) => {
      const { runEvlist } = await import('./recording-lists.ts');
      await runEvlist(inputFile(file, options), options);
    });
}

/** Declares `buildid-list`: the build IDs of recorded files. */
export function declareBuildIdList(program: GuidedCommand): void {
  withInput(program.command('buildid-list'), 'the build IDs of the files of a recording')
    .examples([
      ['perf-ts buildid-list', 'of perf.data'],
      ['perf-ts buildid-list -k', 'of the kernel that runs'],
      ['perf-ts inject -b -o b.data', 'adds those that are missing'],
    ])
    .asks(BUILD_ID_LIST, async (options, file: string | undefined) => {
      const { runBuildIdList } = await import('./recording-lists.ts');
      await runBuildIdList(inputFile(file, options), options);
    });
}
