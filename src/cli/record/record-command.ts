import { Option } from 'commander';
import type { Example, GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';
import { OPTION_GROUP } from '../shared/option-groups.ts';
import { ALWAYS_SO, REFUSED } from './perf-record-options.ts';

/** `perf-ts record`; its code is loaded when it is run. */
export function declareRecord(program: GuidedCommand): void {
  declareRecordOptions(
    measuringCommand(program, 'record', 'run or attach, sample, write perf.data'),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runRecord } = await import('./record.ts');
    await runRecord(command, options);
  });
}

/** Declares the options of `record`, in the groups that its help shows. What they mean is in record-flags. */
export function declareRecordOptions(command: GuidedCommand): GuidedCommand {
  declareEvents(command);
  declareTarget(command);
  declareFields(command);
  declareAdditionalRecords(command);
  declareRecording(command);
  declareOutput(command);
  declareViewAndMessages(command);
  for (const flags of ALWAYS_SO) command.addOption(new Option(flags).hideHelp());
  for (const { flags } of REFUSED) command.addOption(new Option(flags).hideHelp());
  return command.examples(EXAMPLES);
}

function declareEvents(command: GuidedCommand): void {
  command
    .optionsGroup('Events:')
    .option(
      '-e, --event <list>',
      'events in perf syntax; may repeat (default cycles:P, or cpu-clock where the CPU has no counters)',
      collect,
    )
    .option('-F, --freq <hz>', 'frequency mode: samples per second, or max (default 3989)')
    .option('-c, --count <n>', 'period mode: one sample every n events')
    .option(
      '--off-cpu [=only]',
      'also record off-CPU time, where and why threads wait; only: nothing else',
    )
    .option('--no-wake-ups', 'with --off-cpu: leave out when threads were woken, and by whom')
    .option('--strict-freq', 'refuse a frequency above the kernel limit')
    .option('--all-user', 'user code only')
    .option('--all-kernel', 'kernel code only');
}

function declareTarget(command: GuidedCommand): void {
  command
    .optionsGroup('Target:')
    .option('-p, --pid <pids>', 'attach to processes, all their threads')
    .option('-t, --tid <tids>', 'attach to single threads')
    .option('-u, --uid <user>', 'attach to the processes that run as this user (name or number)')
    .option('-a, --all-cpus', 'record the whole system')
    .option('-C, --cpu <cpus>', 'record on these CPUs only (0-3,8)')
    .option('-i, --no-inherit', 'leave out threads and children started later')
    .option('--per-thread', 'a ring for each thread that runs now, on whatever CPU it is')
    .option('-G, --cgroup <path>', 'with -a: what runs in this control group')
    .option('--user <name>', 'who the command runs as (default who called sudo, else you)')
    .option('--as-root', 'under sudo: keep root for the command')
    .option(
      '--attach-js',
      'with -p: name the JavaScript of a running Node through its inspector, open for some milliseconds',
    )
    .option('--no-attach-js', 'with -p: do not, and do not ask on a terminal')
    .option('--node-flags', "always add V8's perf flags to NODE_OPTIONS")
    .option(
      '--no-node-flags',
      'do not touch NODE_OPTIONS (flags are added automatically for Node commands)',
    )
    .option(
      '--jitdump',
      "V8's jitdump in place of its perf map: inlined functions, lines, exact times",
    );
}

function declareFields(command: GuidedCommand): void {
  command
    .optionsGroup('Fields of each sample:')
    .option('-g', 'call stacks')
    .option(
      '--call-graph <how>',
      'call stacks: fp (frame pointers), dwarf[,BYTES] (stack dumps), auto[,BYTES] (both), lbr (Intel), none (default none, with -g fp)',
    )
    .option('--counts', 'the value of the counter')
    .option('-d, --data', 'the address of the data, and mappings of data')
    .option('--phys-data', 'the physical address of the data')
    .option('--data-page-size', 'the size of the page that the data is in')
    .option('--code-page-size', 'the size of the page that the code is in')
    .option('-W, --weight', 'the cost of the event, where the CPU reports it')
    .option('--user-regs [=list]', 'registers of user code: all, or these (ax,sp,ip)')
    .option('-I, --intr-regs [=list]', 'registers where the event happened: all, or these')
    .option('-b, --branch-any', 'the branches before the sample, where the CPU records them')
    .option('-j, --branch-filter <list>', 'only branches of these kinds (any_call,u)')
    .option('-R, --raw-samples', "the kernel's raw data of all events, not of tracepoints only");
}

function declareAdditionalRecords(command: GuidedCommand): void {
  command
    .optionsGroup('Additional records:')
    .option('--switch-events', 'when threads come onto a CPU and leave it')
    .option('--namespaces', 'the namespaces of processes')
    .option('--all-cgroups', 'control groups, and the one of each sample')
    .option('-s, --exit-counts', 'with --counts, also the final count of each thread as it exits')
    .option('--stat', 'also count: totals of these events and of the usual ones')
    .option('-n, --no-samples', 'no samples: the additional records only')
    .option('-B, --no-buildid', 'leave out build IDs')
    .option(
      '-N, --no-buildid-cache',
      'leave out the symbols of programs, which the next build replaces',
    );
}

function declareRecording(command: GuidedCommand): void {
  command
    .optionsGroup('Recording:')
    .option('-D, --delay <ms>', 'start sampling after this time; -1: when --control enables it')
    .option('--control <where>', 'commands while it runs: fd:N[,ACK] or fifo:PATH[,ACK]')
    .option('--duration <s>', 'stop by itself after this many seconds')
    .option('--ready <url>', 'begin to sample once this URL or port answers')
    .option('--ready-timeout <s>', 'with --ready: give up after so long (default 60)')
    .option('--load <line>', 'run this line of shell, then end the recording and its command')
    .option(
      '--until-idle [=s]',
      'end once the command, or -p, has worked and then been idle for so long (default 2)',
    )
    .option(
      '-m, --mmap-pages <pages>',
      'data pages of each ring, or a size as 512K (default 4M as root, else what perf_event_mlock_kb leaves, usually 256K)',
    )
    .option('--overwrite', 'keep the last samples that fit the rings, write them at the end')
    .option('-k, --clockid <clock>', 'clock of the record times (default monotonic)');
}

function declareOutput(command: GuidedCommand): void {
  command
    .optionsGroup('Output file:')
    .option('-o, --output <file>', 'where to write; - is standard output (default perf.data)')
    .option(
      '--switch-output [=when]',
      'a new file at each SIGUSR2, every so often (10s) or large (10M)',
    )
    .option('--switch-max-files <n>', 'keep the last n complete files')
    .option(
      '-z, --compression-level [=n]',
      'compress with zstd while it is recorded: 1 (fastest, default) to 22',
    )
    .option('--max-size <size>', 'stop at this file size (10M, 1G)')
    .option(
      '--archive',
      'also store the files that name the samples in FILE.symbols, for other machines',
    );
}

function declareViewAndMessages(command: GuidedCommand): void {
  command
    .optionsGroup('View:')
    .option('--view', 'show it in the browser while it is recorded, until Ctrl-C')
    .option('--port <n>', 'with --view: the port on 127.0.0.1 (default any that is free)')
    .option('--no-open', 'with --view: print the address only')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option(
      '--fail-on-loss <share>',
      'exit with 3 if more of the samples were lost (0.01, 1%), or any fork, exec or mapping',
    )
    .option('-q, --quiet', 'errors only')
    .option('-v, --verbose', 'also print what is opened, field by field')
    .option('--dry-run', 'print what would be opened, and stop')
    .option('--json', 'the closing summary as JSON on standard error');
}

const EXAMPLES: readonly Example[] = [
  ['sudo perf-ts record -F 30000 -g -- ./app', 'one program, kernel code included'],
  ['perf-ts record -g -e cpu-clock:u -- node app.js', 'user code only, needs no root'],
  ['perf-ts record -g -p 1234 -- sleep 10', 'a process that runs already, for ten seconds'],
  ['sudo perf-ts record -a -e sched:sched_switch -c 1', 'every context switch of the machine'],
  ['sudo perf-ts record --off-cpu -g -- node app.js', 'what it runs, and what it waits for'],
];

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
