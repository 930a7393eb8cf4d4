import { inLocale } from './ascii.ts';
import { clip } from './clip.ts';
import { displayWidth } from './display-width.ts';
import { createPaint } from './paint.ts';
import { wrapText } from './wrap.ts';

const GAP = '  ';

export type TextTableOptions = {
  /** Positions of the columns that are aligned to the right: numbers. */
  readonly right?: readonly number[];
  readonly colour?: boolean;
  /** Cells are in Unicode; without it they are in ASCII, and so are their widths. Default: as the locale has it. */
  readonly unicode?: boolean;
  /** Columns of the terminal: the last cell of a line is cut where it does not fit. Default: lines are as long as they are. */
  readonly columns?: number;
  /** Positions of columns that are left out, the first of them first, as long as the last cells lack room; −1 is none. */
  readonly spare?: readonly number[];
  /** The last cell goes on below itself instead of being cut, where it has room for words. */
  readonly wraps?: boolean;
};

/** Columns that the last cell keeps however narrow the terminal is. */
const LEAST_NAME_COLUMNS = 16;

/**
 * Rows of text as lines of equal columns, the header first. Cells must be printable: one line each,
 * without escapes. The last column is not padded, so no line ends in spaces.
 *
 *    self  symbol
 *   12.3%  main
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  options: TextTableOptions = {},
): string[] {
  const right = new Set(options.right);
  const shown = (row: readonly string[]) => row.map((cell) => inLocale(cell, options.unicode));
  const head = shown(header);
  const body = rows.map(shown);
  const widths = head.map(displayWidth);
  for (const row of body) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    }
  }
  const last = head.length - 1;
  const { columns = Number.POSITIVE_INFINITY, wraps = false } = options;
  const spare = [...(options.spare ?? [])];
  const out = new Set<number>();
  const indent = () =>
    widths.reduce(
      (sum, width, at) => (at < last && !out.has(at) ? sum + width + GAP.length : sum),
      0,
    );
  const need = Math.min(LEAST_NAME_COLUMNS, widths[last]);
  while (columns - indent() < need && spare.length > 0) out.add(spare.shift() as number);
  const room = Math.max(LEAST_NAME_COLUMNS, columns - indent());
  const toLine = (cells: readonly string[]): string =>
    cells
      .flatMap((cell, column) => {
        if (out.has(column)) return [];
        if (column === last && !right.has(column)) return wraps ? cell : clip(cell, room);
        const padding = ' '.repeat(widths[column] - displayWidth(cell));
        return right.has(column) ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd();
  const toLines = (cells: readonly string[]): string[] => {
    if (!wraps || columns - indent() < LEAST_NAME_COLUMNS) return [toLine(cells)];
    const [first, ...rest] = wrapText(cells[last] ?? '', room);
    return [toLine(cells.with(last, first)), ...rest.map((line) => ' '.repeat(indent()) + line)];
  };
  const { bold } = createPaint(options.colour === true);
  return [bold(toLine(head)), ...body.flatMap(toLines)];
}
