import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

/** Declares `evlist`: the events of a recording. */
export function declareEvlist(program: GuidedCommand): void {
  withInput(program.command('evlist'), 'the events of a recording, one line each')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-F, --freq', 'their rates, too')
    .option('-g, --group', 'events of a group in braces')
    .addOption(new Option('--trace-fields', 'the fields of tracepoints').hideHelp())
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
  withInput(program.command('buildid-list'), 'the build IDs of the files of a recording')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-H, --with-hits', 'files in which samples were taken, only')
    .option('-k, --kernel', 'of the running kernel, in place of a recording')
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
