import { Z95 } from '../../base/normal.ts';
import {
  formatCount,
  formatKnownShare,
  formatShare,
  formatShareInterval,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { findingText } from '../../findings/finding.ts';
import { judgeRun } from '../../findings/judge-run.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { shortName } from '../../profile/short-name.ts';
import type { TopRow } from '../../tools/top/share-sums.ts';
import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import type { TopEvent, TopReport } from '../../tools/top/top-options.ts';
import { clip } from '../render/clip.ts';
import { createPaint } from '../render/paint.ts';
import { formatTable } from '../render/table.ts';
import { keyTitle } from '../report/grouped-report.ts';
import { selectRows } from '../report/report-rows.ts';
import type { TopState } from './top-state.ts';

/** The parts of the screen that stay from one report to the next. */
export type TopLook = {
  readonly columns: number;
  /** Lines of the terminal. */
  readonly lines: number;
  readonly colour: boolean;
  /** Samples have stacks: totals are more than self. */
  readonly hasStacks: boolean;
  /** Rows of the table `grouped`. */
  readonly keys: readonly GroupKey[];
  /** Rows at most; infinite: as many as there is room for. */
  readonly rows: number;
};

/** Titles of the names of a table's rows. */
function titlesOf(table: SliceTableKey, keys: readonly GroupKey[]): string[] {
  if (table === 'sym') return ['file', 'function'];
  if (table === 'dso') return ['file'];
  if (table === 'comm') return ['comm'];
  if (table === 'thread') return ['comm', 'pid', 'tid'];
  return keys.map(keyTitle);
}

/** The lines above the table, for one event. */
export function headOf(report: TopReport, event: TopEvent): string[] {
  const { elapsedMs, shownMs, isWindow, cpus, samples, lost, lostNow, ownCpu } = report;
  const lostShare = lost > 0 ? ` (${formatShare(lost / (lost + samples))})` : '';
  const shown = isWindow
    ? `the last ${seconds(shownMs)}`
    : shownMs < elapsedMs - 1
      ? `since it began anew, ${seconds(shownMs)}`
      : `since the start, ${seconds(shownMs)}`;
  const own = event.ownShare > 0 ? `, ${formatShare(event.ownShare)} of samples, left out` : '';
  const losses = lost > 0 ? `lost ${formatCount(lost)}${lostShare}` : 'none lost';
  return [
    `${printable(event.name)}: ${formatCount(event.samples)} samples, ${losses} · ` +
      `${formatCount(Math.round(event.rateHz))} samples/s on ${cpus} ${cpus === 1 ? 'CPU' : 'CPUs'} · ${clock(elapsedMs)}`,
    `${shown}; perf-ts: ${formatShare(ownCpu)} of a CPU${own}`,
    ...(lostNow > 0
      ? [`lost ${formatCount(lostNow)} samples just now: what ran in bursts has too little here`]
      : []),
    ...judgeRun(report).map(findingText),
  ];
}

/** The rows whose names have the filter in them; without one those that chance alone does not explain. */
export function filterRows(rows: readonly TopRow[], filter: string): readonly TopRow[] {
  if (filter === '') {
    const all = { rows: Number.POSITIVE_INFINITY, leastShare: 0, isUsual: true };
    return selectRows(rows, all).rows;
  }
  const text = filter.toLowerCase();
  return rows.filter(({ names, shown = [] }) =>
    [...names, ...shown].some((name) => name.toLowerCase().includes(text)),
  );
}

/** Rows that are compared, each with the next: further down the order does not matter. */
const COMPARED_ROWS = 6;

/** The rows at the top whose order may be chance: their difference is within its error, for samples drawn independently. */
export function unsureRows(rows: readonly TopRow[], effectiveSamples: number): ReadonlySet<TopRow> {
  const unsure = new Set<TopRow>();
  for (const [at, first] of rows.slice(0, COMPARED_ROWS - 1).entries()) {
    const second = rows[at + 1];
    if (second === undefined || second.selfSamples === 0) break;
    const difference = first.selfShare - second.selfShare;
    const variance = first.selfShare + second.selfShare - difference ** 2;
    if (difference >= Z95 * Math.sqrt(variance / effectiveSamples)) continue;
    unsure.add(first).add(second);
  }
  return unsure;
}

/** The whole screen: no more lines than there are, none wider than it is. */
export function screenOf(
  report: TopReport,
  state: TopState,
  look: TopLook,
  callers: readonly string[] | null,
): string[] {
  const { columns, lines } = look;
  const { bold, dim, inverse, yellow } = createPaint(look.colour);
  const cut = (text: string): string => clip(text, columns);
  const event = report.events[state.event] ?? report.events[0];
  if (event === undefined || lines < 4) return [cut('perf-ts top: the terminal is too small')];
  const head = headOf(report, event).map((line, i) => (i === 0 ? bold(cut(line)) : cut(line)));
  const marked = head.map((line, i) => (i > 1 ? yellow(line) : line));
  const foot = footOf(state, report);
  const room = lines - head.length - 2;
  const body: string[] = [];
  if (state.showsHelp) {
    body.push('', ...HELP.map(cut));
  } else if (state.showsCallers && callers !== null) {
    body.push('', ...callers.map((line) => cut(printable(line))));
  } else if (room > 1) {
    const { rows: whole, effectiveSamples } = event.table(state.table);
    const all = filterRows(whole, state.filter);
    const most = Math.min(room - 1, look.rows);
    const selected = Math.min(state.selected, Math.max(0, all.length - 1));
    const first = Math.max(0, selected - most + 1);
    const rows = all.slice(first, first + most);
    const gutter = look.colour ? '' : '  ';
    const table = { ...look, columns: columns - gutter.length };
    const unsure = unsureRows(whole, effectiveSamples);
    const [title, ...cells] = tableLines(rows, state.table, table, unsure);
    body.push('', bold(gutter + title));
    for (const [i, line] of cells.entries()) {
      if (first + i !== selected) body.push(gutter + line);
      else body.push(look.colour ? inverse(line) : `> ${line}`);
    }
    if (all.length === 0) body.push(cut(state.filter === '' ? 'no samples yet' : 'no such row'));
  }
  const shown = [...marked, ...body].slice(0, lines - 1);
  while (shown.length < lines - 1) shown.push('');
  return [...shown, dim(cut(foot))];
}

/** Columns of a name that is not the last one, on a narrow screen. */
const LEAST_NAME_COLUMNS = 8;

/**
 * A title and a line for each row, in `look.columns` columns, `~` at those of `unsure`. Columns without room are dropped:
 * first the interval, then the samples, the total, and all names but the last.
 */
export function tableLines(
  rows: readonly TopRow[],
  table: SliceTableKey,
  { columns, hasStacks, keys }: TopLook,
  unsure: ReadonlySet<TopRow>,
): string[] {
  const titles = titlesOf(table, keys);
  const figures = ['self', '95% interval', ...(hasStacks ? ['total'] : []), 'samples'];
  const quarter = Math.max(LEAST_NAME_COLUMNS, Math.floor(columns / 4));
  const cells = rows.map((row) => {
    const { names, shown = names, selfInterval } = row;
    const words = shown.map((name) => printable(shortName(name)));
    return [
      formatKnownShare(row.selfShare, selfInterval),
      (unsure.has(row) ? '~' : '') + formatShareInterval(selfInterval),
      ...(hasStacks ? [formatKnownShare(row.totalShare, selfInterval)] : []),
      formatCount(row.selfSamples),
      ...words.map((word, i) => (i < words.length - 1 ? clip(word, quarter) : word)),
    ];
  });
  const before = titles.slice(1).map((_, i) => figures.length + i);
  const samples = figures.length - 1;
  const spare = [1, samples, ...(hasStacks ? [2] : []), ...before.reverse()];
  const right = [...figures.keys()];
  return formatTable([...figures, ...titles], cells, { right, columns, spare }).map((line) =>
    clip(line, columns),
  );
}

function footOf(state: TopState, { isLast, events }: TopReport): string {
  if (state.draft !== null)
    return `/${printable(state.draft)}_   Enter: only such rows, Esc: as before`;
  const parts = ['q quit', 's rows', ...(events.length > 1 ? ['e event'] : []), 'z anew', 'h help'];
  if (state.filter !== '') parts.unshift(`only “${printable(state.filter)}” (Esc: all)`);
  if (state.isPaused) parts.unshift('PAUSED (p goes on)');
  if (isLast) parts.unshift('ENDED');
  return parts.join('   ');
}

const HELP = [
  'q  quit                        s  other rows: functions, files, commands, threads',
  'p  pause the screen            e  the next event',
  'z  begin the tables anew       /  only rows with a text in their names',
  '↑↓ choose a row                Enter  who calls it; Esc: back to all rows',
  '',
  'self: share of the samples in the function itself; total: also in what it calls (with -g).',
  '95% interval: where the share lies if samples are drawn independently; ~ order not certain.',
  'lost: samples that the kernel had no room for. Shares of what ran then are too small.',
];

function seconds(ms: number): string {
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${formatCount(Math.round(ms / 1000))} s`;
}

function clock(ms: number): string {
  const all = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = `${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
  return all < 3600 ? minutes : `${Math.floor(all / 3600)}:${minutes}`;
}
