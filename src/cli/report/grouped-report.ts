import {
  formatCount,
  formatKnownShare,
  formatShare,
  formatShareInterval,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { levelOfTable } from '../../code/levels/levels-of.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { computeGroupedReport, type GroupedReport } from '../../profile/analysis/grouped-report.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import { fileAndName, funcLabel } from '../../profile/func-label.ts';
import { shortName } from '../../profile/short-name.ts';
import type { EventIndex, Profile, WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { formatTable } from '../render/table.ts';
import { tableLook } from '../shared/colour.ts';
import { figuresJson } from '../shared/figures-json.ts';

export type GroupedOptions = {
  readonly keys: readonly GroupKey[];
  readonly weight?: WeightKind;
  readonly select: SampleSelection;
  /** Rows by total instead of by self; null: without totals. */
  readonly byTotal: boolean | null;
};

/** Which rows are shown; says how many are not. */
export type SelectRows = <Row extends { readonly totalShare: number }>(
  rows: readonly Row[],
) => { rows: Row[]; rest: string[] };

export function groupedReport(
  opened: OpenedProfile,
  event: EventIndex,
  { keys, weight, select, byTotal }: GroupedOptions,
): GroupedReport {
  const weights = opened.weights(weight, event, select);
  const estimator = opened.shareEstimator(weights, event, select);
  const samples = opened.samplesOf(event, select);
  const profile = opened.profileAt(levelOfTable(keys, opened.facts.frames));
  const report = computeGroupedReport(profile, weights, samples, keys, estimator ?? undefined);
  if (byTotal !== true) return report;
  return { ...report, rows: report.rows.toSorted((a, b) => b.total - a.total) };
}

/** A table of one event: shares, then the keys in the order of `--sort`. */
export function groupedLines(
  profile: Profile,
  report: GroupedReport,
  { keys, byTotal }: GroupedOptions,
  selectRows: SelectRows,
): string[] {
  const { rows, rest } = selectRows(report.rows);
  const withTotal = byTotal !== null;
  const shown = shownNames(profile, keys);
  const withInterval =
    rows.some(({ selfInterval }) => selfInterval !== undefined) && !report.isExact;
  const knownBy = (row: (typeof rows)[number]) => (withInterval ? row.selfInterval : undefined);
  const cells = rows.map((row) => [
    formatKnownShare(row.selfShare, knownBy(row)),
    ...(withInterval ? [formatShareInterval(row.selfInterval)] : []),
    ...(withTotal ? [formatKnownShare(row.totalShare, knownBy(row))] : []),
    formatCount(row.selfSamples),
    ...shown(row.names),
  ]);
  const numbers = [
    'self',
    ...(withInterval ? [byTotal ? '95% of self' : '95% interval'] : []),
    ...(withTotal ? ['total'] : []),
    'samples',
  ];
  const lost = report.lost > 0 ? [lostLine(report)] : [];
  return [...tableOf(numbers, keys, cells), ...rest, ...lost];
}

function lostLine({ lost, weight }: GroupedReport): string {
  return `[lost]: ${formatShare(lost / weight)}, in no row`;
}

/**
 * The names of rows as a table has them: a function with its file by both together, `app.js:4` and `parse`, where rows
 * are of both.
 */
export function shownNames(
  profile: Profile,
  keys: readonly GroupKey[],
): (names: readonly string[]) => string[] {
  const [dso, sym] = [keys.indexOf('dso'), keys.indexOf('sym')];
  const text = (name: string): string => printable(shortName(name));
  if (dso < 0 || sym < 0) return (names) => names.map(text);
  const byNames = new Map<string, readonly [file: string, name: string]>();
  for (let func = 0; func < profile.funcs.length; func++) {
    const own = profile.dsos[profile.funcs.dso[func]]?.name ?? '[unknown]';
    byNames.set(`${own}\0${funcLabel(profile, func)}`, fileAndName(profile, func));
  }
  return (names) => {
    const [file, name] = byNames.get(`${names[dso]}\0${names[sym]}`) ?? [names[dso], names[sym]];
    return names.with(dso, file).with(sym, name).map(text);
  };
}

function tableOf(numbers: string[], keys: readonly GroupKey[], cells: string[][]): string[] {
  const right = numbers.map((_, column) => column);
  const spare = [numbers.indexOf('samples'), numbers.findIndex((title) => title.startsWith('95%'))];
  return formatTable([...numbers, ...keys.map(keyTitle)], cells, { right, spare, ...tableLook() });
}

export function keyTitle(key: GroupKey): string {
  if (key === 'sym') return 'function';
  return key === 'dso' ? 'file' : key;
}

/**
 * Events that were counted together side by side, as perf shows a group: a column of self shares for
 * each, rows by those of the leader.
 *
 *    cycles  instructions  file  function
 *    52.10%        30.02%  work  sort
 */
export function groupLines(
  opened: OpenedProfile,
  group: readonly EventIndex[],
  options: GroupedOptions,
  selectRows: SelectRows,
): string[] {
  const { keys } = options;
  const { rows, rest } = selectRows(sideBySide(opened, group, options));
  const shown = shownNames(opened.profileAt(levelOfTable(keys, opened.facts.frames)), keys);
  const cells = rows.map(({ shares, names }) => [
    ...shares.map((share) => (share === null ? '' : formatShare(share))),
    ...shown(names),
  ]);
  const numbers = group.map((event) => printable(opened.profile.events[event].name));
  return [...tableOf(numbers, keys, cells), ...rest];
}

type GroupRow = {
  readonly names: readonly string[];
  /** Self share per event; null: nothing of it here. */
  readonly shares: (number | null)[];
  totalShare: number;
};

function sideBySide(
  opened: OpenedProfile,
  group: readonly EventIndex[],
  options: GroupedOptions,
): GroupRow[] {
  const reports = group.map((event) => groupedReport(opened, event, options));
  const byNames = new Map<string, GroupRow>();
  reports.forEach(({ rows }, column) => {
    for (const { names, selfShare, totalShare } of rows) {
      const text = names.join('\0');
      const row = byNames.get(text) ?? { names, shares: group.map(() => null), totalShare: 0 };
      row.shares[column] = selfShare;
      row.totalShare = Math.max(row.totalShare, totalShare);
      byNames.set(text, row);
    }
  });
  return [...byNames.values()].sort((a, b) => compareShares(a.shares, b.shares));
}

/** Compares shares by the first event in which they differ. */
function compareShares(a: readonly (number | null)[], b: readonly (number | null)[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (b[i] ?? 0) - (a[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Values of the keys that were asked for, by key. */
type NamesJson = { readonly [key in GroupKey]?: string | number | null };

export function namesJson(keys: readonly GroupKey[], names: readonly string[]): NamesJson {
  return Object.fromEntries(keys.map((key, i) => [key, jsonName(key, names[i])]));
}

/** Numbers as numbers, null where they were not recorded. */
export function jsonName(key: string, name: string): string | number | null {
  if (key !== 'pid' && key !== 'tid' && key !== 'cpu') return name;
  return name === '[unknown]' ? null : Number(name);
}

export function groupedJson(
  report: GroupedReport,
  keys: readonly GroupKey[],
  selectRows: SelectRows,
) {
  return selectRows(report.rows).rows.map((row) => ({
    ...namesJson(keys, row.names),
    ...figuresJson(row),
  }));
}
