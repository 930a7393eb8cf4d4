import { formatCount, formatKnownShare, formatShareInterval } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { fileAndName } from '../../profile/func-label.ts';
import { shortName } from '../../profile/short-name.ts';
import type { Profile } from '../../profile/types.ts';
import { drawBar } from '../render/bar.ts';
import { formatTable } from '../render/table.ts';
import type { Terminal } from '../render/terminal.ts';
import type { Row } from './report-rows.ts';
import type { PlainKey } from './sort-keys.ts';

/** The form of a table of functions, files, threads or comms. */
export type PlainTableLook = {
  readonly sort: PlainKey;
  /** Rows are in the order of their totals; null: the table has no totals. */
  readonly byTotal: boolean | null;
  readonly hasIntervals: boolean;
  /** Functions whose order is not certain: `~` stands at their intervals. */
  readonly unsure: ReadonlySet<number>;
  readonly colour: boolean;
  /** The terminal that the table is printed on, which gets bars and whole lines; null where it is none. */
  readonly terminal: Terminal | null;
};

const TITLES = { sym: 'function', dso: 'file', thread: 'thread', comm: 'comm' } as const;
const BAR_COLUMNS = 10;
/** Narrower than this, a terminal has no room for bars. */
const LEAST_COLUMNS_WITH_BARS = 80;

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
  { sort, byTotal, hasIntervals, unsure, colour, terminal }: PlainTableLook,
): string[] {
  const intervalOf = (row: Row) => (byTotal === true ? row.totalInterval : row.selfInterval);
  const shareOf = (row: Row) => (byTotal === true ? row.totalShare : row.selfShare);
  const knownBy = (row: Row) => (hasIntervals ? intervalOf(row) : undefined);
  const most = Math.max(...rows.map(shareOf), 0);
  const hasBars = terminal !== null && terminal.columns >= LEAST_COLUMNS_WITH_BARS && most > 0;
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
  // An interval stands behind the share that it is of: the one that the rows are ordered by.
  const numbers: Column[] = [
    byTotal === true ? total : self,
    ...(hasBars ? [bar] : []),
    ...(hasIntervals ? [interval] : []),
    ...(byTotal === null ? [] : [byTotal ? self : total]),
    ['samples', (row) => formatCount(row.selfSamples)],
  ];
  const names = rows.map(({ func, name }) =>
    func === undefined ? [name] : fileAndName(profile, func),
  );
  const header = [...numbers.map(([title]) => title), ...(sort === 'sym' ? ['file'] : [])];
  return formatTable(
    [...header, TITLES[sort]],
    rows.map((row, i) => [
      ...numbers.map(([, cell]) => cell(row)),
      ...names[i].map((name) => printable(shortName(name))),
    ]),
    {
      right: numbers.flatMap((column, at) => (column === bar ? [] : [at])),
      colour,
      ...(terminal !== null && { columns: terminal.columns }),
    },
  );
}
