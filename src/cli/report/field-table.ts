import { UsageError } from '../../base/errors.ts';
import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import type { GroupedReport, GroupedRow } from '../../profile/analysis/grouped-report.ts';
import { shortName } from '../../profile/short-name.ts';
import { formatTable } from '../render/table.ts';
import type { SelectRows } from './grouped-report.ts';
import { groupKeysOf } from './sort-keys.ts';

// `-F overhead,sample,comm,sym` and `-t ,`: a table of the columns that are asked for, as perf has it.

/** perf's names of the figures of a row. */
const FIGURES = ['overhead', 'overhead_children', 'sample', 'period'] as const;
type Figure = (typeof FIGURES)[number];

/** A column: a figure, or the position of a name among the keys. */
export type TableFields = {
  readonly columns: readonly (Figure | GroupKey)[];
  readonly keys: readonly GroupKey[];
  /** Rows by what was called from them, too: that is the first figure. */
  readonly byTotal: boolean;
};

/** The columns of `-F`, or with `-t` alone those of the usual table. Throws `UsageError` for a word that is neither. */
export function parseFields(fields: string | undefined, sort: string): TableFields {
  if (fields === undefined) {
    const keys = groupKeysOf(sort === 'sym' ? 'dso,sym' : sort);
    return { columns: ['overhead', 'overhead_children', 'sample', ...keys], keys, byTotal: false };
  }
  const words = fields.split(',').filter((word) => word !== '');
  const columns = words.flatMap((word): readonly (Figure | GroupKey)[] =>
    isFigure(word) ? [word] : keysOfField(fields, word),
  );
  const named = columns.filter((column): column is GroupKey => !isFigure(column));
  const keys = named.length > 0 ? named : groupKeysOf(sort === 'sym' ? 'dso,sym' : sort);
  return {
    columns: named.length > 0 ? columns : [...columns, ...keys],
    keys,
    byTotal: columns.find(isFigure) === 'overhead_children',
  };
}

function keysOfField(fields: string, word: string): readonly GroupKey[] {
  if (/^overhead_/.test(word)) {
    throw new UsageError(`-F ${fields}: no field ${word}`, [
      'shares of user and kernel code: perf-ts report --sort category; the figures are ' +
        FIGURES.join(', '),
    ]);
  }
  return groupKeysOf(word);
}

function isFigure(word: string): word is Figure {
  return (FIGURES as readonly string[]).includes(word);
}

const TITLES: Readonly<Record<Figure, string>> = {
  overhead: 'self',
  overhead_children: 'total',
  sample: 'samples',
  period: 'weight',
};

/** The rows as a table, or with a separator as fields, in which it stands for nothing else. */
export function fieldLines(
  report: GroupedReport,
  { columns, keys, byTotal }: TableFields,
  separator: string | null,
  selectRows: SelectRows,
): string[] {
  const sorted = byTotal ? report.rows.toSorted((a, b) => b.total - a.total) : report.rows;
  const { rows, rest } = selectRows(sorted);
  const titles = columns.map((column) =>
    isFigure(column) ? TITLES[column] : column === 'sym' ? 'symbol' : column,
  );
  const count = separator === null ? formatCount : (value: number) => `${Math.round(value)}`;
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, keys, count)));
  if (separator !== null) {
    const line = (fields: readonly string[]): string =>
      fields.map((field) => field.replaceAll(separator, '.')).join(separator);
    return [`# ${line(titles)}`, ...cells.map(line)];
  }
  const right = columns.flatMap((column, at) => (isFigure(column) ? [at] : []));
  return [...formatTable(titles, cells, { right }), ...rest];
}

function cellOf(
  row: GroupedRow,
  column: Figure | GroupKey,
  keys: readonly GroupKey[],
  count: (value: number) => string,
): string {
  switch (column) {
    case 'overhead':
      return formatShare(row.selfShare);
    case 'overhead_children':
      return formatShare(row.totalShare);
    case 'sample':
      return count(row.selfSamples);
    case 'period':
      return count(row.self);
    default:
      return printable(shortName(row.names[keys.indexOf(column)]));
  }
}

/** `\t` for programs that can't type it. */
export function separatorOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text === '') throw new UsageError('-t: the separator is empty');
  return text === '\\t' ? '\t' : text;
}
