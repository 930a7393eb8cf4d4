import { commandOnly } from '../base/words.ts';
import type { FlatReport } from '../profile/analysis/flat-report.ts';
import { FRAME_LEVELS } from '../profile/frame-level.ts';
import type { Profile } from '../profile/types.ts';
import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import {
  callback,
  cpus,
  duration,
  folderOrNot,
  type Kind,
  limit,
  Misfit,
  names,
  oneOf,
  recordedIds,
  setOf,
  text,
  texts,
  whole,
  yesNo,
  yesNoOr,
} from './kinds.ts';
import { commandOption, inGroup, type OptionsOf, omit, option, options, pick } from './option.ts';

/** The recording that a command reads. */
export const INPUT = options({
  ...inGroup(OPTION_GROUP.INPUT, {
    input: commandOption(text, {
      flags: '-i, --input <file>',
      isCommon: true,
      help: 'the recording, as in perf (default perf.data)',
    }),
  }),
});

/** The result in a form for programs. */
export const JSON_OUTPUT = options({
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', isCommon: true, help: 'as JSON' }),
  }),
});

/** The length of a table. */
export const ROWS = options({
  limit: commandOption(whole(), {
    flags: [
      {
        flags: '-n, --limit <rows>',
        isCommon: true,
        help: 'how many rows, 0: all (default 40)',
        configurable: true,
      },
      { flags: '--rows <n>' },
      { flags: '--top <n>' },
    ],
    givesWayTo: ['entries', 'json', 'md'],
  }),
});

/** The length of a table whose flag may stand alone, as perf's `-n`: samples are always shown. */
export function limitOrAlone(what: string, help: string): typeof ROWS.limit {
  return ROWS.limit.with({
    flags: [
      { flags: `-n, --limit [${what}]`, help, configurable: true },
      { flags: '--rows <n>' },
      { flags: '--top <n>' },
    ],
  });
}

/** How a recording is read, and how much is reported of that. */
export const STRICT = options({
  verbose: GENERAL.verbose.with({ help: 'more about what was found' }),
  ...inGroup(OPTION_GROUP.INPUT, {
    strict: commandOption(yesNo, {
      flags: '--strict',
      help: 'fail on a file that is cut short or damaged',
    }),
    /**
     * Bytes of memory for a recording that unpacks to more than its size explains, or `Infinity`. Default: such a
     * recording is refused.
     */
    maxUnpacked: option(limit, {
      flags: '--max-unpacked <size>',
      help: 'memory for a recording that unpacks to more than its size explains: 4G, none (default such a recording is refused)',
      configurable: true,
    }),
  }),
});

/** The samples that are meant, by what needs no names of frames. What is left out does not restrict. */
export const RECORD_SELECTION = options({
  ...inGroup(OPTION_GROUP.SAMPLES, {
    /** Spans of time in perf's forms: `START,STOP` in seconds, `10%-20%` … (`parseTimeRanges`). */
    time: option(text, {
      flags: '--time <ranges>',
      isCommon: true,
      help: 'samples of this time: START,STOP in seconds, 10%-20%, 10%/2',
    }),
    cpus: option(setOf(cpus), {
      flags: '-C, --cpu <cpus>',
      help: 'samples of these CPUs (0-3,8)',
    }),
    pids: option(setOf(recordedIds), {
      flags: '--pid <pids>',
      help: 'samples of these processes',
    }),
    tids: option(setOf(recordedIds), { flags: '--tid <tids>', help: 'samples of these threads' }),
    /** Names that the sample's thread had at its time. */
    comms: option(setOf(names), {
      flags: [
        { flags: '-c, --comm <names>', help: 'samples of threads with these names' },
        { flags: '--comms <names>' },
      ],
    }),
    /** Milliseconds: samples in turns of an event loop that took as long or longer. */
    inTurnsOver: option(duration('ms'), {
      flags: '--in-turns-over <time>',
      help: 'samples in turns of an event loop that took so long (50ms) or longer',
    }),
    /** The name of marks, a glob of it, or their kind: samples of a thread while one of its marks was open. */
    inMark: option(text, {
      flags: '--in-mark <name>',
      help: "samples while a mark of this name, or kind, was open on their thread: 'GET /users*', gc",
    }),
  }),
});

/** Which samples of a recording stay; what is left out does not restrict. */
export type RecordSelection = OptionsOf<typeof RECORD_SELECTION>;

/** The samples that are meant, by the names of their frames, too. */
export const SELECTION = options({
  ...RECORD_SELECTION,
  ...inGroup(OPTION_GROUP.SAMPLES, {
    dsos: option(setOf(names), {
      flags: [
        { flags: '-d, --dso <names>', help: 'samples in these files' },
        { flags: '--dsos <names>' },
      ],
    }),
    symbols: option(setOf(names), {
      flags: [
        { flags: '-S, --symbol <names>', isCommon: true, help: 'samples in these functions' },
        { flags: '--symbols <names>' },
      ],
    }),
  }),
});

/** Sources of names in place of this machine's own files, for a recording of another machine. */
export const SYMBOLS = options({
  ...inGroup(OPTION_GROUP.NAMES, {
    /** Directory under which the recorded machine's files lie, by the paths that it had them at. */
    symfs: option(text, {
      flags: '--symfs <dir>',
      help: "the recorded machine's files are below this directory",
      configurable: true,
    }),
    /** Copy of the recorded machine's /proc/kallsyms, or its vmlinux. */
    kallsyms: option(text, {
      flags: [
        {
          flags: '--kallsyms <file>',
          help: "the recorded machine's list of kernel symbols, or its vmlinux",
        },
        { flags: '-k, --vmlinux <file>' },
      ],
    }),
    /** A directory of debug files, as /usr/lib/debug is one, to be asked before that. */
    debugDir: option(text, {
      flags: '--debug-dir <dir>',
      help: 'debug files are below this directory, as in /usr/lib/debug',
      configurable: true,
    }),
    /** The output of `perf-ts archive`; by default the one beside the recording. */
    archive: option(text, {
      flags: '--archive <dir>',
      help: 'the output of perf-ts archive (default FILE.symbols)',
    }),
    /** Show the calls that the compiler inlined, as debug information has them. Default true. */
    inline: option(yesNo, {
      flags: '--no-inline',
      help: 'without the calls that the compiler inlined',
      configurable: true,
    }),
  }),
});

/** Sources of names in place of this machine's own files, as perf's options of these names. */
export type SymbolSources = OptionsOf<typeof SYMBOLS>;

/** How JavaScript is shown. */
export const JAVASCRIPT = options({
  ...inGroup(OPTION_GROUP.NAMES, {
    /**
     * A folder with source maps of scripts that have none beside them, by the ends of their paths: `dist/app.js.map`,
     * `app.js.map`. False: functions and lines of the JavaScript that V8 ran, as its compiler wrote it. Default true.
     */
    sourceMaps: option(folderOrNot, {
      flags: [
        {
          flags: '--source-maps <dir>',
          help: 'source maps that are not beside their scripts are in this directory',
          configurable: true,
        },
        {
          flags: '--no-source-maps',
          help: 'functions and lines of the JavaScript that V8 ran',
          value: false,
          configurable: true,
        },
      ],
    }),
  }),
  ...inGroup(OPTION_GROUP.FRAMES, {
    /**
     * Which frames of programs of JavaScript are shown. Default `auto`: `javascript` where the recording has
     * functions of JavaScript with names, else `all`. `opened.profileAt` has the other levels.
     */
    frames: option(oneOf('auto', ...FRAME_LEVELS), {
      flags: '--frames <level>',
      isCommon: true,
      kind: oneOf(...FRAME_LEVELS),
      help: 'all (default of native programs); main, without what starts main and threads; javascript, native code folded (default where V8 has names); own, only your files',
      configurable: true,
      givesWayTo: ['rawScripts', 'simplify', 'json', 'dsos'],
    }),
    /**
     * Frames of V8 that run functions and are left out: its interpreter, `interpreter`; also its inline caches and call
     * stubs, `all`. Default `interpreter`.
     */
    simplify: option(oneOf('none', 'interpreter', 'all'), {
      flags: '--js-simple',
      value: 'all',
      help: "without V8's inline caches and call stubs, too",
      configurable: true,
      givesWayTo: ['rawScripts', 'frames'],
    }),
    /** V8's own names and frames, as perf shows them. Default false. */
    rawScripts: option(yesNo, {
      flags: '--js-raw',
      help: "V8's own names and frames, as perf shows them",
    }),
  }),
});

/** How JavaScript is shown. */
export type JavaScriptOptions = OptionsOf<typeof JAVASCRIPT>;

/** The addresses of servers, with spaces between; those of DEBUGINFOD_URLS that are no addresses are left out. */
const servers: Kind<readonly string[]> = {
  ...texts,
  read(words) {
    const urls = words.split(/\s+/).filter((url) => url !== '' && !url.startsWith('ima:'));
    const bad = urls.find((url) => !/^https?:\/\/[^/]/.test(url));
    if (bad === undefined) return urls;
    throw new Misfit('not the address of a debuginfod server', [
      commandOnly('a recording goes in front: perf-ts report perf.data --debuginfod'),
    ]);
  },
};

/** Options that decide what a sample counts for, and of which event. */
export const WEIGHING = options({
  ...inGroup(OPTION_GROUP.SAMPLES, {
    /** The quantity that a sample counts for; default `events`. */
    weight: option(oneOf('samples', 'period', 'events', 'time', 'wall'), {
      flags: '--weight <kind>',
      help: 'what a sample counts for (default events)',
      configurable: true,
    }),
  }),
  ...inGroup(OPTION_GROUP.NAMES, {
    /** debuginfod servers that are asked for what is not on this machine. Default: none is. */
    debuginfod: option(servers, {
      flags: '--debuginfod [urls]',
      help: 'ask these servers (default DEBUGINFOD_URLS) for files that are missing',
      alone: [],
      configurable: true,
      givesWayTo: ['live'],
    }),
  }),
  ...inGroup(OPTION_GROUP.SAMPLES, {
    /**
     * The event that will be asked for, by name. An event that was opened on each kind of core is one,
     * `cycles`, unless this is the name of its part on one of them, `cpu_atom/cycles/`.
     */
    event: option(text, {
      flags: '-e, --event <name>',
      isCommon: true,
      help: 'this event only (default all)',
    }),
    /** Events that count nanoseconds as one: what threads ran and what they waited for. */
    join: option(yesNo, {
      flags: '--join',
      help: 'one event of those that count time: what ran, and with --off-cpu what waited',
    }),
  }),
});

/** The options of `openProfile` that commands have, too. */
export const READING = options({
  ...SYMBOLS,
  ...omit(JAVASCRIPT, 'frames'),
  ...pick(WEIGHING, 'debuginfod', 'event', 'join'),
  ...pick(STRICT, 'maxUnpacked'),
});

/** `openProfile()`. */
export const OPEN = options({
  ...READING,
  ...pick(JAVASCRIPT, 'frames'),
  /** Name the frames. Default true; without, every function is `[unknown]`. */
  symbols: option(yesNo),
  /** Unwind copied user stacks. Default true; without, samples have what the kernel walked itself. */
  unwind: option(yesNo),
  /**
   * Keep what was read between runs, below `$XDG_CACHE_HOME/perf-ts`: `names`, what was found in symbol tables and debug
   * information; true: the profile of the file, too, written some seconds later or when the process ends. Default false; the command
   * does, unless PERF_TS_NO_CACHE is set.
   */
  cache: option(yesNoOr('names')),
  /** Source lines of frames. Default: where inlined calls are looked for. */
  lines: option(yesNo),
  /**
   * Called many times a second while the recording is read, in the middle of that work: what it does
   * has to be short. Nothing else of the program runs meanwhile, save during downloads.
   */
  onProgress: option(callback<OnReadingProgress>()),
});

/** How a recording is read: the sources of names, and what is joined or left out. */
export type OpenProfileOptions = OptionsOf<typeof OPEN>;

/**
 * A stage of reading a recording, in their order: its records, files from debuginfod servers, names of
 * functions, source lines with inlined calls, and the tables of the profile.
 */
export type ReadingStage = 'records' | 'downloads' | 'names' | 'lines' | 'tables';

/** The progress of reading a recording: a stage, and the share of it that is done, 0 … 1; null: not known. */
export type ReadingProgress = { readonly stage: ReadingStage; readonly share: number | null };

/** Words for what is done in a stage. */
export const STAGE_WORDS: { readonly [stage in ReadingStage]: (name: string) => string } = {
  records: (name) => `reading ${name}`,
  downloads: () => 'asking debuginfod servers for files',
  names: () => 'finding names of functions',
  lines: () => 'finding source lines',
  tables: () => 'adding up the samples',
};

/**
 * The functions of what was read so far, of the event that is asked for, else the first: weighed by the periods that samples report, without
 * intervals. Rows of functions are those of `profile`, whose samples are sums.
 */
export type ReadSoFar = { readonly profile: Profile; readonly report: FlatReport };

/**
 * Hears of a stage as it begins, and of the share of it that is done, 0 … 1; null: that is not known. While records are read
 * `soFar` adds up what came until then, which takes as long as naming the stacks that were met; it gives null where weights are known
 * at the end only. Only to be called before `OnReadingProgress` returns.
 */
export type OnReadingProgress = (
  stage: ReadingStage,
  share: number | null,
  soFar?: () => ReadSoFar | null,
) => void;
