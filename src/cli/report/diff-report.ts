import { UsageError } from '../../base/errors.ts';
import { formatCount, formatPoints, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { compareShares, type ShareChange, type SharedRow } from '../../profile/analysis/diff.ts';
import type { SampleSelection } from '../../profile/analysis/filter.ts';
import { computeFlatReport } from '../../profile/analysis/flat-report.ts';
import type { DsoMatch } from '../../profile/analysis/match-dsos.ts';
import { comparedDsoName, matchFunctions } from '../../profile/analysis/match-functions.ts';
import { boundsOfNothing } from '../../profile/analysis/share-bounds.ts';
import type { ShareInterval } from '../../profile/analysis/share-steps.ts';
import { shortName } from '../../profile/short-name.ts';
import type { EventIndex, WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { wantsColour } from '../command/colour.ts';
import { say } from '../command/failure.ts';
import { loadForCommand } from '../command/load.ts';
import { selectFrom } from '../command/selection-flags.ts';
import { printJson, writeOut } from '../command/stdout.ts';
import { wantedFrames } from '../command/wanted-frames.ts';
import { formatTable } from '../render/table.ts';
import { framesLines } from './frames-lines.ts';
import { type Limits, type ReportFlags, readLimits } from './report-rows.ts';
import { unsorted } from './sort-keys.ts';

/** Self shares of one event's functions, and what a share of 0 may be. */
type Side = {
  readonly samples: number;
  readonly rows: readonly SharedRow[];
  readonly nothing: ShareInterval | null;
};

function sideOf(
  { opened, select }: Compared,
  event: EventIndex,
  kind: WeightKind | undefined,
  idOfFunc: Int32Array,
): Side {
  const { profile } = opened;
  const weights = opened.weights(kind, event);
  const estimator = opened.shareEstimator(weights, event, select);
  const samples = opened.samplesOf(event, select);
  const report = computeFlatReport(
    profile,
    weights,
    samples,
    estimator === null ? undefined : { estimator, tables: ['bySymbol'], totals: false },
  );
  return {
    samples: samples.length,
    rows: report.bySymbol.map(({ func, selfShare, selfInterval }) => ({
      id: idOfFunc[func],
      name: profile.strings[profile.funcs.name[func]],
      dso: comparedDsoName(profile, func),
      selfShare,
      ...(selfInterval && { selfInterval }),
    })),
    nothing: estimator && boundsOfNothing(estimator, report),
  };
}

/** A recording and what is selected of it. */
type Compared = { readonly opened: OpenedProfile; readonly select: SampleSelection };

export type DiffReport = {
  readonly event: string;
  readonly samples: number;
  readonly otherSamples: number;
  readonly changes: readonly ShareChange[];
  /** Files of different names that were compared with each other. */
  readonly renamed: readonly DsoMatch[];
};

/** How the self shares of one event's functions differ from those in another recording. */
function compareRecordings(
  here: Compared,
  there: Compared,
  { name, event, otherEvent }: SharedEvent,
  kind: WeightKind | undefined,
): DiffReport {
  const matched = matchFunctions(here.opened.profile, there.opened.profile);
  const mine = sideOf(here, event, kind, matched.mine);
  const theirs = sideOf(there, otherEvent, kind, matched.other);
  return {
    event: name,
    samples: mine.samples,
    otherSamples: theirs.samples,
    changes: finish(compareShares(mine.rows, theirs.rows, mine.nothing, theirs.nothing)),
    renamed: matched.renamed,
  };
}

/** An event that both recordings have. */
type SharedEvent = {
  readonly name: string;
  readonly event: EventIndex;
  readonly otherEvent: EventIndex;
};

/**
 * The events of `opened`, or the one that `-e` names, as far as `other` has them, too; what it has not
 * is said. The time that an engine's own profiler measured goes with the first event of a recording, since
 * no recording has an event of that name. Throws `UsageError` where nothing is left to compare.
 */
function sharedEvents(
  [opened, path]: readonly [OpenedProfile, string],
  [other, otherPath]: readonly [OpenedProfile, string],
  wanted: string | undefined,
): SharedEvent[] {
  const names =
    wanted === undefined
      ? opened.profile.events.map(({ name }) => name)
      : [opened.profile.events[eventOf(opened, wanted, path)].name];
  const shared: SharedEvent[] = [];
  const missing: UsageError[] = [];
  for (const name of names) {
    try {
      const event = eventOf(opened, name, path);
      shared.push({ name, event, otherEvent: eventOf(other, name, otherPath) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.push(error);
    }
  }
  const isOfEngine = [opened, other].some(({ facts }) => facts.imported === 'cpuprofile');
  if (shared.length === 0 && wanted === undefined && isOfEngine) {
    const [name = '', otherName = ''] = [opened, other].map(
      ({ profile }) => profile.events[0]?.name,
    );
    say(`perf-ts: ${printable(name)} here is compared with ${printable(otherName)} there`);
    return [{ name, event: 0 as EventIndex, otherEvent: 0 as EventIndex }];
  }
  const [first] = missing;
  if (first !== undefined && shared.length === 0) throw first;
  for (const { message } of missing) say(`perf-ts: not compared: ${message}`);
  return shared;
}

/** The same as `eventIndex`, with the recording in the message. */
function eventOf(opened: OpenedProfile, name: string, path: string): EventIndex {
  try {
    return opened.eventIndex(name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.message.replace('this recording', path), error.hints);
  }
}

/** `perf-ts report --diff OTHER`: what takes more and what takes less than in another recording. */
export async function runDiffReport(
  path: string,
  otherPath: string,
  flags: ReportFlags,
): Promise<void> {
  const limits = readLimits(flags);
  if (flags.tree) {
    throw new UsageError('--tree and --diff exclude each other', [
      'changes of a whole tree are in the page: perf-ts view NEW OLD',
    ]);
  }
  if (flags.sort !== undefined && flags.sort !== 'sym') throw unsorted(flags.sort, '--diff');
  const wanted = wantedFrames(flags);
  const opened = await loadForCommand(path, { ...flags, wanted });
  const other = await loadForCommand(otherPath, { ...flags, wanted });
  // A time is one of its own recording.
  const mine = { opened, select: selectFrom(opened, flags) };
  const theirs = { opened: other, select: selectFrom(other, flags) };
  const shared = sharedEvents([opened, path], [other, otherPath], flags.event);
  const reports = shared.map((event) => compareRecordings(mine, theirs, event, flags.weight));
  if (flags.json) {
    printJson({ schema: 'perf-ts/diff@1', file: path, otherFile: otherPath, events: reports });
    return;
  }
  writeOut(`# here: ${printable(path)}, there: ${printable(otherPath)}\n`);
  for (const line of framesLines(opened)) writeOut(`${line}\n`);
  for (const report of reports) writeOut(`${diffLines(report, limits).join('\n')}\n\n`);
}

function diffLines(
  { event, samples, otherSamples, changes, renamed }: DiffReport,
  limits: Limits,
): string[] {
  const rows = changes.slice(0, limits.rows);
  const cells = rows.map(({ name, dso, share, otherShare, delta, interval, isCertain }) => [
    formatPoints(delta),
    interval === null ? '' : `${formatPoints(interval.low)} … ${formatPoints(interval.high)}`,
    isCertain ? '' : '?',
    formatShare(share),
    formatShare(otherShare),
    printable(dso),
    printable(shortName(name)),
  ]);
  const header = ['change', '95% interval', '', 'here', 'there', 'DSO', 'symbol'];
  const cut = changes.length - rows.length;
  return [
    `# event ${printable(event)}: self here, ${formatCount(samples)} samples, less self there, ` +
      `${formatCount(otherSamples)} samples; in percentage points`,
    `# ?: these two runs may be alike in it (the others differ, 95% for all ${formatCount(changes.length)} rows together); ` +
      'how far runs of one program differ, two runs cannot tell',
    ...renamed.map(
      ({ name, otherName }) =>
        `# compared as one program: ${printable(name)} here, ${printable(otherName)} there`,
    ),
    '',
    ...formatTable(header, cells, { right: [0, 1, 3, 4], colour: wantsColour() }),
    ...(cut > 0 ? [`… and ${formatCount(cut)} more (--limit 0 shows all)`] : []),
  ];
}
