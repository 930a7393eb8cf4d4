import { Option } from 'commander';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';
import { OPTION_GROUP } from '../shared/option-groups.ts';

/** `perf-ts stat`; its code is loaded when it is run. */
export function declareStat(program: GuidedCommand): void {
  declareStatOptions(
    measuringCommand(
      program,
      'stat',
      'count events of a command, of what runs, or of the whole system',
    ),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runStat } = await import('./stat.ts');
    await runStat(command, options);
  });
}

/** The options of `stat`, in the groups that its help shows. What they mean is in stat-flags. */
function declareStatOptions(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup('Events:')
    .option(
      '-e, --event <list>',
      'events in perf syntax, {a,b} counted together; may repeat (default those of perf stat)',
      collect,
    )
    .option('-d, --detailed', 'more of the caches; -dd, -ddd: more still', increase, 0)
    .option('--topdown', 'how the CPU used its issue slots, where it counts them')
    .option('--all-user', 'user code only')
    .option('--all-kernel', 'kernel code only')

    .optionsGroup('Target:')
    .option('-p, --pid <pids>', 'processes that run, all their threads')
    .option('-t, --tid <tids>', 'single threads')
    .option('-a, --all-cpus', 'the whole system; a command sets the duration')
    .option('-C, --cpu <cpus>', 'everything on these CPUs (0-3,8)')
    .option('--for-each-cgroup <paths>', 'with -a: each of these control groups by itself')
    .option('-i, --no-inherit', 'leave out threads and children started later')
    .option('--user <name>', 'who the command runs as (default who called sudo, else you)')
    .option('--as-root', 'under sudo: keep root for the command')

    .optionsGroup('Aggregation:')
    .option('-A, --no-aggr', 'with -a: each CPU by itself')
    .option('--per-core', 'with -a: by core')
    .option('--per-socket', 'with -a: by socket')
    .option('--per-thread', 'with -p or -t: each thread by itself')

    .optionsGroup('Duration and repetition:')
    .option('-r, --repeat <n>', 'run the command n times: mean, and the error of the mean')
    .option('--table', 'with -r: the time of each run')
    .option('-I, --interval-print <ms>', 'also print the counts of each interval')
    .option('--interval-count <n>', 'end after n intervals')
    .option('-D, --delay <ms>', 'begin to count after this time')
    .option('--duration <s>', 'end the counting after this time')
    .addOption(new Option('--timeout <ms>').hideHelp())

    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-j, --json', 'as JSON; with -I one line per interval, and one at the end')
    .option('-x, --field-separator <separator>', 'as lines of fields, with a header')
    .option('-o, --output <file>', 'into this file, - is standard output (default standard error)')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'counts only, no notices')
    .option('-v, --verbose', 'more about failures')
    .addOption(new Option('--no-big-num').hideHelp())
    .addOption(new Option('-B, --big-num').hideHelp())
    .examples([
      ['perf-ts stat -- ./app', 'the default events of one program'],
      ["perf-ts stat -r 10 -e '{cycles,instructions}' -- ./app", 'mean of ten runs, with IPC'],
      ["perf-ts stat -I 1000 -e '{cycles,instructions}' -p PID", 'IPC of each second'],
      ['sudo perf-ts stat -a --per-core --duration 5', 'the machine, core by core'],
      ['sudo perf-ts stat -a -e power/energy-pkg/ -- ./app', 'Joules of the socket while it runs'],
      ['perf-ts stat --json -o counts.json -- ./app', 'for programs'],
    ]);
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function increase(_: string, earlier: number): number {
  return earlier + 1;
}
