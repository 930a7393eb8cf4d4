import { Option } from 'commander';
import { declareRecordOptions } from '../record/record-command.ts';
import { GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';

/** Options of `record` that mean the same here. */
const SHARED = [
  '--event',
  '--freq',
  '--count',
  '--strict-freq',
  '--all-user',
  '--all-kernel',
  '--pid',
  '--tid',
  '--all-cpus',
  '--cpu',
  '--no-inherit',
  '--cgroup',
  '--user',
  '--as-root',
  '--node-flags',
  '--no-node-flags',
  '--call-graph',
  '--mmap-pages',
  '--duration',
  '--quiet',
];

/** `perf-ts top`; its code is loaded when it is run. */
export function declareTop(program: GuidedCommand): void {
  declareTopOptions(measuringCommand(program, 'top', 'live profile of running code')).action(
    async (command: string[], options) => {
      prepareFor(command);
      const { runTop } = await import('./top.ts');
      await runTop(command, options);
    },
  );
}

/** The options of `top`: those of `record` that concern no file, and how it is shown. */
function declareTopOptions(command: GuidedCommand): GuidedCommand {
  for (const option of declareRecordOptions(new GuidedCommand()).options) {
    if (option.long === '--all-cpus') option.description = 'the whole system (default)';
    if (SHARED.includes(option.long ?? '') || option.flags === '-g') command.addOption(option);
  }
  return command
    .optionsGroup('Target:')
    .option('-u, --uid <user>', 'the processes that run as this user (name or number)')
    .optionsGroup('Display:')
    .option('-d, --delay <s>', 'seconds between two tables (default 1)')
    .option('--window <s>', 'tables of the last so many seconds (default since the start)')
    .option(
      '-s, --sort <keys>',
      'rows: sym, dso, comm, thread, or a list of these and pid, tid, cpu, category, tier',
      'sym',
    )
    .addOption(
      new Option('--weight <kind>', 'what a sample counts for (default period)').choices([
        'samples',
        'period',
      ]),
    )
    .option('-n, --limit [rows]', 'how many rows, 0: all (default what the terminal has, else 40)')
    .addOption(new Option('--rows <n>').hideHelp())
    .addOption(new Option('-E, --entries <n>').hideHelp())
    .option('--with-self', 'also what perf-ts itself does')
    .option('--batch', 'table after table, without a screen; so it is where output is no terminal')
    .option('--json', 'one line of JSON for each table')
    .examples(
      [
        ['sudo perf-ts top', 'the whole machine'],
        ['sudo perf-ts top -g -F 1000 --window 10', 'with callers, the last ten seconds'],
        ['perf-ts top -p 1234', 'a process that runs already'],
        ['perf-ts top --json --duration 5 -- ./app', 'a line for each second, for a program'],
      ],
      [
        'Keys: q quit, s other rows, e other event, p pause, z begin anew, / filter, ↑ ↓ choose a row, Enter ' +
          'its callers, Esc back, h help.',
      ],
    );
}
