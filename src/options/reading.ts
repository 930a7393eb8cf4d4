import { FRAME_LEVELS } from '../profile/frame-level.ts';
import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { cpus, limit, names, oneOf, recordedIds, text, whole, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** The recording that a command reads. */
export const INPUT = options({
  ...inGroup(OPTION_GROUP.INPUT, {
    input: commandOption(text, {
      flags: '-i, --input <file>',
      help: 'the recording, as in perf (default perf.data)',
    }),
  }),
});

/** The result in a form for programs. */
export const JSON_OUTPUT = options({
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as JSON' }),
  }),
});

/** The length of a table; `rows` is another name for it. */
export const ROWS = options({
  limit: commandOption(whole(), {
    flags: '-n, --limit <rows>',
    help: 'how many rows, 0: all (default 40)',
    configurable: true,
    givesWayTo: ['rows', 'entries', 'json', 'md'],
  }),
  rows: commandOption(whole(), { flags: '--rows <n>' }),
});

/** How a recording is read, and how much is reported of that. */
export const STRICT = options({
  verbose: GENERAL.verbose.with({ help: 'more about what was found' }),
  ...inGroup(OPTION_GROUP.INPUT, {
    strict: commandOption(yesNo, {
      flags: '--strict',
      help: 'fail on a file that is cut short or damaged',
    }),
    maxUnpacked: commandOption(limit, {
      flags: '--max-unpacked <size>',
      help: 'memory for a recording that unpacks to more than its size explains: 4G, none (default such a recording is refused)',
    }),
  }),
});

/** Options that choose among samples and need no names of frames. */
export const RECORD_SELECTION = options({
  ...inGroup(OPTION_GROUP.SAMPLES, {
    time: commandOption(text, {
      flags: '--time <ranges>',
      help: 'samples of this time: START,STOP in seconds, 10%-20%, 10%/2',
    }),
    cpu: commandOption(cpus, { flags: '-C, --cpu <cpus>', help: 'samples of these CPUs (0-3,8)' }),
    pid: commandOption(recordedIds, { flags: '--pid <pids>', help: 'samples of these processes' }),
    tid: commandOption(recordedIds, { flags: '--tid <tids>', help: 'samples of these threads' }),
    comm: commandOption(names, {
      flags: '-c, --comm <names>',
      help: 'samples of threads with these names',
    }),
  }),
});

/** Options that choose among samples by the names of their frames. */
export const SELECTION = options({
  ...inGroup(OPTION_GROUP.SAMPLES, {
    dso: commandOption(names, { flags: '-d, --dso <names>', help: 'samples in these files' }),
    symbol: commandOption(names, {
      flags: '-S, --symbol <names>',
      help: 'samples in these functions',
    }),
    comms: commandOption(names, { flags: '--comms <names>' }),
    dsos: commandOption(names, { flags: '--dsos <names>' }),
    symbols: commandOption(names, { flags: '--symbols <names>' }),
  }),
});

/** Options that say where names come from, for a recording of another machine. */
export const SYMBOLS = options({
  ...inGroup(OPTION_GROUP.NAMES, {
    symfs: commandOption(text, {
      flags: '--symfs <dir>',
      help: "the recorded machine's files are below this directory",
      configurable: true,
    }),
    kallsyms: commandOption(text, {
      flags: '--kallsyms <file>',
      help: "the recorded machine's list of kernel symbols, or its vmlinux",
    }),
    vmlinux: commandOption(text, { flags: '-k, --vmlinux <file>' }),
    debugDir: commandOption(text, {
      flags: '--debug-dir <dir>',
      help: 'debug files are below this directory, as in /usr/lib/debug',
      configurable: true,
    }),
    archive: commandOption(text, {
      flags: '--archive <dir>',
      help: 'the output of perf-ts archive (default FILE.symbols)',
    }),
    inline: commandOption(yesNo, {
      flags: '--no-inline',
      help: 'without the calls that the compiler inlined',
      configurable: true,
    }),
  }),
});

/** How JavaScript is shown. */
export const JAVASCRIPT = options({
  ...inGroup(OPTION_GROUP.NAMES, {
    sourceMaps: commandOption(yesNo, {
      flags: '--no-source-maps',
      help: 'functions and lines of the JavaScript that V8 ran',
      configurable: true,
    }),
  }),
  ...inGroup(OPTION_GROUP.FRAMES, {
    frames: commandOption(oneOf(...FRAME_LEVELS), {
      flags: '--frames <level>',
      help: "all (default of native programs); main, without what starts main and threads; javascript, native code folded (default where V8 has names); own, without libraries, dependencies and Node's",
      configurable: true,
      givesWayTo: ['jsRaw', 'jsSimple', 'json', 'dso', 'dsos'],
    }),
    jsSimple: commandOption(yesNo, {
      flags: '--js-simple',
      help: "without V8's inline caches and call stubs, too",
      configurable: true,
      givesWayTo: ['jsRaw', 'frames'],
    }),
    jsRaw: commandOption(yesNo, {
      flags: '--js-raw',
      help: "V8's own names and frames, as perf shows them",
    }),
  }),
});

/** Options that say what a sample counts for, and of which event. */
export const WEIGHING = options({
  ...inGroup(OPTION_GROUP.SAMPLES, {
    weight: commandOption(oneOf('samples', 'period', 'events', 'time'), {
      flags: '--weight <kind>',
      help: 'what a sample counts for (default events)',
      configurable: true,
    }),
  }),
  ...inGroup(OPTION_GROUP.NAMES, {
    debuginfod: commandOption(text, {
      flags: '--debuginfod [urls]',
      help: 'ask these servers (default DEBUGINFOD_URLS) for files that are missing',
      alone: true,
      configurable: true,
      givesWayTo: ['live'],
    }),
  }),
  ...inGroup(OPTION_GROUP.SAMPLES, {
    event: commandOption(text, {
      flags: '-e, --event <name>',
      help: 'this event only (default all)',
    }),
    join: commandOption(yesNo, {
      flags: '--join',
      help: 'one event of those that count time: what ran, and with --off-cpu what waited',
    }),
  }),
});
