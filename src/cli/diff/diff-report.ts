import { UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import type { DIFF } from '../../options/diff.ts';
import type { AskedOf } from '../../options/option.ts';
import { compareFunctions, sortChanges } from '../../profile/analysis/compare-functions.ts';
import {
  areSampledAlike,
  type DiffMeasure,
  firstMeasure,
} from '../../profile/analysis/diff-measure.ts';
import { type MatchedRuns, matchRuns } from '../../profile/analysis/match-functions.ts';
import type { WeightKind } from '../../profile/types.ts';
import { framesLines } from '../report/frames-lines.ts';
import { limitsOf, type ReportFlags } from '../report/report-rows.ts';
import { unsorted } from '../report/sort-keys.ts';
import { notify } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import { selectFrom } from '../shared/selection-flags.ts';
import { printJson, writeOut, writeText } from '../shared/stdout.ts';
import { wantedFrames } from '../shared/wanted-frames.ts';
import { type Compared, runOf, type SharedEvent, sharedEvents } from './compared-runs.ts';
import { diffLines } from './diff-lines.ts';
import { conditionsMarkdown, diffMarkdown } from './diff-markdown.ts';
import type { EventDiff } from './event-diff.ts';
import { checkRuns, type JudgedCondition, judgeCondition, parseCondition } from './fail-if.ts';

/** The options of `diff`, and of `report --diff` those of `report`. */
export type DiffFlags = AskedOf<typeof DIFF> &
  Partial<Pick<ReportFlags, 'tree' | 'sort' | 'percentLimit'>>;

function compareRecordings(
  mine: readonly Compared[],
  others: readonly Compared[],
  { name, rows, otherRows }: SharedEvent,
  { ids, renamed }: MatchedRuns,
  kind: WeightKind | undefined,
): EventDiff {
  const here = mine.map((run, i) => runOf(run, rows[i], kind, ids[i]));
  const there = others.map((run, i) => runOf(run, otherRows[i], kind, ids[mine.length + i]));
  const { rows: functions, total } = finish(compareFunctions(here, there));
  const [{ unit }] = here;
  const isClock = mine[0].opened.profile.events[rows[0]]?.mode === 'clock';
  return {
    event: name,
    title: isClock && unit === 'nanoseconds' ? 'CPU time' : unit === 'samples' ? 'samples' : name,
    unit,
    samples: sum(here.map(({ samples }) => samples)),
    otherSamples: sum(there.map(({ samples }) => samples)),
    areSampledAlike: areAlike(mine, rows, others, otherRows),
    ruleDoubts: [
      ...ruleDoubtsOf(others, otherRows).map((text) => ({ side: 'before' as const, text })),
      ...ruleDoubtsOf(mine, rows).map((text) => ({ side: 'after' as const, text })),
    ],
    runs: here.length,
    otherRuns: there.length,
    seconds: meanSeconds(here),
    otherSeconds: meanSeconds(there),
    total,
    functions,
    renamed,
  };
}

/** The first doubt of one side: its recordings are runs of one program, as a rule on one machine. */
function ruleDoubtsOf(runs: readonly Compared[], rows: SharedEvent['rows']): string[] {
  return runs.flatMap(({ opened }, i) => opened.weightDoubt(rows[i]) ?? []).slice(0, 1);
}

function areAlike(
  mine: readonly Compared[],
  rows: SharedEvent['rows'],
  others: readonly Compared[],
  otherRows: SharedEvent['rows'],
): boolean {
  const events = [
    ...mine.map(({ opened }, i) => opened.profile.events[rows[i]]),
    ...others.map(({ opened }, i) => opened.profile.events[otherRows[i]]),
  ];
  return events.every((event) => areSampledAlike(event, events[0]));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function meanSeconds(runs: readonly { readonly seconds: number | null }[]): number | null {
  const seconds = runs.map((run) => run.seconds ?? Number.NaN);
  const mean = sum(seconds) / seconds.length;
  return Number.isNaN(mean) ? null : mean;
}

/**
 * `perf-ts diff` and `perf-ts report --diff`: what takes more and what takes less in the recordings at
 * `paths` than in those at `otherPaths`.
 */
export async function runDiffReport(
  paths: readonly string[],
  otherPaths: readonly string[],
  flags: DiffFlags,
): Promise<void> {
  const limits = limitsOf(flags);
  if (flags.tree) {
    throw new UsageError('--tree and --diff exclude each other', [
      'changes of a whole tree are in the page: perf-ts view NEW OLD',
    ]);
  }
  if (flags.sort !== undefined && flags.sort !== 'sym') throw unsorted(flags.sort, '--diff');
  const conditions = (flags.failIf ?? []).map(parseCondition);
  if (conditions.length > 0) checkRuns(paths, otherPaths);
  if (flags.json && flags.md) throw new UsageError('--json and --md exclude each other');
  const mine = await loadAll(paths, flags);
  const others = await loadAll(otherPaths, flags);
  const matched = matchRuns(
    mine.map(({ opened }) => opened.profile),
    others.map(({ opened }) => opened.profile),
  );
  const diffs = sharedEvents(mine, others, flags.event).map((event) =>
    compareRecordings(mine, others, event, matched, flags.weight),
  );
  const measures = diffs.map((diff) => measureOf(diff, mine[0], flags.by));
  const judged = conditions.flatMap((condition) => judgeCondition(condition, diffs[0]));
  printDiffs({ paths, otherPaths, diffs, measures, judged }, mine[0], flags, limits.rows);
  const met = judged.filter(({ verdict }) => verdict === 'met').length;
  if (met > 0) {
    notify(`perf-ts: --fail-if: ${met} of ${judged.length} conditions met`);
    process.exitCode = EXIT.NOT_OK;
  }
}

/** What was compared, and what came out. */
type DiffResults = {
  readonly paths: readonly string[];
  readonly otherPaths: readonly string[];
  readonly diffs: readonly EventDiff[];
  readonly measures: readonly DiffMeasure[];
  readonly judged: readonly JudgedCondition[];
};

/** The document of `--json`. */
export function diffDocument({ paths, otherPaths, diffs, measures, judged }: DiffResults) {
  return {
    schema: 'perf-ts/diff@1' as const,
    file: paths[0],
    otherFile: otherPaths[0],
    files: paths,
    otherFiles: otherPaths,
    events: diffs.map((diff, i) => jsonOf(diff, measures[i])),
    ...(judged.length > 0 && { conditions: judged }),
  };
}

function printDiffs(
  { paths, otherPaths, diffs, measures, judged }: DiffResults,
  first: Compared,
  flags: DiffFlags,
  rows: number,
): void {
  if (flags.json) {
    printJson(diffDocument({ paths, otherPaths, diffs, measures, judged }));
    return;
  }
  if (flags.md) {
    const events = diffs.flatMap((diff, i) => diffMarkdown(diff, measures[i], rows));
    writeOut(`${[...conditionsMarkdown(judged), ...events].join('\n')}\n`);
    return;
  }
  const listed = (files: readonly string[]) => files.map(printable).join(', ');
  writeText(`# before: ${listed(otherPaths)}, after: ${listed(paths)}\n`);
  for (const line of framesLines(first.opened)) writeText(`${line}\n`);
  for (const [i, diff] of diffs.entries()) {
    writeText(`${diffLines(diff, measures[i], rows).join('\n')}\n\n`);
  }
  for (const { condition, name, verdict } of judged) {
    const of = name === null ? '' : `: ${printable(name)}`;
    writeText(`# fail if ${printable(condition)}${of}: ${verdict}\n`);
  }
}

async function loadAll(paths: readonly string[], flags: DiffFlags): Promise<Compared[]> {
  const loaded: Compared[] = [];
  for (const path of paths) {
    const opened = await loadForCommand(path, flags, { frames: wantedFrames(flags) });
    // A time is one of its own recording.
    loaded.push({ path, opened, select: selectFrom(opened, flags) });
  }
  return loaded;
}

/** The measure asked for, or the one that suits the recordings. Throws where they don't have it. */
function measureOf(
  { event, total }: EventDiff,
  { opened }: Compared,
  wanted: DiffMeasure | undefined,
): DiffMeasure {
  const measure = wanted ?? firstMeasure(opened.profile);
  if (measure === 'share' || total[measure] !== null) return measure;
  if (wanted === undefined) return total.absolute === null ? 'share' : 'absolute';
  const why =
    total.absolute === null
      ? `${event} has another unit in the other recording`
      : 'a recording has no times';
  throw new UsageError(`--by ${wanted}: ${why}`, ['compare shares: --by share']);
}

function jsonOf({ functions, title: _, ...diff }: EventDiff, by: DiffMeasure) {
  return {
    ...diff,
    by,
    changes: sortChanges(functions, by).map(({ name, dso, share, absolute, second }) => ({
      name,
      dso,
      share: share.here,
      otherShare: share.there,
      delta: share.delta,
      interval: share.interval,
      isCertain: share.isCertain,
      absolute,
      second,
    })),
  };
}
