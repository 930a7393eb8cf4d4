import { CLOCK_IDS, type ClockName } from '../kernel/perf-event/clock-ids.ts';
import { callGraph } from './call-graph.ts';
import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import {
  abortSignal,
  bytes,
  callback,
  commandLine,
  cpus,
  duration,
  environment,
  type Kind,
  Misfit,
  oneOf,
  orWhenAsked,
  pages,
  rate,
  share,
  someOrAll,
  switchWhen,
  taskIds,
  text,
  texts,
  whole,
  yesNo,
} from './kinds.ts';
import {
  type AtMostOneOf,
  commandOption,
  inGroup,
  type NoticeListener,
  nested,
  type OptionsOf,
  option,
  options,
  pick,
} from './option.ts';
import { USER } from './user.ts';

/**
 * The default rate, Hz: perf's 4000, but a prime, so that samples don't fall in step with what timers of 1, 4 or 10 ms
 * start. Over a second they come to lie all over such a time.
 */
export const DEFAULT_FREQUENCY_HZ = 3989;

const CLOCKS = Object.keys(CLOCK_IDS) as ClockName[];
/** perf's shorter names. */
const CLOCK_ALIASES: Readonly<Record<string, string>> = {
  mono: 'monotonic',
  raw: 'monotonic_raw',
  real: 'realtime',
  boot: 'boottime',
};

const clock: Kind<ClockName> = {
  ...oneOf(...CLOCKS),
  read(words) {
    const name = words.toLowerCase().replace(/^clock_/, '');
    const found = CLOCKS.find((each) => each === (CLOCK_ALIASES[name] ?? name));
    if (found !== undefined) return found;
    throw new Misfit('unknown clock', [`known: ${CLOCKS.join(', ')}`]);
  },
};

const yesNoOr = <const W extends string>(word: W): Kind<boolean | W> => ({
  expected: `true, false or ${word}; the flag stands alone, or is =${word}`,
  read: (words) => (words === word ? word : undefined),
  has: (value) => value === word || typeof value === 'boolean',
});

const ONE_TARGET = 'name one target';
const THREADS_OR_CPUS = 'the one follows threads, the other CPUs';
const RECORDS = 'Additional records:';

/** Optional fields of samples. */
export const FIELDS = inGroup(
  'Fields of each sample:',
  options({
    /** The address of the data that was touched, and where it came from; mappings of data too. */
    dataAddresses: option(yesNo, {
      flags: '-d, --data',
      help: 'the address of the data, and mappings of data',
    }),
    /** The physical one. */
    physicalAddresses: option(yesNo, {
      flags: '--phys-data',
      help: 'the physical address of the data',
    }),
    dataPageSizes: option(yesNo, {
      flags: '--data-page-size',
      help: 'the size of the page that the data is in',
    }),
    codePageSizes: option(yesNo, {
      flags: '--code-page-size',
      help: 'the size of the page that the code is in',
    }),
    /** The cost of the event, such as the latency of a load, where the CPU reports it. */
    weights: option(yesNo, {
      flags: '-W, --weight',
      help: 'the cost of the event, where the CPU reports it',
    }),
    /** Registers of user code by their names in lower case; `[]`: all. */
    userRegs: option(someOrAll, {
      flags: '--user-regs [=list]',
      help: 'registers of user code: all, or these (ax,sp,ip)',
      alone: [],
    }),
    /** Registers where the event happened; `[]`: all. */
    interruptRegs: option(someOrAll, {
      flags: '-I, --intr-regs [=list]',
      help: 'registers where the event happened: all, or these',
      alone: [],
    }),
    /** Which of the branches before the event, by perf's names: `any`, `any_call`, `u` … */
    branches: option(someOrAll, {
      flags: [
        {
          flags: '-b, --branch-any',
          help: 'the branches before the sample, where the CPU records them',
          value: ['any'],
        },
        {
          flags: '-j, --branch-filter <list>',
          help: 'only branches of these kinds (any_call,u)',
        },
      ],
    }),
    /** The kernel's raw data of every event; tracepoints have theirs anyway. */
    raw: option(yesNo, {
      flags: '-R, --raw-samples',
      help: "the kernel's raw data of all events, not of tracepoints only",
    }),
  }),
);

/** `record()`, `startRecording()` and `perf-ts record`. */
export const RECORD = options({
  ...inGroup('Events:', {
    /** Events in perf's syntax; absent: `cycles`, or `cpu-clock` where there is no PMU. */
    events: option(texts, {
      flags: '-e, --event <list>',
      isCommon: true,
      help: 'events in perf syntax; may repeat (default cycles:P, or cpu-clock where the CPU has no counters)',
      configurable: true,
    }),
    /** Frequency mode: samples per second to aim for, or the most the kernel allows. */
    freq: option(rate, {
      flags: [
        {
          flags: '-F, --freq <hz>',
          isCommon: true,
          help: `frequency mode: samples per second, or max (default ${DEFAULT_FREQUENCY_HZ})`,
          configurable: true,
        },
        { flags: '--frequency <hz>' },
        { flags: '--rate <hz>' },
        { flags: '--hz <hz>' },
      ],
      excludes: { count: 'sample by frequency or by count' },
    }),
    /** Period mode: one sample every `count` events. */
    count: option(whole(1), {
      flags: '-c, --count <n>',
      help: 'period mode: one sample every n events',
    }),
    /**
     * Also how long threads were off the CPU, by the stack with which they left it: an event `off-cpu`
     * in nanoseconds. `only`: nothing else.
     */
    offCpu: option(yesNoOr('only'), {
      flags: '--off-cpu [=only]',
      isCommon: true,
      help: 'also record off-CPU time, where and why threads wait; only: nothing else',
      alone: true,
    }),
    /**
     * The system calls in which event loops wait, by tracepoints: turns of loops in programs without the library of
     * perf-ts. Needs the rights for tracepoints.
     */
    turns: option(yesNo, {
      flags: '--turns',
      help: 'also record when event loops of any program wait (epoll, io_uring): for perf-ts turns; needs tracepoints',
    }),
    /**
     * System calls by their stacks: how many, how long, how many bytes; those with these names, `[]` for all. Needs the
     * rights for tracepoints.
     */
    syscalls: option(someOrAll, {
      flags: '--syscalls [=calls]',
      help: 'also record system calls, as fsync,read (default all): for perf-ts report --syscalls; needs tracepoints',
      alone: [],
    }),
    /** The request of a Node server that each sample ran for, by SIGURG: of a command in one thread, the first that answers one. */
    requests: option(yesNo, {
      flags: '--requests',
      help: 'also record which request of a Node server each sample ran for: for perf-ts report --by request',
    }),
    /** The functions that await the one that a sample ran, some 100 times a second; and `requests`. */
    asyncStacks: option(yesNo, {
      flags: '--async-stacks',
      help: 'also record which functions await those that servers of Node resume, as --requests: for perf-ts report --by await',
    }),
    /**
     * Page faults by their stacks, each as the memory that it adds to the process: who took memory from the system. And of
     * Node what V8 samples of its heap: all that functions allocate, or with `live` what is still in use in the end.
     */
    memory: option(yesNoOr('live'), {
      flags: '--memory [=live]',
      help: 'also record which functions took memory from the system, and what they allocated in the heap of V8; live: what of that is in use in the end',
      alone: true,
    }),
    /** False leaves out of `offCpu` when waiting threads were woken, and by whom. Default true. */
    wakeUps: option(yesNo, {
      flags: '--no-wake-ups',
      help: 'with --off-cpu: leave out when threads were woken, and by whom',
    }),
    /** Refuse a frequency above the kernel's limit instead of lowering it. */
    strictFreq: option(yesNo, {
      flags: '--strict-freq',
      help: 'refuse a frequency above the kernel limit',
    }),
    /** Kernel code is left out, or user code; absent: what each event says. */
    only: option(oneOf('user', 'kernel'), {
      flags: [
        { flags: '--all-user', help: 'user code only', value: 'user' },
        { flags: '--all-kernel', help: 'kernel code only', value: 'kernel' },
      ],
    }),
  }),

  /** The program and its arguments; leading `NAME=value` words go into its environment. */
  command: option(commandLine),
  ...inGroup('Target:', {
    /** Running processes, with all their threads. */
    pids: option(taskIds, {
      flags: '-p, --pid <pids>',
      isCommon: true,
      help: 'processes that run, all their threads',
      excludes: { tids: ONE_TARGET, systemWide: ONE_TARGET },
    }),
    /** Single running threads. */
    tids: option(taskIds, {
      flags: '-t, --tid <tids>',
      help: 'single threads',
      excludes: { systemWide: ONE_TARGET },
    }),
    uid: commandOption(text, {
      flags: '-u, --uid <user>',
      help: 'the processes that run as this user (name or number)',
      excludes: { pids: ONE_TARGET, tids: ONE_TARGET, systemWide: ONE_TARGET },
    }),
    /** Everything that runs on the CPUs. */
    systemWide: option(yesNo, {
      flags: '-a, --all-cpus',
      isCommon: true,
      help: 'the whole system',
    }),
    /** CPUs to record on; absent: all that are online. */
    cpus: option(cpus, { flags: '-C, --cpu <cpus>', help: 'record on these CPUs only (0-3,8)' }),
    /** Follow the threads and children that the target starts. Default true. */
    inherit: option(yesNo, {
      flags: '-i, --no-inherit',
      help: 'leave out threads and children started later',
    }),
    /**
     * The threads that the target has at the start and no others, each with rings of its own, on
     * whatever CPU it runs.
     */
    perThread: option(yesNo, {
      flags: '--per-thread',
      help: 'a ring for each thread that runs now, on whatever CPU it is',
      excludes: {
        systemWide: THREADS_OR_CPUS,
        cpus: THREADS_OR_CPUS,
        exitCounts: 'the latter counts threads and children as they end, the former has none',
      },
    }),
    /** A control group, by its path below the hierarchy's root: `systemWide` is about what runs in it. */
    cgroup: option(text, {
      flags: '-G, --cgroup <path>',
      help: 'with -a: what runs in this control group',
    }),
    ...USER,
    /**
     * Make Node processes among `pids` that were started without V8's flags name their functions. Their
     * inspector is opened for some milliseconds, on a port of this machine that every user can reach
     * meanwhile. Default: only processes that have imported `perf-ts/register`, without an inspector.
     */
    attachJs: option(yesNo, {
      flags: [
        {
          flags: '--attach-js',
          isCommon: true,
          help: "name the JavaScript of a running Node (-p), and of one that begins without perf-ts's preload, through its inspector, open for some milliseconds",
        },
        {
          flags: '--no-attach-js',
          help: 'with -p: do not, and do not ask on a terminal',
          configurable: true,
        },
      ],
    }),
    /**
     * Add to NODE_OPTIONS what makes V8 name its code. Default: where the command runs Node; true:
     * always; false: never. Bun and Deno get what they take instead.
     */
    nodeFlags: option(yesNo, {
      flags: [
        { flags: '--node-flags', help: "always add V8's perf flags to NODE_OPTIONS" },
        {
          flags: '--no-node-flags',
          help: 'do not touch NODE_OPTIONS (flags are added automatically for Node commands)',
          configurable: true,
        },
      ],
    }),
    /**
     * Have V8 write a jitdump in place of a perf map: functions that V8 inlined, the line of each sample
     * in optimized code, and exact times of code. It is stored with the recording. Default false.
     */
    jitdump: option(yesNo, {
      flags: '--jitdump',
      help: "V8's jitdump in place of its perf map: inlined functions, lines, exact times",
    }),
  }),
  /** The command's environment; default: this process's. */
  env: option(environment),
  /**
   * The file is read while it is written: programs that are started write V8's maps then, where readers find its names at
   * once; otherwise they come into the file when it is complete. Default false.
   */
  readMeanwhile: option(yesNo),
  /**
   * Remember the kernel's own symbols until the machine starts again, below `$XDG_CACHE_HOME/perf-ts`, on
   * x86-64. Default false; the command does, unless PERF_TS_NO_CACHE is set.
   */
  cache: option(yesNo),
  /**
   * Called with each notice, one sentence: what was substituted, lowered or left out. The second argument is the same
   * sentence with the flags of `perf-ts record` in place of the options' names, the third whether no figure changes by it.
   */
  onNotice: option(callback<NoticeListener>()),
  /**
   * When aborted, the command gets SIGTERM and the recording ends: promises reject with an
   * `AbortError`, as in Node. The file is complete and has what was recorded until then. `durationMs`
   * and `stop()` end a recording in order.
   */
  signal: option(abortSignal),

  ...inGroup('Fields of each sample:', {
    /**
     * How call stacks are recorded: `fp` by frame pointer, `dwarf` or `dwarf,BYTES` by copying that
     * much of the user stack with each sample, for unwinding when it is read. Default: `fp` where the target is
     * seen to run Node, Bun or Deno, with `offCpu` unwound stacks of its waits; else `none`. `fp,BYTES` finds callers of code
     * without a frame in so many bytes of the stack; on x86-64 `fp` of a target that runs JavaScript is `fp,512`, less at high rates.
     */
    callGraph: option(callGraph, {
      flags: [
        { flags: '-g', isCommon: true, help: 'call stacks', value: 'fp' },
        {
          flags: '--call-graph <how>',
          help: 'call stacks: fp[,BYTES] (frame pointers), dwarf[,BYTES] (stack dumps), auto[,BYTES] (both), lbr (Intel), none (default fp for Node, Bun and Deno, else none)',
          configurable: true,
        },
        {
          flags: '--no-call-graph',
          help: 'no call stacks, of Node, Bun and Deno neither',
          value: 'none',
        },
      ],
    }),
    /** Record the counter's value with each sample, so that weights are what was counted. */
    counts: option(yesNo, { flags: '--counts', help: 'the value of the counter' }),
    /** Fields that samples carry in addition to those that they always have. */
    fields: nested(FIELDS),
  }),

  ...inGroup(RECORDS, {
    /** Records of threads coming onto a CPU and leaving it. */
    switches: option(yesNo, {
      flags: '--switch-events',
      help: 'when threads come onto a CPU and leave it',
    }),
    /** Records of the namespaces of processes. Needs CAP_PERFMON. */
    namespaces: option(yesNo, { flags: '--namespaces', help: 'the namespaces of processes' }),
    /** Records of control groups, and in each sample the one that it is of. */
    cgroups: option(yesNo, {
      flags: '--all-cgroups',
      help: 'control groups, and the one of each sample',
    }),
    /**
     * Have the kernel also write the final count of every thread and child when it exits; needs
     * `counts`. Not the default, because on several CPUs this can destroy the rings (see
     * `docs/decisions/0007-final-counts.md`).
     */
    exitCounts: option(yesNo, {
      flags: '-s, --exit-counts',
      help: 'with --counts, also the final count of each thread as it exits',
    }),
    /**
     * Count beside sampling: the sampled events, each by itself, and the default events of `stat`. The
     * totals go into the recording and into the file.
     */
    stat: option(yesNo, {
      flags: '--stat',
      help: 'also count: totals of these events and of the usual ones',
    }),
    /** False: nothing is sampled, only what stands beside samples is recorded. */
    samples: option(yesNo, {
      flags: '-n, --no-samples',
      help: 'no samples: the additional records only',
    }),
    /** Build IDs of what is mapped, in the records of mappings. Default true. */
    buildIds: option(yesNo, { flags: '-B, --no-buildid', help: 'leave out build IDs' }),
    /**
     * Keep the symbols of recorded programs in the file, so that it has names after the next build: of files
     * that no package installed. Default true.
     */
    programSymbols: option(yesNo, {
      flags: '-N, --no-buildid-cache',
      help: 'leave out the symbols of programs, which the next build replaces',
    }),
  }),

  ...inGroup('Recording:', {
    /** Let the target run this many milliseconds before sampling starts. */
    delayMs: option(orWhenAsked(duration('ms')), {
      flags: '-D, --delay <ms>',
      help: 'start sampling after this time; -1: when --control enables it',
    }),
    /** Nothing is sampled before `enable()` or a command of `control` asks for it. */
    startDisabled: option(yesNo),
    /** Commands from others while it runs: `fd:COMMANDS[,ACK]` or `fifo:COMMANDS[,ACK]`. */
    control: option(text, {
      flags: '--control <where>',
      help: 'commands while it runs: fd:N[,ACK] or fifo:PATH[,ACK]',
    }),
    /** Stop after this many milliseconds of recording. */
    durationMs: option(duration('s'), {
      flags: '--duration <s>',
      isCommon: true,
      help: 'stop by itself after this many seconds',
    }),
    ready: commandOption(text, {
      flags: '--ready <url>',
      isCommon: true,
      help: 'begin to sample once this URL or port answers',
      excludes: {
        delayMs: 'both decide when sampling begins',
        control: 'both decide when sampling begins',
      },
    }),
    readyTimeoutMs: commandOption(duration('s'), {
      flags: '--ready-timeout <s>',
      help: 'with --ready: give up after so long (default 60)',
      needs: 'ready',
    }),
    load: commandOption(text, {
      flags: '--load <line>',
      isCommon: true,
      help: 'run this line of shell, then end the recording and its command',
    }),
    untilIdleMs: commandOption(duration('s'), {
      flags: '--until-idle [=s]',
      help: 'end once the command, or -p, has worked and then been idle for so long (default 2)',
      alone: 2000,
    }),
    /** Data pages of each sample ring, or their bytes, rounded up to a power of two; absent: what the kernel grants. */
    ringPages: option(pages, {
      flags: '-m, --mmap-pages <pages>',
      help: 'data pages of each ring, or a size as 512K (default 4M, or the largest that the user may have)',
      configurable: true,
    }),
    /**
     * The samples of the last moments only: rings are written over until the recording ends or a
     * snapshot is asked for. Not for `live`.
     */
    overwrite: option(yesNo, {
      flags: '--overwrite',
      help: 'keep the last samples that fit the rings, write them at the end',
      excludes: {
        counts: 'the former drops samples, the latter needs them all',
        maxBytes: 'the samples are bounded by the rings',
      },
    }),
    /** Clock of the record times; default `monotonic`. */
    clock: option(clock, {
      flags: '-k, --clockid <clock>',
      help: 'clock of the record times (default monotonic)',
      configurable: true,
    }),
  }),

  ...inGroup('Output file:', {
    /** Path of the recording; default `perf.data`, `-` for standard output; FIFOs and devices get a stream. */
    output: option(text, {
      flags: '-o, --output <file>',
      isCommon: true,
      help: 'where to write; - is standard output (default perf.data); out.html, .svg, .cpuprofile, .pb.gz, .speedscope.json, .folded: perf.data, and this export of it',
    }),
    /**
     * Begin a new file whenever one has so many bytes, after so many milliseconds, or when
     * `switchOutput()` asks for it. Complete files have the time in their names.
     */
    switchOutput: option(switchWhen, {
      flags: '--switch-output [=when]',
      help: 'a new file at each SIGUSR2, every so often (10s) or large (10M)',
      alone: 'asked',
      excludes: { maxBytes: 'the latter ends the recording, the former goes on in a new file' },
    }),
    /** Complete files that are kept; absent: all. */
    switchMaxFiles: option(whole(1), {
      flags: '--switch-max-files <n>',
      help: 'keep the last n complete files',
      needs: 'switchOutput',
    }),
    /**
     * Compress the records with zstd while they are written: 1, the fastest, to 22. Needs libzstd. Not for
     * `live`.
     */
    compressionLevel: option(whole(1, 22), {
      flags: '-z, --compression-level [=n]',
      help: 'compress with zstd while it is recorded: 1 (fastest, default) to 22',
      alone: 1,
    }),
    /** Stop when the file has this many bytes. */
    maxBytes: option(bytes, {
      flags: '--max-size <size>',
      help: 'stop at this file size (10M, 1G)',
    }),
    archive: commandOption(yesNo, {
      flags: '--archive',
      help: 'also store the files that name the samples in FILE.symbols, for other machines',
    }),
  }),

  ...inGroup('View:', {
    view: commandOption(yesNo, {
      flags: '--view',
      help: 'show it in the browser while it is recorded, until Ctrl-C',
    }),
    port: commandOption(text, {
      flags: '--port <n>',
      help: 'with --view: the port on 127.0.0.1 (default any that is free)',
      needs: 'view',
    }),
    open: commandOption(yesNo, {
      flags: '--no-open',
      help: 'with --view: print the address only',
    }),
  }),

  ...inGroup(OPTION_GROUP.GENERAL, {
    toleratedLoss: commandOption(share, {
      flags: '--fail-on-loss <share>',
      help: 'exit with 3 if more of the samples were lost (0.01, 1%), or any fork, exec or mapping',
      configurable: true,
    }),
    ...pick(GENERAL, 'quiet'),
    verbose: GENERAL.verbose.with({ help: 'also print what is opened, field by field' }),
    dryRun: commandOption(yesNo, {
      flags: '--dry-run',
      help: 'print what would be opened, and stop',
    }),
    json: commandOption(yesNo, {
      flags: '--json',
      help: 'the closing summary as JSON on standard error',
    }),
  }),
});

/** All options of a recording, with or without a target. */
export type RecordSettings = OptionsOf<typeof RECORD>;

type Absent<Keys extends string> = { readonly [key in Keys]?: undefined };

/** The target of a recording, exactly one. CPUs alone mean everything that runs on them. */
export type RecordTarget =
  | ({ readonly command: readonly string[] } & Absent<'pids' | 'tids'>)
  | ({ readonly pids: readonly number[]; readonly systemWide?: false } & Absent<'command' | 'tids'>)
  | ({ readonly tids: readonly number[]; readonly systemWide?: false } & Absent<'command' | 'pids'>)
  | ({ readonly systemWide: true } & Absent<'pids' | 'tids'>)
  | ({ readonly cpus: readonly number[] } & Absent<'pids' | 'tids'>);

/**
 * Options of `record()` and `startRecording()`. Exactly one of `command`, `pids`, `tids`, `systemWide` and `cpus`
 * names the target; `systemWide` may be combined with a command, which then bounds the recording. At most one of
 * `freq` and `count` is given.
 */
export type RecordOptions = AtMostOneOf<RecordSettings, 'freq' | 'count'> & RecordTarget;

/** Options of `record()` without a target, for what several recordings have in common. */
export type RecordDefaults = AtMostOneOf<
  Omit<RecordSettings, 'command' | 'pids' | 'tids' | 'systemWide' | 'cpus'>,
  'freq' | 'count'
>;
