import { markdownCode, markdownTable } from '../../base/markdown.ts';
import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { QueryAnswer, QueryValue } from '../../query/engine.ts';
import { formatTable } from '../render/table.ts';

/** Columns that hold parts of a whole: 0…1, or −1…1 of a change. */
const SHARES = new Set(
  'share share_before share_after share_change self_share total_share coverage least_change'.split(
    ' ',
  ),
);
/** The share that an interval is of, where it stands beside it; else the interval may be a ratio's. */
const SHARE_OF_BOUND: ReadonlyMap<string, string> = new Map(
  [
    ['', 'share'],
    ['change_', 'share_change'],
    ['self_', 'self_share'],
    ['total_', 'total_share'],
  ].flatMap(([name, share]) => [`${name}low`, `${name}high`].map((bound) => [bound, share])),
);

/** Columns that hold a time on the wall clock, in nanoseconds since 1970. */
const TIMES = new Set(['started_ns', 'first_seen']);

/** The answer as a table for the terminal. */
export function answerLines(answer: QueryAnswer): string[] {
  const cells = answer.rows.map((row) =>
    row.map((value, column) => printable(cellText(value, column, answer.columns))),
  );
  const right = numericColumns(answer);
  return [
    ...formatTable(answer.columns.map(printable), cells, { right: [...right] }),
    ...cutLines(answer),
  ];
}

/** The answer as a table in Markdown; texts are code, so that none is markup. */
export function answerMarkdown(answer: QueryAnswer): string[] {
  const cells = answer.rows.map((row) =>
    row.map((value, column) =>
      typeof value === 'string'
        ? markdownCode(timeText(value, answer.columns[column]) ?? value)
        : printable(cellText(value, column, answer.columns)),
    ),
  );
  const header = answer.columns.map((name) => markdownCode(name));
  return [...markdownTable(header, cells, numericColumns(answer)), ...cutLines(answer)];
}

/** RFC 4180; null is an empty field. Control characters are escaped, as everywhere. */
export function answerCsv({ columns, rows }: QueryAnswer): string {
  const field = (value: QueryValue): string => {
    if (value === null) return '';
    const text = printable(String(value));
    return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** One object a row, with the columns' names as keys. */
export function answerObjects({ columns, rows }: QueryAnswer): Record<string, QueryValue>[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, column) => [name, row[column]] as const)),
  );
}

function cutLines({ isCut, rows }: QueryAnswer): string[] {
  return isCut ? [`… and more than these ${rows.length} rows (--max-rows)`] : [];
}

function numericColumns({ columns, rows }: QueryAnswer): Set<number> {
  const right = columns.map((_, column) => column);
  return new Set(
    right.filter((column) =>
      rows.every((row) => row[column] === null || typeof row[column] === 'number'),
    ),
  );
}

function cellText(value: QueryValue, at: number, columns: readonly string[]): string {
  if (value === null) return '';
  const column = columns[at];
  const time = timeText(value, column);
  if (time !== null) return time;
  if (typeof value !== 'number') return String(value);
  const isShare = SHARES.has(column) || columns.includes(SHARE_OF_BOUND.get(column) ?? '');
  if (isShare && Math.abs(value) <= 1) return formatShare(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

/** Such a number, which is text where it is above 2^53, as a date; null: it is none. */
function timeText(value: QueryValue, column: string): string | null {
  if (!TIMES.has(column) || !/^\d+$/.test(String(value))) return null;
  const time = new Date(Number(value) / 1e6);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
