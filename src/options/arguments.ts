import { DIFF_MEASURES } from '../profile/analysis/diff-measure.ts';
import type { TimeRange } from '../profile/time-range.ts';
import { EXPORT_FORMATS, EXPORT_PROFILE } from './export.ts';
import {
  arrayOf,
  callback,
  duration,
  type Kind,
  oneOf,
  setOf,
  text,
  texts,
  whole,
  yesNo,
} from './kinds.ts';
import { type OptionsOf, option, options, pick } from './option.ts';
import { fitted } from './option-error.ts';
import { STRICT } from './reading.ts';

/** An object of the library, known by a method. */
function objectWith(method: string, expected: string): Kind<object> {
  return {
    expected,
    read: () => undefined,
    has: (value) =>
      typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === 'function',
  };
}

const anyObject: Kind<object> = {
  expected: 'an object',
  read: () => undefined,
  has: (value) => typeof value === 'object' && value !== null,
};
const aFunction = () => option(callback<(...given: never) => unknown>());
const someRecordings = () =>
  option(arrayOf<object>('recordings, each with its path and what openProfile returned'));

/** Arguments that functions of the library take by position, by the names that editors show. */
const ARGUMENTS = options({
  path: option(text),
  input: option(text),
  output: option(text),
  text: option(text),
  filter: option(text),
  format: option({
    ...oneOf(...EXPORT_FORMATS),
    expected: `${EXPORT_FORMATS.join(', ')}; pprof is written by exportPprof`,
  }),
  kind: EXPORT_PROFILE.weight.with({}),
  func: option(whole(0)),
  opened: option(objectWith('profileAt', 'what openProfile returned')),
  group: option(objectWith('measure', 'what openGroup returned')),
  events: option(anyObject),
  config: option(anyObject),
  leaves: option(objectWith('find', 'the leaves of parseLeafDumps')),
  reading: option(anyObject),
  cost: option(anyObject),
  counts: option(anyObject),
  older: someRecordings(),
  newer: someRecordings(),
  fn: aFunction(),
  write: aFunction(),
  visit: aFunction(),
  onInterval: aFunction(),
});

/** Checks arguments that a program passes by position. Throws `OptionError`, which names the first that is wrong. */
export function checkArguments(
  given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown },
): void {
  for (const [name, value] of Object.entries(given)) {
    const row = ARGUMENTS[name as keyof typeof ARGUMENTS];
    fitted(row, row.kind, value, () => row.kind.has(value) || undefined);
  }
}

/** `report()` and `weighInstructions()` of a profile. */
export const ASKED = options(pick(EXPORT_PROFILE, 'event', 'weight', 'select'));

/** `syscalls()` of a profile. */
export const SELECTED = options(pick(EXPORT_PROFILE, 'select'));

/** `turns()` of a profile. */
export const TURNS_OF_PROFILE = options({
  ...pick(EXPORT_PROFILE, 'event', 'weight'),
  /** The least length of the turns that are described, milliseconds; default 1. */
  over: option(duration('ms')),
  /** How many of them at most; default all. */
  limit: option(whole(0)),
  /** Spans of time of `parseTimeRanges`: turns with a part in them. */
  times: option(arrayOf<TimeRange>('spans of time')),
});

/** `programMarks()` of a profile. */
export const MARKS_OF_PROFILE = options(pick(TURNS_OF_PROFILE, 'times'));

/** Options of `turns` of a profile. */
export type TurnsOptions = OptionsOf<typeof TURNS_OF_PROFILE>;

/** `describeProvenance()`. */
export const PROVENANCE = options({
  ...pick(EXPORT_PROFILE, 'weight', 'select'),
  event: option(whole(0)),
});

/** `compareRecordings()`. */
export const COMPARE = options({
  /** The events of both sides that are compared; absent: all that all recordings have. */
  event: option(text),
  ...pick(EXPORT_PROFILE, 'weight'),
  /** The measure of a change; absent: what suits the recordings. */
  by: option(oneOf(...DIFF_MEASURES)),
});

/** Options of `compareRecordings`. */
export type CompareOptions = OptionsOf<typeof COMPARE>;

/** `describeRecords()`. */
export const RECORD_STREAM = options({
  samplesOnly: option(yesNo),
  otherTypes: option(setOf(texts)),
  event: option(text),
  select: aFunction(),
  simplifyChains: option(yesNo),
  symbols: option(anyObject),
  ...pick(STRICT, 'maxUnpacked'),
  onShare: aFunction(),
});

/** `listEvents()`. */
export const LIST_EVENTS = options({ tryEach: option(yesNo) });

/** `selftest()`. */
export const SELFTEST = options({
  events: option(texts),
  quick: option(yesNo),
  onBegin: aFunction(),
  onCase: aFunction(),
});

/** `startAgent()`. */
export const AGENT_OPTIONS = options({ config: option(anyObject), onNotice: aFunction() });
