import { UsageError } from '../base/errors.ts';
import { type NamedOption, words } from '../base/words.ts';
import type { TimeRange } from '../profile/time-range.ts';
import { OPTION_GROUP } from './groups.ts';
import { anyNumber, arrayOf, oneOf, recordedIds, setOf, text, whole, yesNo } from './kinds.ts';
import {
  commandOption,
  inGroup,
  nested,
  type OptionsOf,
  omit,
  option,
  options,
  pick,
} from './option.ts';
import { INPUT, JAVASCRIPT, JSON_OUTPUT, SELECTION, STRICT, SYMBOLS, WEIGHING } from './reading.ts';

/**
 * Formats of `exportProfile`; pprof is binary and has `exportPprof`.
 *
 * @example
 * ```ts
 * import { EXPORT_FORMATS, openProfile } from 'perf-ts';
 *
 * const opened = await openProfile('perf.data');
 * for (const format of EXPORT_FORMATS) console.log(format, opened.export(format).length);
 * ```
 */
export const EXPORT_FORMATS = [
  'folded',
  'speedscope',
  'cpuprofile',
  'html',
  'svg',
  'firefox',
] as const;
/** One of `EXPORT_FORMATS`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The formats that are one file. */
export const FILE_FORMATS = [...EXPORT_FORMATS, 'pprof'] as const;

/** Endings of names that stand for a format. */
const ENDINGS: Readonly<Record<string, AskedFormat>> = {
  '.html': 'html',
  '.svg': 'svg',
  '.cpuprofile': 'cpuprofile',
  '.pb.gz': 'pprof',
  '.speedscope.json': 'speedscope',
  '.firefox.json': 'firefox',
  '.folded': 'folded',
  '.parquet': 'parquet',
};

/** Endings by which other profilers name files that nothing here writes: a recording of that name would mislead. */
const UNWRITTEN = /\.(?:jfr|nettrace|prof|json|png|pdf)$/;

/** The format that a file's name stands for; null for none. Throws `UsageError` for one that nothing here writes. */
export function formatOfFile(path: string | undefined): AskedFormat | null {
  if (path === undefined) return null;
  if (path === '--') throw new UsageError('-o --: the name of the file is missing');
  const ending = endingIn(path);
  if (ending !== undefined) return ENDINGS[ending];
  const unwritten = UNWRITTEN.exec(path);
  if (unwritten === null) return null;
  throw new UsageError(`${path}: no file of the kind *${unwritten[0]} is written`, [
    `endings that do: ${KNOWN_ENDINGS}; *.data is the recording itself`,
  ]);
}

function endingIn(path: string): string | undefined {
  return Object.keys(ENDINGS).find((each) => path.endsWith(each));
}

/** Throws `UsageError` where a recording, which is perf.data, would get a name that stands for another format. */
export function refuseExportName(option: NamedOption, path = ''): void {
  const ending = endingIn(path);
  if (ending === undefined) return;
  throw new UsageError(
    words`${option} ${path}: a recording is perf.data, and no reader of *${ending} knows it`,
    [
      {
        library: 'name it *.data: exportProfile writes the other formats of it, exportPprof pprof',
        command: 'name it *.data: perf-ts export writes the other formats of it',
      },
    ],
  );
}

/** The ending of names that stand for a format; null where none does. */
export function endingOf(format: string): string | null {
  return Object.keys(ENDINGS).find((ending) => ENDINGS[ending] === format) ?? null;
}

/** A format of `perf-ts export`. */
export type AskedFormat = (typeof FILE_FORMATS)[number] | 'parquet';

/** The endings, for a text. */
export const KNOWN_ENDINGS = Object.keys(ENDINGS).join(' ');

/** The rows of a `SampleSelection`. */
const SAMPLES = options({
  ...omit(SELECTION, 'time'),
  event: option(whole()),
  thread: option(whole()),
  threads: option(setOf(recordedIds)),
  fromNs: option(anyNumber),
  toNs: option(anyNumber),
  times: option(arrayOf<TimeRange>('ranges of time')),
});

/** `exportProfile()` and `exportPprof()`. */
export const EXPORT_PROFILE = options({
  ...pick(WEIGHING, 'weight'),
  /** One event by name; default the first (folded, cpuprofile, svg), all that the format has room for. */
  event: option(text),
  /** These samples only; their weights stay those of the whole recording. */
  select: nested(SAMPLES),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    /** Title of the page or picture. */
    title: option(text, {
      flags: '--title <text>',
      help: 'title of the page or picture (default what was recorded)',
    }),
    /**
     * Path of the recording, whose owner's rights count: the page gets the texts of the source files in which
     * most samples were taken, 20 files and 2 million characters at most. Without it the page has none.
     */
    sourcesOf: option(text),
    /** Names in folded lines, whole by default. */
    names: option(oneOf('full', 'tidy'), {
      flags: '--names <how>',
      help: 'names in folded lines: complete, or cut at parameters as stackcollapse-perf.pl does',
      default: 'full',
    }),
  }),
});

/** The selection, weight and form of an export. */
export type ExportOptions = OptionsOf<typeof EXPORT_PROFILE>;

/** `perf-ts export`. */
export const EXPORT = options({
  ...INPUT,
  ...STRICT,
  json: JSON_OUTPUT.json.with({ help: 'what the weights are, as JSON on standard error' }),
  ...SELECTION,
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    format: commandOption(oneOf(...FILE_FORMATS, 'parquet'), {
      flags: '--format <format>',
      isCommon: true,
      help: `what to write (default by the ending of the output: ${KNOWN_ENDINGS})`,
    }),
    output: commandOption(text, {
      flags: '-o, --output <file>',
      isCommon: true,
      help: 'where to write; - is standard output; parquet: a folder',
      mandatory: true,
    }),
    service: commandOption(text, {
      flags: '--service <name>',
      help: 'parquet: the service that was recorded',
    }),
    build: commandOption(text, {
      flags: '--build <name>',
      help: 'parquet: the version that was recorded',
    }),
  }),
  ...WEIGHING,
  ...pick(EXPORT_PROFILE, 'title'),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    sources: commandOption(yesNo, {
      flags: '--no-sources',
      help: 'html: without the texts of the source files with most samples',
    }),
  }),
  ...pick(EXPORT_PROFILE, 'names'),
});
