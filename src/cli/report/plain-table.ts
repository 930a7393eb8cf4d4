import {
  formatBytes,
  formatCount,
  formatKnownShare,
  formatShareInterval,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { fileAndName } from '../../profile/func-label.ts';
import { shortName } from '../../profile/short-name.ts';
import type { Profile } from '../../profile/types.ts';
import { displayWidth } from '../render/display-width.ts';
import { formatTable, type TextTableOptions } from '../render/table.ts';
import type { Terminal } from '../render/terminal.ts';
import type { Row } from './report-rows.ts';
import type { PlainKey } from './sort-keys.ts';

/** The form of a table of functions, files, threads or comms. */
export type PlainTableLook = {
  readonly sort: PlainKey;
  /** Rows are in the order of their totals; null: the table has no totals. */
  readonly byTotal: boolean | null;
  readonly hasIntervals: boolean;
  /** Weights are bytes, which have a column. */
  readonly hasBytes: boolean;
  /** Functions whose order is not certain: `~` stands at their intervals. */
  readonly unsure: ReadonlySet<number>;
  readonly colour: boolean;
  /** The terminal that the table is printed on, which gets bars and whole lines; null where it is none. */
  readonly terminal: Terminal | null;
};

const TITLES = { sym: 'function', dso: 'file', thread: 'thread', comm: 'comm' } as const;
const BAR_COLUMNS = 10;
/** Names matter more than bars: where those leave them fewer columns, and a name needs more, there are none. */
const NAME_COLUMNS = 40;

type Column = readonly [title: string, cell: (row: Row) => string];

/**
 * The rows as lines, the shares first. Names stand last: those of C++ are long, and the last column is not padded.
 *
 *     self  95% interval  total  samples  file      function
 *      41%    40.8–42.1%    51%    2 528  app.js:4  parse
 *       4%    ~3.8–4.8%      5%      252            (parse & compile)
 */
export function plainTable(
  profile: Profile,
  rows: readonly Row[],
  { sort, byTotal, hasIntervals, hasBytes, unsure, colour, terminal }: PlainTableLook,
): string[] {
  const intervalOf = (row: Row) => (byTotal === true ? row.totalInterval : row.selfInterval);
  const shareOf = (row: Row) => (byTotal === true ? row.totalShare : row.selfShare);
  const knownBy = (row: Row) => (hasIntervals ? intervalOf(row) : undefined);
  const most = Math.max(...rows.map(shareOf), 0);
  const self: Column = ['self', (row) => formatKnownShare(row.selfShare, knownBy(row))];
  const total: Column = ['total', (row) => formatKnownShare(row.totalShare, knownBy(row))];
  const bar: Column = [
    '',
    (row) => drawBar(shareOf(row) / most, BAR_COLUMNS, terminal?.hasUnicode === true),
  ];
  const interval: Column = [
    '95% interval',
    (row) =>
      (row.func !== undefined && unsure.has(row.func) ? '~' : '') +
      formatShareInterval(intervalOf(row)),
  ];
  const samples: Column = ['samples', (row) => formatCount(row.selfSamples)];
  const bytes: Column = ['bytes', (row) => formatBytes(byTotal === true ? row.total : row.self)];
  const names = rows.map(({ func, name }) =>
    (func === undefined ? [name] : fileAndName(profile, func)).map((each) =>
      printable(shortName(each)),
    ),
  );
  // An interval stands behind the share that it is of: the one that the rows are ordered by.
  const columnsOf = (hasBars: boolean): Column[] => [
    byTotal === true ? total : self,
    ...(hasBars ? [bar] : []),
    ...(hasIntervals ? [interval] : []),
    ...(byTotal === null ? [] : [byTotal ? self : total]),
    ...(hasBytes ? [bytes] : []),
    samples,
  ];
  const linesOf = (columns: readonly Column[], look: Omit<TextTableOptions, 'right'>): string[] =>
    formatTable(
      [...columns.map(([title]) => title), ...(sort === 'sym' ? ['file'] : []), TITLES[sort]],
      rows.map((row, i) => [...columns.map(([, cell]) => cell(row)), ...names[i]]),
      {
        right: columns.flatMap((column, at) => (column === bar ? [] : [at])),
        spare: [columns.indexOf(samples), columns.indexOf(interval)],
        ...look,
      },
    );
  if (terminal === null) return linesOf(columnsOf(false), { colour });
  const whole = linesOf(columnsOf(true), {});
  const hasBars = most > 0 && isRoomForNames(whole, TITLES[sort], terminal.columns);
  return linesOf(columnsOf(hasBars), { colour, columns: terminal.columns });
}

/** Whether whole lines fit, or leave a name, which stands last, as much as most names need. */
function isRoomForNames(lines: readonly string[], title: string, columns: number): boolean {
  const before = displayWidth(lines[0]) - displayWidth(title);
  return columns - before >= NAME_COLUMNS || lines.every((line) => displayWidth(line) <= columns);
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A share of 0 to 1 as a bar of at most `columns` columns, to an eighth of one; without Unicode to a whole one. */
export function drawBar(share: number, columns: number, hasUnicode: boolean): string {
  const length = Math.max(0, Math.min(1, share)) * columns;
  if (!hasUnicode) return '#'.repeat(Math.round(length));
  const eighths = Math.round(length * 8);
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}
