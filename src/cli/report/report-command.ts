import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  debuginfodOption,
  eventOption,
  inputFile,
  weightOption,
  withInput,
  withJavaScript,
  withSelection,
  withSymbols,
} from '../shared/reading-options.ts';

/** Declares `report`. Its code is loaded when it is run. */
export function declareReport(program: GuidedCommand): void {
  withJavaScript(
    withSymbols(
      withSelection(withInput(program.command('report'), 'where the events went, in the terminal')),
    ),
  )
    .addOption(weightOption())
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option(
      '--join',
      'one event of those that count time: what ran, and with --off-cpu what waited',
    )
    .addOption(debuginfodOption())
    .optionsGroup('Table:')
    .option('--tree', 'callers and callees instead of the flat table')
    .option(
      '-g, --call-graph [how]',
      'as in perf: --tree, with a least share and an order (graph,0.5,caller or callee)',
    )
    .addOption(new Option('-G, --inverted').hideHelp())
    .option(
      '-s, --sort <keys>',
      'rows of the flat table: sym, dso, srcline, tier, category, comm, pid, tid, cpu, coretype, event, or a list',
      'sym',
    )
    .option('--children', 'rows by total: what was done in them and in all that they called')
    .option('--no-children', 'rows by self, without totals')
    .option('--no-group', 'a table for each event of a group, in place of one for all')
    .addOption(eventOption())
    .option('-n, --limit [rows]', 'how many rows, 0: all (default 40)')
    .addOption(new Option('--rows <n>').hideHelp())
    .option('--idle', 'also what CPUs do that have nothing to do, which is hidden as in perf top')
    .option(
      '--percent-limit <share>',
      'leave out what is below this per cent (default 0; of a tree 0.5)',
    )
    .option(
      '-F, --fields <list>',
      'columns: overhead, overhead_children, sample, period, and keys of --sort',
    )
    .option('--diff <old>', 'changes of self against this older recording, with their intervals')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-t, --field-separator <separator>', 'for programs: fields with this between them')
    .option('--header', 'the header of the recording before the report')
    .option('--header-only', 'the header of the recording, and no report')
    .option('--stats', 'how many records of each kind there are, and no report')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'the table only: no lines with #, no messages')
    .addOption(new Option('-I, --show-info').hideHelp())
    .addOption(new Option('--show-total-period').hideHelp())
    .examples([
      ['perf-ts report', 'functions, those with the largest share first'],
      ['perf-ts report --tree -e cpu-clock', 'who called them, of one event'],
      ['perf-ts report --sort comm,dso', 'by command and file'],
      ['perf-ts report --time 10%-20% -c node app.data', 'a part of the time, of some threads'],
      ['perf-ts report new.data --diff old.data', 'as perf-ts diff old.data new.data'],
    ])
    .action(async (word: string | undefined, given) => {
      const { asPerfMeans } = await import('./perf-flags.ts');
      const { file, options } = asPerfMeans(word, given);
      if (options.diff !== undefined) {
        const { runDiffReport } = await import('../diff/diff-report.ts');
        await runDiffReport([inputFile(file, options)], [options.diff], options);
        return;
      }
      const path = inputFile(file, options);
      if (options.headerOnly || options.stats) {
        const { printHeader, printStats } = await import('../info/info.ts');
        if (options.headerOnly) printHeader(path, options);
        else printStats(path, options);
        return;
      }
      const { runReport } = await import('./report.ts');
      await runReport(path, options);
    });
}
