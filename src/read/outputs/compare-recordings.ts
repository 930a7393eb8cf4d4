import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { words } from '../../base/words.ts';
import { doubtsOfEvents, type Finding, findingText } from '../../findings/finding.ts';
import { COMPARE, type CompareOptions, checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { DIFF } from '../../options/diff.ts';
import { sortChanges } from '../../profile/analysis/compare-functions.ts';
import { type DiffMeasure, firstMeasure, secondsOf } from '../../profile/analysis/diff-measure.ts';
import { matchRuns } from '../../profile/analysis/match-functions.ts';
import { isRestricting, type SampleSelection } from '../../profile/analysis/select/filter.ts';
import { findEvents } from '../../profile/find-events.ts';
import type { EventIndex, WeightKind } from '../../profile/types.ts';
import {
  type ComparedRecording,
  type Comparison,
  type ComparisonBy,
  compare,
} from '../../questions/compare.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { askAboutEvent } from './asked-event.ts';
import { findingsOf } from './findings-of.ts';

/** A recording of a comparison, and what is selected of it: a time is one of its own recording. */
export type ComparedFile = {
  /** Names it in errors. */
  readonly path: string;
  readonly opened: AnalysedProfile;
  readonly select?: SampleSelection;
};

/** A comparison for each event, the functions by the size of their change in `by`, and why an event has none. */
export type ComparedRecordings = {
  readonly comparisons: readonly ComparisonBy[];
  /** A sentence for each finding of a recording that speaks against figures of these events. */
  readonly doubts: readonly string[];
  readonly notes: readonly string[];
};

/**
 * Compares what functions did themselves in newer recordings with that in older ones. Throws `UsageError` where they
 * have no event in common, or not the event or the measure that is asked for.
 *
 * @example
 * ```ts
 * import { type CompareOptions, compareRecordings, openProfile } from 'perf-ts';
 *
 * const open = async (path: string) => ({ path, opened: await openProfile(path) });
 * const options: CompareOptions = { by: 'share' };
 * const { comparisons } = compareRecordings([await open('old.data')], [await open('new.data')], options);
 * for (const { name, share } of comparisons[0].functions.slice(0, 3)) {
 *   console.log(name, share?.delta, share?.isCertain);
 * }
 * ```
 */
export function compareRecordings(
  older: readonly ComparedFile[],
  newer: readonly ComparedFile[],
  options: CompareOptions = {},
): ComparedRecordings {
  checkArguments({ older, newer });
  checkOptions(COMPARE, options, 'compareRecordings');
  return compareAtOneLevel(atOneLevel(older, newer), atOneLevel(newer, older), options);
}

/**
 * The files with the frames of one level. Where a recording begins with another level than the rest, as it has no names of
 * JavaScript, kinds of one would be compared with functions of the other: all have all frames then.
 */
export function atOneLevel(
  files: readonly ComparedFile[],
  others: readonly ComparedFile[],
): readonly ComparedFile[] {
  const levels = new Set([...files, ...others].map(({ opened }) => opened.facts.frames));
  if (levels.size <= 1) return files;
  return files.map((file) => ({ ...file, opened: file.opened.atLevel('all') }));
}

function compareAtOneLevel(
  older: readonly ComparedFile[],
  newer: readonly ComparedFile[],
  options: CompareOptions,
): ComparedRecordings {
  const profilesOf = (side: readonly ComparedFile[]) => side.map(({ opened }) => opened.profile);
  const matched = matchRuns(profilesOf(newer), profilesOf(older));
  const { shared, notes } = sharedEvents(newer, older, options.event);
  const comparisons = shared.map(({ rows, otherRows }) => {
    const here = newer.map((file, run) => askAbout(file, rows[run], options.weight));
    const there = older.map((file, run) => askAbout(file, otherRows[run], options.weight));
    const comparison = finish(compare(here, there, matched));
    const by = chooseMeasure(comparison, here[0], options.by);
    return { ...comparison, by, functions: sortChanges(comparison.functions, by) };
  });
  const doubts = [
    ...doubtsOf(older, (run) => shared.map(({ otherRows }) => otherRows[run])),
    ...doubtsOf(newer, (run) => shared.map(({ rows }) => rows[run])),
  ];
  return { comparisons, doubts, notes };
}

/** Findings about one of several recordings, a sentence each that names it, and the event where it has several. */
export function findingTexts(
  { path, opened: { profile } }: Pick<ComparedFile, 'path' | 'opened'>,
  findings: readonly Finding[],
): string[] {
  return findings.map((finding) => {
    const { event } = finding.place;
    const isOfAll = event === null || profile.events.length === 1;
    const name = isOfAll ? '' : ` ${printable(profile.events[event].name)}:`;
    return `${printable(path)}:${name} ${findingText(finding)}`;
  });
}

function doubtsOf(
  files: readonly ComparedFile[],
  rowsOfRun: (run: number) => EventIndex[],
): string[] {
  return files.flatMap((file, run) =>
    findingTexts(file, doubtsOfEvents(findingsOf(file.opened), rowsOfRun(run))),
  );
}

function askAbout(
  { opened, select = {} }: ComparedFile,
  event: EventIndex,
  kind: WeightKind | undefined,
): ComparedRecording {
  return {
    ...askAboutEvent(opened, event, kind, select),
    counted: isRestricting(select) ? null : opened.eventsCounted(event),
    seconds: secondsOf(opened.profile, select.times),
    doubt: opened.weightDoubt(event),
  };
}

/** An event that all recordings have: its row in each of those looked at, and of the others. */
type SharedEvent = {
  readonly rows: readonly EventIndex[];
  readonly otherRows: readonly EventIndex[];
};

/**
 * Finds the events of the first recording, or the one that is `wanted`, as far as all others have them, too. What
 * an engine's own profiler or a speedscope file measured goes with the first event of a recording, since no
 * recording has an event of that name.
 */
function sharedEvents(
  mine: readonly ComparedFile[],
  others: readonly ComparedFile[],
  wanted: string | undefined,
): { readonly shared: readonly SharedEvent[]; readonly notes: readonly string[] } {
  const [{ opened: first }] = mine;
  const names =
    wanted === undefined
      ? first.profile.events.map(({ name }) => name)
      : [first.profile.events[eventOf(mine[0], wanted)].name];
  const shared: SharedEvent[] = [];
  const missing: UsageError[] = [];
  for (const name of names) {
    try {
      const rowsOf = (side: readonly ComparedFile[]) => side.map((file) => eventOf(file, name));
      shared.push({ rows: rowsOf(mine), otherRows: rowsOf(others) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.push(error);
    }
  }
  const isOfOther = [...mine, ...others].some(({ opened: { facts } }) =>
    ['cpuprofile', 'speedscope', 'firefox'].includes(facts.imported ?? ''),
  );
  if (shared.length === 0 && wanted === undefined && isOfOther) {
    const [name = '', otherName = ''] = [mine, others].map(
      ([{ opened }]) => opened.profile.events[0]?.name,
    );
    const firsts = (side: readonly ComparedFile[]) => side.map(() => 0 as EventIndex);
    return {
      shared: [{ rows: firsts(mine), otherRows: firsts(others) }],
      notes: [`${printable(name)} is compared with ${printable(otherName)} before`],
    };
  }
  const [problem] = missing;
  if (problem !== undefined && shared.length === 0) throw problem;
  return { shared, notes: missing.map(({ message }) => `not compared: ${message}`) };
}

/** The event with this name, or an error that names the recording. */
function eventOf({ opened, path }: ComparedFile, name: string): EventIndex {
  const names = opened.profile.events.map((event) => event.name);
  return findEvents(names, name, [], path)[0] as EventIndex;
}

function chooseMeasure(
  { event, measures }: Comparison,
  { profile }: ComparedRecording,
  wanted: DiffMeasure | undefined,
): DiffMeasure {
  const measure = wanted ?? firstMeasure(profile);
  if (measures.includes(measure)) return measure;
  if (wanted === undefined) return measures[0];
  const why = measures.includes('absolute')
    ? 'a recording has no times'
    : `${event} has another unit in the other recording`;
  throw new UsageError(words`${DIFF.by} ${wanted}: ${why}`, [
    words`compare shares: ${DIFF.by} share`,
  ]);
}
