import { UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { markdownCode } from '../../base/markdown.ts';
import { formatNanos } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { DIFF } from '../../options/diff.ts';
import type { AskedOf } from '../../options/option.ts';
import { type ComparisonBy, sensitivityOf } from '../../questions/compare.ts';
import {
  atOneLevel,
  type ComparedFile,
  compareRecordings,
} from '../../read/outputs/compare-recordings.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { framesLines } from '../report/frames-lines.ts';
import { type Limits, limitsOf, type ReportFlags } from '../report/report-rows.ts';
import { unsorted } from '../report/sort-keys.ts';
import { notify } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import { selectFrom, selectsNothing } from '../shared/selection-flags.ts';
import { printJson, writeOut, writeText } from '../shared/stdout.ts';
import { diffLines } from './diff-lines.ts';
import { conditionsMarkdown, diffMarkdown } from './diff-markdown.ts';
import {
  checkRuns,
  decidingText,
  type JudgedCondition,
  judgeCondition,
  parseCondition,
} from './fail-if.ts';

/** The options of `diff`, and of `report --diff` those of `report`. */
export type DiffFlags = AskedOf<typeof DIFF> &
  Partial<Pick<ReportFlags, 'tree' | 'sort' | 'percentLimit'>>;

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
      'changes of a whole tree are in the page: perf-ts view OLD NEW',
    ]);
  }
  if (flags.sort !== undefined && flags.sort !== 'sym') throw unsorted(flags.sort, '--diff');
  const conditions = (flags.failIf ?? []).map(parseCondition);
  if (conditions.length > 0) checkRuns(paths, otherPaths);
  if (flags.json && flags.md) throw new UsageError('--json and --md exclude each other');
  const loaded = [await loadAll(paths, flags), await loadAll(otherPaths, flags)] as const;
  if (loaded.flat().every(({ opened, select = {} }) => selectsNothing(opened, select))) {
    process.exitCode = EXIT.NOT_OK;
  }
  const mine = atOneLevel(loaded[0], loaded[1]);
  const others = atOneLevel(loaded[1], loaded[0]);
  const { event, weight, by } = flags;
  const { comparisons, doubts, notes } = compareRecordings(others, mine, {
    ...(event !== undefined && { event }),
    ...(weight !== undefined && { weight }),
    ...(by !== undefined && { by }),
  });
  for (const note of notes) notify(`perf-ts: ${note}`);
  const compared = { diff: comparisons[0], here: mine, there: others };
  const judged = conditions.flatMap((condition) => judgeCondition(condition, compared));
  printDiffs({ files: mine, otherFiles: others, comparisons, doubts, judged }, flags, limits);
  const met = judged.filter(({ verdict }) => verdict === 'met').length;
  if (met > 0) {
    notify(`perf-ts: --fail-if: ${met} of ${judged.length} conditions met`);
    process.exitCode = EXIT.NOT_OK;
  }
}

/** The recordings that were compared, and what came out. */
type DiffResults = {
  readonly files: readonly ComparedFile[];
  readonly otherFiles: readonly ComparedFile[];
  readonly comparisons: readonly ComparisonBy[];
  readonly doubts: readonly string[];
  readonly judged: readonly JudgedCondition[];
};

/** The document of `--json`. */
export function diffDocument({ files, otherFiles, comparisons, judged }: DiffResults) {
  const findingsOfEach = (side: readonly ComparedFile[]) =>
    side.map(({ opened }) => findingsOf(opened));
  return {
    schema: 'perf-ts/diff@1' as const,
    file: files[0].path,
    otherFile: otherFiles[0].path,
    files: files.map(({ path }) => path),
    otherFiles: otherFiles.map(({ path }) => path),
    /** The findings of each of `files`. */
    findings: findingsOfEach(files),
    /** The findings of each of `otherFiles`. */
    otherFindings: findingsOfEach(otherFiles),
    events: comparisons.map(jsonOf),
    ...(judged.length > 0 && { conditions: judged }),
  };
}

function printDiffs(results: DiffResults, flags: DiffFlags, limits: Limits): void {
  const { files, otherFiles, comparisons, doubts, judged } = results;
  if (flags.json) {
    printJson(diffDocument(results));
    return;
  }
  if (flags.md) {
    const events = comparisons.flatMap((comparison) => diffMarkdown(comparison, limits.rows));
    const trust = doubts.flatMap((doubt) => [`Doubtful: ${markdownCode(doubt)}.`, '']);
    writeOut(`${[...conditionsMarkdown(judged), ...trust, ...events].join('\n')}\n`);
    return;
  }
  const listed = (side: readonly ComparedFile[]) =>
    side.map(({ path }) => printable(path)).join(', ');
  writeText(`# before: ${listed(otherFiles)}, after: ${listed(files)}\n`);
  for (const line of framesLines(files[0].opened)) writeText(`${line}\n`);
  for (const doubt of doubts) writeText(`# trust: ${doubt}\n`);
  for (const comparison of comparisons) {
    writeText(`${diffLines(comparison, limits).join('\n')}\n\n`);
  }
  for (const one of judged) {
    const { condition, event, name, verdict, there, here } = one;
    const deciding = decidingText(one);
    const lengths = `: ${formatNanos(there)} before, ${formatNanos(here)} after`;
    const of = event === null ? lengths : name === null ? '' : `: ${printable(name)}`;
    writeText(`# fail if ${printable(condition)}${of}: ${verdict}${deciding && `: ${deciding}`}\n`);
  }
}

async function loadAll(paths: readonly string[], flags: DiffFlags): Promise<ComparedFile[]> {
  const loaded: ComparedFile[] = [];
  for (const path of paths) {
    const opened = await loadForCommand(path, flags);
    // A time is one of its own recording.
    loaded.push({ path, opened, select: selectFrom(opened, flags, { mayBeEmpty: true }) });
  }
  return loaded;
}

function jsonOf(compared: ComparisonBy) {
  const { functions, title: _, measures: __, ...comparison } = compared;
  return {
    ...comparison,
    sensitivity: sensitivityOf(compared),
    changes: functions.map(({ name, dso, share, absolute, second }) => ({
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
