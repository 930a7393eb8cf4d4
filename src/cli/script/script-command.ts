import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  collect,
  eventOption,
  inputFile,
  withInput,
  withSelection,
  withSymbols,
} from '../shared/reading-options.ts';

export function declareScript(program: GuidedCommand): void {
  withSymbols(withSelection(withInput(program.command('script'), 'every record, one line each')))
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--samples', 'samples only')
    .option(
      '-F, --fields <list>',
      'samples only, with these fields, as in perf; may repeat',
      collect,
    )
    .option('--ns', 'times with nanoseconds')
    .option('--header', 'the header of the recording first')
    .option('--header-only', 'the header of the recording, and no records')
    .addOption(new Option('-I, --show-info').hideHelp())
    .optionsGroup(OPTION_GROUP.FRAMES)
    .option('--js-simple', "callchains without V8's interpreter, inline caches and call stubs")
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-D, --dump-raw-trace', 'the bytes of every record too, in the order of the file')
    .optionsGroup('Records in addition to samples:')
    .option('--show-task-events', 'FORK, COMM and EXIT')
    .option('--show-mmap-events', 'MMAP and MMAP2')
    .option('--show-switch-events', 'context switches')
    .option('--show-namespace-events', 'NAMESPACES')
    .option('--show-lost-events', 'what was lost')
    .option('--show-bpf-events', 'KSYMBOL and BPF_EVENT')
    .option('--show-cgroup-events', 'CGROUP')
    .option('--show-text-poke-events', 'changes of kernel code')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'the records only: no messages')
    .examples([
      ['perf-ts script', 'every record, in the order of time'],
      ['perf-ts script -F comm,tid,time,ip,sym', 'samples only, with these fields'],
      [
        `perf-ts script --json | jq -c 'select(.type == "SAMPLE") | .ip'`,
        'the addresses of all samples',
      ],
      ['perf-ts script -D', 'with the bytes of every record'],
    ])
    .action(async (file: string | undefined, options) => {
      const path = inputFile(file, options);
      const { checkIsNoPerfScript } = await import('../perf/perf-commands.ts');
      checkIsNoPerfScript(path);
      if (options.header || options.headerOnly || options.showInfo) {
        const { printHeader } = await import('../info/info.ts');
        printHeader(path, options.headerOnly ? options : { quiet: true });
        if (options.headerOnly) return;
      }
      const { runScript } = await import('./script.ts');
      await runScript(path, options);
    });
}
