import { NONE } from '../base/brand.ts';
import { printable } from '../base/printable.ts';
import { weightTitle } from '../export/weight-title.ts';
import { computeCallNodes } from '../profile/call-nodes.ts';
import { computeCallTree } from '../profile/call-tree.ts';
import { computeFlatReport, type Figures, type FlatReport } from '../profile/flat-report.ts';
import { funcLabel } from '../profile/func-label.ts';
import type { EventIndex, Profile, WeightKind } from '../profile/types.ts';
import type { OpenedProfile } from '../session/open-profile.ts';
import { wantsColour } from './colour.ts';
import { loadForCommand } from './load.ts';
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
  percentLimit: string;
  json?: boolean;
  strict?: boolean;
  verbose?: boolean;
};

const DEFAULT_ROWS = 40;

/** `perf-ts report`: where the events went. */
export async function runReport(path: string, flags: ReportFlags): Promise<void> {
  const opened = await loadForCommand(path, flags);
  const { profile } = opened;
  const events =
    flags.event === undefined
      ? profile.events.map((_, index) => index as EventIndex)
      : [opened.eventIndex(flags.event)];
  if (flags.json) {
    printJson({
      schema: 'perf-ts/report@1',
      events: events.map((event) => toJson(opened, event, flags)),
    });
    return;
  }
  for (const note of profile.meta.notes) writeOut(`# note: ${printable(note)}\n`);
  for (const event of events) writeOut(`${reportLines(opened, event, flags).join('\n')}\n\n`);
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
        name: profile.strings[row.comm] as string,
        dso: '',
      }));
  }
}

function selectRows(rows: readonly Row[], flags: ReportFlags): Row[] {
  const limit = flags.limit === undefined ? DEFAULT_ROWS : Number(flags.limit);
  const least = Number(flags.percentLimit) / 100;
  const large = rows.filter((row) => Math.max(row.selfShare, row.totalShare) >= least);
  return limit > 0 ? large.slice(0, limit) : large;
}

function reportLines(opened: OpenedProfile, event: EventIndex, flags: ReportFlags): string[] {
  const { profile } = opened;
  const weights = opened.weights(flags.weight, event);
  const samples = opened.samplesOf(event);
  const report = computeFlatReport(profile, weights, samples);
  const lines = headLines(opened, event, report, weightTitle(weights));
  if (report.samples === 0) return lines;
  if (flags.tree) {
    const tree = computeCallTree(profile, computeCallNodes(profile), weights, samples);
    const least = Math.max(Number(flags.percentLimit) / 100, 0.005);
    const label = (func: number): string => printable(funcLabel(profile, func));
    return [...lines, '', ...formatCallTree(tree, label, least)];
  }
  const all = rowsOf(profile, report, flags.sort);
  const rows = selectRows(all, flags);
  const titles = { sym: 'symbol', dso: 'DSO', thread: 'thread', comm: 'comm' };
  const withDso = flags.sort === 'sym';
  const header = ['self', 'total', 'samples', titles[flags.sort], ...(withDso ? ['DSO'] : [])];
  const cells = rows.map((row) => [
    formatShare(row.selfShare),
    formatShare(row.totalShare),
    formatCount(row.selfSamples),
    printable(row.name),
    ...(withDso ? [printable(row.dso)] : []),
  ]);
  const table = formatTable(header, cells, { right: [0, 1, 2], colour: wantsColour() });
  const rest = all.length - rows.length;
  if (rest > 0) table.push(`… and ${formatCount(rest)} rows more (--limit 0 shows all)`);
  return [...lines, '', ...table];
}

function headLines(
  opened: OpenedProfile,
  event: EventIndex,
  report: FlatReport,
  title: string,
): string[] {
  const { profile } = opened;
  const loss = profile.losses.find((entry) => entry.event === event);
  const lost = Math.max(loss?.lostRecords ?? 0, loss?.lostSamples ?? 0);
  const share = lost > 0 ? ` (${formatShare(lost / (lost + report.samples))})` : '';
  return [
    `# event ${printable(profile.events[event]!.name)}: ${formatCount(report.samples)} samples, ` +
      `${formatCount(report.weight)} ${title}, lost ${formatCount(lost)}${share}`,
  ];
}

function toJson(opened: OpenedProfile, event: EventIndex, flags: ReportFlags): object {
  const { profile } = opened;
  const weights = opened.weights(flags.weight, event);
  const report = computeFlatReport(profile, weights, opened.samplesOf(event));
  const loss = profile.losses.find((entry) => entry.event === event);
  return {
    event: profile.events[event]!.name,
    weight: { kind: weights.kind, unit: weights.unit },
    samples: report.samples,
    total: report.weight,
    lost: Math.max(loss?.lostRecords ?? 0, loss?.lostSamples ?? 0),
    rows: selectRows(rowsOf(profile, report, flags.sort), flags).map((row) => ({
      name: row.name,
      ...(flags.sort === 'sym' && { dso: row.dso }),
      self: row.self,
      total: row.total,
      selfShare: row.selfShare,
      totalShare: row.totalShare,
      samples: row.selfSamples,
    })),
  };
}
