import { formatMetric } from '../../counting/count/format-metric.ts';
import type { StatReport } from '../../counting/stat/stat.ts';
import type { StatRow } from '../../counting/stat/tally.ts';

/** Which columns there are. */
export type FieldColumns = {
  readonly separator: string;
  readonly hasTime: boolean;
  readonly hasUnits: boolean;
  readonly hasSpread: boolean;
};

/** perf's columns of `-x`, with names, and the reason of what was not counted at the end. */
export function formatFieldHeader(columns: FieldColumns): string {
  const names = [
    ...(columns.hasTime ? ['time_s'] : []),
    ...(columns.hasUnits ? ['part', 'places'] : []),
    'count',
    'unit',
    'event',
    ...(columns.hasSpread ? ['spread_percent'] : []),
    'running_ns',
    'running_percent',
    'metric',
    'metric_unit',
    'reason',
  ];
  return names.map((name) => quote(name, columns.separator)).join(columns.separator);
}

/** One line for each row; what is unknown is empty. Of several metrics the first,
 * and no bound of stalls: it needs its words. */
export function formatFields(report: StatReport, columns: FieldColumns): string[] {
  return report.rows.map((row) => {
    const metric = row.metrics.find(({ name }) => name !== 'stall-lower-bound');
    const shown = metric === undefined ? null : formatMetric(metric);
    const cells = [
      ...(columns.hasTime ? [(report.timeNs / 1e9).toFixed(9)] : []),
      ...(columns.hasUnits ? [row.unit.label, `${row.unit.places}`] : []),
      countOf(row),
      row.countUnit,
      row.event,
      ...(columns.hasSpread ? [spreadPercent(row)] : []),
      `${Math.round(row.runningNs)}`,
      row.runningShare === null ? '' : (100 * row.runningShare).toFixed(2),
      shown?.number ?? '',
      shown?.unit ?? '',
      row.reason ?? '',
    ];
    return cells.map((cell) => quote(cell, columns.separator)).join(columns.separator);
  });
}

function countOf({ value, countUnit, spread }: StatRow): string {
  if (value === null) return '';
  if (Number.isInteger(value)) return `${value}`;
  return countUnit === '' && spread === null ? `${Math.round(value)}` : value.toFixed(6);
}

function spreadPercent({ spread }: StatRow): string {
  if (spread === null) return '';
  return spread.mean === 0 ? '0.00' : ((100 * spread.error) / Math.abs(spread.mean)).toFixed(2);
}

function quote(cell: string, separator: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names may hold any
  const text = cell.replace(/[\u0000-\u001f\u007f]/g, ' ');
  return text.includes(separator) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}
