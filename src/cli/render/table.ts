import { displayWidth } from './display-width.ts';
import { createPaint } from './paint.ts';

const GAP = '  ';

export type TextTableOptions = {
  /** Positions of the columns that are aligned to the right: numbers. */
  readonly right?: readonly number[];
  readonly colour?: boolean;
};

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
  const widths = header.map(displayWidth);
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    }
  }
  const toLine = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column] - displayWidth(cell));
        return right.has(column) ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd();
  const { bold } = createPaint(options.colour === true);
  return [bold(toLine(header)), ...rows.map(toLine)];
}
