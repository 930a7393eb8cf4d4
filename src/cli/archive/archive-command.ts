import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareArchive(program: GuidedCommand): void {
  withInput(
    program.command('archive'),
    'store symbols next to the recording, for reports on other machines',
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-o, --output <path>', 'a directory, or a .tar(.gz, .xz) file (default FILE.symbols)')
    .option('--full', 'complete files instead of their symbols and tables')
    .option('--no-dwarf', 'without lines and inlined calls')
    .optionsGroup(OPTION_GROUP.NAMES)
    .option('--symfs <dir>', "the recorded machine's files are below this directory")
    .option('--kallsyms <file>', "the recorded machine's list of kernel symbols, or its vmlinux")
    .option('--debug-dir <dir>', 'debug files are below this directory, as in /usr/lib/debug')
    .examples([
      ['perf-ts archive', 'perf.data.symbols, beside perf.data'],
      ['perf-ts archive -o perf.data.symbols.tar.gz', 'the same in one file'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runArchive } = await import('./archive.ts');
      runArchive(inputFile(file, options), options);
    });
}
