import { GROUP_KEYS } from '../profile/analysis/group-keys.ts';
import { FRAME_LEVELS } from '../profile/frame-level.ts';
import { duration, listOf, oneOf, text, whole, yesNo } from './kinds.ts';
import {
  type AtMostOneOf,
  commandOption,
  inGroup,
  type OptionsOf,
  option,
  options,
  pick,
} from './option.ts';
import { JAVASCRIPT, JSON_OUTPUT } from './reading.ts';
import { RECORD } from './record.ts';

const SHORTEST_INTERVAL_MS = 50;

/** `startTop()` and `perf-ts top`: what `record` takes but for its file, and how it is shown. */
export const TOP = options({
  ...pick(RECORD, 'events', 'freq', 'count', 'strictFreq', 'only', 'command', 'pids', 'tids'),
  systemWide: RECORD.systemWide.with({ help: 'the whole system (default)' }),
  ...pick(RECORD, 'cpus', 'inherit', 'cgroup', 'user', 'asRoot', 'uid'),
  nodeFlags: RECORD.nodeFlags,
  ...pick(RECORD, 'callGraph', 'durationMs', 'ringPages', 'quiet', 'env', 'onNotice', 'signal'),
  ...inGroup('Display:', {
    /** Time between two reports, milliseconds. Default 1000. */
    intervalMs: option(duration('s', SHORTEST_INTERVAL_MS), {
      flags: '-d, --delay <s>',
      isCommon: true,
      help: 'seconds between two tables (default 1)',
      configurable: true,
    }),
    /** Reports are of the last so many milliseconds; absent: of all since the start or `reset`. */
    windowMs: option(duration('s'), {
      flags: '--window <s>',
      help: 'tables of the last so many seconds (default since the start)',
      configurable: true,
    }),
    sort: commandOption(text, {
      flags: '-s, --sort <keys>',
      isCommon: true,
      help: 'rows: sym, dso, comm, thread, or a list of these and pid, tid, cpu, category, tier',
      default: 'sym',
    }),
    /** Which frames are shown; absent: `javascript` once a function of JavaScript has a name, else `all`. */
    frames: option(oneOf(...FRAME_LEVELS), { ...JAVASCRIPT.frames.declared, givesWayTo: ['json'] }),
    /** A sample counts as one, or for its period, the events that it stands for. Default `period`. */
    weight: option(oneOf('samples', 'period'), {
      flags: '--weight <kind>',
      help: 'what a sample counts for (default period)',
    }),
    rows: commandOption(whole(), {
      givesWayTo: ['json'],
      flags: [
        {
          flags: '-n, --limit [rows]',
          help: 'how many rows, 0: all (default what the terminal has, else 40)',
          configurable: true,
        },
        { flags: '--rows <n>' },
        { flags: '-E, --entries <n>' },
      ],
    }),
    /** Samples of this process count, too. */
    withSelf: option(yesNo, { flags: '--with-self', help: 'also what perf-ts itself does' }),
    batch: commandOption(yesNo, {
      flags: '--batch',
      isCommon: true,
      help: 'table after table, without a screen; so it is where output is no terminal',
    }),
    json: JSON_OUTPUT.json.with({ help: 'one line of JSON for each table' }),
  }),
  /** Also a table with a row per combination of these. Not by source line: none is looked up. */
  keys: option(listOf(...GROUP_KEYS)),
  /** Rows of tables after which they are made anew, so that memory is bounded. Default 400 000. */
  mostRows: option(whole(1)),
});

/** The options of `record` except those of a file, and the window of the tables. */
export type TopOptions = AtMostOneOf<OptionsOf<typeof TOP>, 'freq' | 'count'>;
