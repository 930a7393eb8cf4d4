import { addToList } from '../../base/group-by.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { formatMetric } from '../../counting/count/format-metric.ts';
import type { Metric } from '../../counting/count/metric.ts';
import type { Spread } from '../../counting/count/spread.ts';
import type { StatReport, StatResult } from '../../counting/stat/stat.ts';
import type { StatRow } from '../../counting/stat/tally.ts';
import { formatTable } from './table.ts';

export type StatTextOptions = {
  readonly colour?: boolean;
  /** Whether to print the time of each run as well. */
  readonly runs?: boolean;
};

/** The counts as lines for the terminal: what was counted and how long it took, the counts, what was not counted. */
export function formatStat(result: StatResult, options: StatTextOptions = {}): string[] {
  return [
    '',
    headOf(result),
    ...tableOf(result.rows, null, options),
    ...uncountedLines(result.rows),
    ...timesOfRuns(result, options),
    ...remarks(result.rows),
    '',
  ];
}

/**
 * One interval: its rows, each with the time at its end. The header goes before the first, and what cannot be counted
 * behind it.
 */
export function formatStatInterval(
  report: StatReport,
  isFirst: boolean,
  options: StatTextOptions = {},
): string[] {
  const lines = tableOf(report.rows, report.timeNs, options);
  return isFirst ? [...lines, ...uncountedLines(report.rows)] : lines.slice(1);
}

/** Wide enough for the columns of all intervals to align. */
const COUNT_WIDTH = 15;
const EVENT_WIDTH = 24;

function tableOf(
  all: readonly StatRow[],
  timeNs: number | null,
  { colour = false }: StatTextOptions,
): string[] {
  const impossible = uncountable(all);
  const rows = all.filter(({ event }) => !impossible.has(event));
  if (rows.length === 0) return [];
  const hasUnits = rows.some(({ unit }) => unit.label !== '');
  const hasSpread = rows.some(({ spread }) => spread !== null);
  const header = [
    ...(timeNs === null ? [] : ['    time s']),
    ...(hasUnits ? ['part', 'of'] : []),
    'count'.padStart(COUNT_WIDTH),
    'unit',
    'event'.padEnd(EVENT_WIDTH),
    ...(hasSpread ? ['±'] : []),
    '',
  ];
  const cells = rows.map((row) => [
    ...(timeNs === null ? [] : [(timeNs / 1e9).toFixed(6).padStart(10)]),
    ...(hasUnits
      ? [printable(row.unit.label), row.unit.places === 0 ? '' : `${row.unit.places}`]
      : []),
    countOf(row),
    UNITS[row.countUnit] ?? printable(row.countUnit),
    printable(row.event),
    ...(hasSpread ? [spreadOf(row.spread)] : []),
    remarkOf(row),
  ]);
  const first = timeNs === null ? 0 : 1;
  const count = first + (hasUnits ? 2 : 0);
  const right = [0, ...(hasUnits ? [first + 1] : []), count, ...(hasSpread ? [count + 3] : [])];
  return formatTable(header, cells, {
    colour,
    right: right.filter((column) => column !== 0 || !hasUnits || timeNs !== null),
  });
}

/** Units of perf by their usual names. */
const UNITS: Readonly<Record<string, string | undefined>> = { msec: 'ms' };

/** The reasons of the events that could not be opened anywhere, by event. */
function uncountable(rows: readonly StatRow[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { event, reason, group } of rows) {
    if (reason !== null && group < 0) reasons.set(event, reason);
  }
  for (const { event, group } of rows) if (group >= 0) reasons.delete(event);
  return reasons;
}

/** `not counted: cycles, instructions: this machine has no hardware counters (ENOENT)`, a line for each reason. */
function uncountedLines(rows: readonly StatRow[]): string[] {
  const events = new Map<string, string[]>();
  for (const [event, reason] of uncountable(rows)) {
    addToList(events, reason, printable(event));
  }
  return [...events].map(([reason, names]) => {
    const help = /\((?:EACCES|EPERM)\)$/.test(reason) ? '; help: perf-ts doctor' : '';
    return `# not counted: ${names.join(', ')}: ${reason}${help}`;
  });
}

/** `~` marks an estimate: it was counted for a part of the time. */
function countOf({ value, countUnit, runningShare }: StatRow): string {
  if (value === null) return 'not counted';
  const estimate = runningShare !== null && runningShare < 1 ? '~' : '';
  const text = countUnit === '' ? formatCount(value) : groupThousands(value.toFixed(2));
  return estimate + text;
}

function groupThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  return `${whole.replace(/\B(?=(\d{3})+(?!\d))/g, ' ')}.${fraction}`;
}

function spreadOf(spread: Spread | null): string {
  return spread === null ? '' : percentOfMean(spread);
}

function percentOfMean({ error, mean }: Spread): string {
  return mean === 0 ? '0.00%' : `${((100 * error) / Math.abs(mean)).toFixed(2)}%`;
}

function remarkOf(row: StatRow): string {
  if (row.reason !== null) return `# ${row.reason}`;
  const parts = [describeMetrics(row.metrics)];
  const { runningShare } = row;
  if (runningShare !== null && runningShare < 1) {
    parts.push(`counted ${(100 * runningShare).toFixed(1)}% of the time`);
  }
  const text = parts.filter((part) => part !== '').join('; ');
  return text === '' ? '' : `# ${text}`;
}

/** `# ./app: 1.203634 s · CPU time: 0.526247 s user, 0.041933 s system`. */
function headOf(result: StatResult): string {
  const { elapsed, userNs, systemNs, runs } = result;
  const mean = runs > 1 ? `, mean of ${runs} runs` : '';
  const spread = elapsed.runs > 1 ? ` ± ${percentOfMean(elapsed)}` : '';
  const cpu = [
    ...(userNs === null ? [] : [`${seconds(userNs)} user`]),
    ...(systemNs === null ? [] : [`${seconds(systemNs)} system`]),
  ];
  const time = `${seconds(elapsed.mean)}${spread}`;
  return [
    `# ${describeTarget(result)}${mean}: ${time}`,
    ...(cpu.length === 0 ? [] : [`CPU time: ${cpu.join(', ')}`]),
  ].join(' · ');
}

function describeTarget({ target }: StatResult): string {
  const words = (argv: readonly string[]): string => printable(argv.join(' '));
  switch (target.kind) {
    case 'command':
      return words(target.command.argv);
    case 'system':
      return target.command === null
        ? 'the whole system'
        : `the whole system during ${words(target.command.argv)}`;
    case 'threads':
      return target.pids.length > 0
        ? `process ${target.pids.join(', ')}`
        : `thread ${target.tids.join(', ')}`;
  }
}

const seconds = (ns: number): string => `${(ns / 1e9).toFixed(6)} s`;

function timesOfRuns(result: StatResult, { runs = false }: StatTextOptions): string[] {
  if (!runs || result.runs === 1) return [];
  const { mean } = result.elapsed;
  const lines = result.elapsedOfRunsNs.map((ns) => {
    const off = (100 * (ns - mean)) / mean;
    return `${seconds(ns).padStart(COUNT_WIDTH + 2)}  ${off >= 0 ? '+' : ''}${off.toFixed(2)}%`;
  });
  return ['', '# time of each run:', ...lines];
}

/** Sharing of counters, in words: what `~` means and how to avoid it. */
function remarks(rows: readonly StatRow[]): string[] {
  const shares = rows
    .map(({ runningShare, value }) => (value === null ? null : runningShare))
    .filter((share) => share !== null && share < 1) as number[];
  if (shares.length === 0) return [];
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  const least = Math.min(...shares);
  const most = Math.max(...shares);
  const range = least === most ? percent(least) : `${percent(least)} to ${percent(most)}`;
  const events = shares.length === 1 ? '1 count is' : `${shares.length} counts are`;
  return [
    `# ~ ${events} estimated: more events were asked for than the CPU has counters, so these were counted ${range} of the time and scaled up. Fewer events at once are exact.`,
  ];
}

/**
 * All metrics of a row: `1.23 insn per cycle, compute-bound`. A lower bound of 0 carries no
 * information: the average hides every stall behind other cycles.
 */
function describeMetrics(metrics: readonly Metric[]): string {
  return metrics
    .flatMap((metric) => {
      if (metric.name === 'stall-lower-bound' && metric.value === 0) return [];
      const shown = formatMetric(metric);
      if (shown === null)
        return metric.name === 'ipc' ? [`insn per cycle unknown: ${metric.reason}`] : [];
      const hint = metric.name === 'ipc' && metric.hint !== null ? ` (${metric.hint})` : '';
      return [`${shown.number} ${shown.unit}${hint}`];
    })
    .join(', ');
}
