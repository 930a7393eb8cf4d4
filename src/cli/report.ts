import { NONE } from '../base/brand.ts';
import { printable } from '../base/printable.ts';
import { tidyName } from '../export/folded-name.ts';
import { weightTitle } from '../export/weight-title.ts';
import { computeCallNodes } from '../profile/call-nodes.ts';
import { computeCallTree } from '../profile/call-tree.ts';
import {
  computeFlatReport,
  type Figures,
  type FlatReport,
  type TableName,
} from '../profile/flat-report.ts';
import { funcLabel } from '../profile/func-label.ts';
import { lostSamplesOf } from '../profile/losses.ts';
import type { ShareInterval } from '../profile/share-steps.ts';
import type { EventIndex, Profile, WeightKind, Weights } from '../profile/types.ts';
import type { OpenedProfile } from '../session/open-profile.ts';
import { wantsColour } from './colour.ts';
import { findInseparablePairs, inseparableLines } from './inseparable-pairs.ts';
import { loadForCommand } from './load.ts';
import { percentage, wholeNumber } from './option-values.ts';
import { formatCallTree } from './render/call-tree-text.ts';
import { formatCount, formatShare } from './render/numbers.ts';
import { formatTable } from './render/table.ts';
import { printJson, writeOut } from './stdout.ts';

type ReportFlags = {
  weight?: WeightKind;
  tree?: boolean;
  sort: 'sym' | 'dso' | 'thread' | 'comm';
  event?: string;
  limit?: string;
  percentLimit?: string;
  json?: boolean;
  strict?: boolean;
  verbose?: boolean;
};

const DEFAULT_ROWS = 40;
/** Smallest branch that the tree draws unless asked for less; the flat table is limited by rows. */
const DEFAULT_TREE_SHARE = 0.005;

/** `perf-ts report`: where the events went. */
export async function runReport(path: string, flags: ReportFlags): Promise<void> {
  const limits = readLimits(flags);
  const opened = await loadForCommand(path, flags);
  const { profile } = opened;
  const events =
    flags.event === undefined
      ? profile.events.map((_, index) => index as EventIndex)
      : [opened.eventIndex(flags.event)];
  if (flags.json) {
    printJson({
      schema: 'perf-ts/report@1',
      events: events.map((event) => toJson(opened, event, flags, limits)),
    });
    return;
  }
  for (const note of profile.meta.notes) writeOut(`# note: ${printable(note)}\n`);
  for (const event of events)
    writeOut(`${reportLines(opened, event, flags, limits).join('\n')}\n\n`);
}

/** One row of whichever table was asked for. */
type Row = Figures & { readonly name: string; readonly dso: string };

function rowsOf(profile: Profile, report: FlatReport, sort: ReportFlags['sort']): Row[] {
  const dsoName = (dso: number): string =>
    dso === NONE ? '[unknown]' : (profile.dsos[dso]?.name ?? '[unknown]');
  switch (sort) {
    case 'sym':
      return report.bySymbol.map((row) => ({
        ...row,
        name: profile.strings[profile.funcs.name[row.func] as number] as string,
        dso: dsoName(profile.funcs.dso[row.func] as number),
      }));
    case 'dso':
      return report.byDso.map((row) => ({ ...row, name: dsoName(row.dso), dso: '' }));
    case 'thread':
      return report.byThread.map((row) => {
        const { comm, pid, tid } = profile.threads[row.thread]!;
        return { ...row, name: `${comm} ${pid}/${tid}`, dso: '' };
      });
    case 'comm':
      return report.byComm.map((row) => ({
        ...row,
        // Threads that neither a record nor /proc has named.
        name: profile.strings[row.comm] || '[unknown]',
        dso: '',
      }));
  }
}

const TABLES: Record<ReportFlags['sort'], TableName> = {
  sym: 'bySymbol',
  dso: 'byDso',
  thread: 'byThread',
  comm: 'byComm',
};

/** Which rows of a table are shown. */
type Limits = {
  /** At most so many; infinite for all. */
  readonly rows: number;
  /** Rows and branches of less than this share are left out. */
  readonly leastShare: number;
};

function readLimits(flags: ReportFlags): Limits {
  // A document for a program is whole; a table on a screen is as long as one reads.
  const defaultRows = flags.json ? 0 : DEFAULT_ROWS;
  const rows = flags.limit === undefined ? defaultRows : wholeNumber('--limit', flags.limit);
  const defaultShare = flags.tree && !flags.json ? DEFAULT_TREE_SHARE : 0;
  const { percentLimit } = flags;
  return {
    rows: rows === 0 ? Number.POSITIVE_INFINITY : rows,
    leastShare:
      percentLimit === undefined ? defaultShare : percentage('--percent-limit', percentLimit),
  };
}

/** The rows to show, and a line for those that are not. */
function selectRows(all: readonly Row[], limits: Limits): { rows: Row[]; rest: string[] } {
  const large = all.filter((row) => row.totalShare >= limits.leastShare);
  const rows = large.slice(0, limits.rows);
  const rest: string[] = [];
  const cut = large.length - rows.length;
  if (cut > 0) rest.push(`… and ${formatCount(cut)} more (--limit 0 shows all)`);
  const small = all.length - large.length;
  if (small > 0) rest.push(`… and ${formatCount(small)} below ${limits.leastShare * 100}%`);
  return { rows, rest };
}

function reportLines(
  opened: OpenedProfile,
  event: EventIndex,
  flags: ReportFlags,
  limits: Limits,
): string[] {
  const { profile } = opened;
  const weights = opened.weights(flags.weight, event);
  const samples = opened.samplesOf(event);
  const estimator = flags.tree ? undefined : opened.shareEstimator(weights, event);
  const report = computeFlatReport(
    profile,
    weights,
    samples,
    estimator && { estimator, tables: [TABLES[flags.sort]], totals: false },
  );
  const lines = headLines(opened, event, report, weights);
  if (report.samples === 0) return lines;
  if (estimator === undefined) {
    const tree = computeCallTree(profile, computeCallNodes(profile), weights, samples);
    const label = (func: number): string => printable(funcLabel(profile, func));
    return [...lines, '', ...formatCallTree(tree, label, limits.leastShare)];
  }
  const all = rowsOf(profile, report, flags.sort);
  const { rows, rest } = selectRows(all, limits);
  const titles = { sym: 'symbol', dso: 'DSO', thread: 'thread', comm: 'comm' };
  const withDso = flags.sort === 'sym';
  // Names stand last: those of C++ are long, and the last column is not padded.
  const header = [
    'self',
    '95% interval',
    'total',
    'samples',
    ...(withDso ? ['DSO'] : []),
    titles[flags.sort],
  ];
  const cells = rows.map((row) => [
    formatShare(row.selfShare),
    formatInterval(row.selfInterval),
    formatShare(row.totalShare),
    formatCount(row.selfSamples),
    ...(withDso ? [printable(row.dso)] : []),
    printable(tidyName(row.name)),
  ]);
  const table = formatTable(header, cells, { right: [0, 1, 2, 3], colour: wantsColour() });
  const pairs = withDso ? findInseparablePairs(opened, event, report, estimator) : [];
  return [...lines, '', ...table, ...rest, ...inseparableLines(pairs)];
}

/** `12.10–14.52%`: where the true share lies, in 95 of 100 recordings. */
function formatInterval(interval: ShareInterval | undefined): string {
  if (interval === undefined) return '';
  return `${(interval.low * 100).toFixed(2)}–${formatShare(interval.high)}`;
}

function headLines(
  opened: OpenedProfile,
  event: EventIndex,
  report: FlatReport,
  weights: Weights,
): string[] {
  const { profile } = opened;
  const lost = lostSamplesOf(profile, event);
  const share = lost > 0 ? ` (${formatShare(lost / (lost + report.samples))})` : '';
  return [
    `# event ${printable(profile.events[event]!.name)}: ${formatCount(report.samples)} samples, ` +
      `${formatCount(report.weight)} ${weightTitle(weights)}, lost ${formatCount(lost)}${share}`,
    ...(weights.kind === 'events' ? uncoveredLine(opened, event, report.weight) : []),
  ];
}

/** Where this share of the events is in no row, it is told. */
const LEAST_UNCOVERED = 0.01;

/**
 * What was counted after the last samples. A program may end before its next sample is due, and
 * when the period overshoots, that can be most of it.
 */
function uncoveredLine(opened: OpenedProfile, event: EventIndex, weight: number): string[] {
  const eventsCounted = opened.eventsCounted(event);
  if (eventsCounted === null || opened.profile.events[event]!.mode === 'clock') return [];
  const after = eventsCounted - weight;
  if (after < LEAST_UNCOVERED * eventsCounted) return [];
  return [
    `# ${formatCount(after)} of ${formatCount(eventsCounted)} events ` +
      `(${formatShare(after / eventsCounted)}) came after the last samples: they are in no row`,
  ];
}

function toJson(
  opened: OpenedProfile,
  event: EventIndex,
  flags: ReportFlags,
  limits: Limits,
): object {
  const { profile } = opened;
  const weights = opened.weights(flags.weight, event);
  const estimator = opened.shareEstimator(weights, event);
  const report = computeFlatReport(profile, weights, opened.samplesOf(event), {
    estimator,
    tables: [TABLES[flags.sort]],
    totals: true,
  });
  return {
    event: profile.events[event]!.name,
    weight: { kind: weights.kind, unit: weights.unit },
    samples: report.samples,
    effectiveSamples: estimator.effectiveSamples,
    total: report.weight,
    lost: lostSamplesOf(profile, event),
    rows: selectRows(rowsOf(profile, report, flags.sort), limits).rows.map((row) => ({
      name: row.name,
      ...(flags.sort === 'sym' && { dso: row.dso }),
      self: row.self,
      total: row.total,
      selfShare: row.selfShare,
      totalShare: row.totalShare,
      selfLow: row.selfInterval?.low,
      selfHigh: row.selfInterval?.high,
      totalLow: row.totalInterval?.low,
      totalHigh: row.totalInterval?.high,
      samples: row.selfSamples,
    })),
    ...(flags.sort === 'sym' && {
      inseparable: findInseparablePairs(opened, event, report, estimator),
    }),
  };
}
