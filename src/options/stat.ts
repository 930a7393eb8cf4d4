import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { duration, howOften, names, oneOf, text, whole, yesNo } from './kinds.ts';
import { commandOption, inGroup, type OptionsOf, option, options, pick } from './option.ts';
import { RECORD } from './record.ts';

/** How many more sets of events `-d` adds; perf's limit. */
export const MOST_DETAIL = 3;
/** Shorter intervals than this would measure the reading of the counters; perf's limit. */
const SHORTEST_INTERVAL_MS = 10;

/** `startStat()` and `perf-ts stat`. */
export const STAT = options({
  ...inGroup('Events:', {
    /** perf's event syntax; absent: the default set. */
    events: RECORD.events.with({
      help: 'events in perf syntax, {a,b} counted together; may repeat (default those of perf stat)',
      givesWayTo: ['topdown', 'detail'],
    }),
    /** 0 … 3: how many more caches join the default set. */
    detail: option(howOften(MOST_DETAIL), {
      flags: '-d, --detailed',
      help: 'more of the caches; -dd, -ddd: more still',
    }),
    /** Events that show how the CPU used its issue slots. */
    topdown: option(yesNo, {
      flags: '--topdown',
      isCommon: true,
      help: 'how the CPU used its issue slots, where it counts them',
      excludes: { events: 'the former chooses the events' },
    }),
    /** Only user or kernel code of every event. */
    only: RECORD.only.with({}),
  }),
  ...inGroup('Target:', {
    /** Words of the command line; with `systemWide` it only says how long. */
    command: RECORD.command.with({}),
    /** Running processes, with all their threads. */
    pids: RECORD.pids.with({ excludes: {} }),
    /** Single running threads. */
    tids: RECORD.tids.with({ excludes: {} }),
    /** Everything that runs on the CPUs. */
    systemWide: RECORD.systemWide.with({ help: 'the whole system; a command sets the duration' }),
    /** Everything on these CPUs. */
    cpus: RECORD.cpus.with({ help: 'everything on these CPUs (0-3,8)' }),
    /** Paths of control groups, each counted by itself; system-wide. */
    cgroups: option(names, {
      flags: '--for-each-cgroup <paths>',
      help: 'with -a: each of these control groups by itself',
    }),
    /** Default true: threads and children that start later count, too. */
    inherit: RECORD.inherit.with({}),
    ...pick(RECORD, 'user', 'asRoot'),
  }),
  ...pick(RECORD, 'env'),
  /** When aborted, the command gets SIGTERM and `finished` rejects with an `AbortError`. */
  signal: RECORD.signal.with({}),
  /** Called with each warning, a line without a newline. */
  onNotice: RECORD.onNotice.with({}),

  ...inGroup('Aggregation:', {
    /** How counts are put together. */
    aggregation: option(oneOf('total', 'cpu', 'core', 'socket', 'thread'), {
      flags: [
        { flags: '-A, --no-aggr', help: 'with -a: each CPU by itself', value: 'cpu' },
        { flags: '--per-core', isCommon: true, help: 'with -a: by core', value: 'core' },
        { flags: '--per-socket', help: 'with -a: by socket', value: 'socket' },
        { flags: '--per-thread', help: 'with -p or -t: each thread by itself', value: 'thread' },
      ],
    }),
  }),

  ...inGroup('Duration and repetition:', {
    /** Runs of the command; default 1. */
    repeat: option(whole(1), {
      flags: '-r, --repeat <n>',
      isCommon: true,
      help: 'run the command n times: mean, and the error of the mean',
    }),
    table: commandOption(yesNo, { flags: '--table', help: 'with -r: the time of each run' }),
    /** Counts are reported each time so many milliseconds have passed. */
    intervalMs: option(duration('ms', SHORTEST_INTERVAL_MS), {
      flags: '-I, --interval-print <ms>',
      isCommon: true,
      help: 'also print the counts of each interval',
    }),
    intervals: commandOption(whole(1), {
      flags: '--interval-count <n>',
      help: 'end after n intervals',
      needs: 'intervalMs',
    }),
    /** Counting starts this long after the target. */
    delayMs: option(duration('ms'), {
      flags: '-D, --delay <ms>',
      help: 'begin to count after this time',
    }),
    /** Counting ends by itself after this long. */
    durationMs: option(duration('s'), {
      flags: [
        { flags: '--duration <s>', help: 'stop by itself after this many seconds' },
        { flags: '--timeout <ms>', kind: duration('ms') },
      ],
    }),
  }),

  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, {
      flags: [
        {
          flags: '--json',
          isCommon: true,
          help: 'as JSON; with -I one line per interval, and one at the end',
        },
        { flags: '-j' },
      ],
      excludes: { fieldSeparator: 'choose one form' },
    }),
    fieldSeparator: commandOption(text, {
      flags: '-x, --field-separator <separator>',
      help: 'as lines of fields, with a header',
    }),
    output: commandOption(text, {
      flags: '-o, --output <file>',
      help: 'into this file, - is standard output (default standard error)',
    }),
  }),
  ...inGroup(OPTION_GROUP.GENERAL, {
    ...pick(GENERAL, 'quiet'),
    verbose: GENERAL.verbose.with({ help: 'more about failures' }),
    bigNum: commandOption(yesNo, {
      flags: [{ flags: '--no-big-num' }, { flags: '-B, --big-num' }],
    }),
  }),
});

/** The events to count, the target, and how counts are aggregated. */
export type StatOptions = OptionsOf<typeof STAT>;

/** How counts are put together. */
export type Aggregation = NonNullable<StatOptions['aggregation']>;
