/**
 * A plot in characters: one line over time, logarithmic, or an area from 0 up to the values.
 *
 *     1 000 ┤     ⢀⡀
 *       131 ┼┄┄┄┄┄⡸⠉⠉⠉⠒⠒⠤⠤⠤┄┄     the reference is drawn where nothing else is
 *        10 ┤   ⢀⠜
 *         1 ┤⣀⣀⣀⠎
 *           └┬────────┬────────┬──
 *            0 s      10 ms    20 ms
 *
 * A braille character is a grid of 2 × 4 dots, so a plot of 80 × 8 characters has 160 × 32 dots.
 * Without Unicode, a character is one dot.
 */
import { formatShort } from '../../base/numbers.ts';

/** Values over time in equal slices; null without one. Values are positive. */
export type PlotSeries = {
  readonly startNs: number;
  readonly endNs: number;
  readonly lowest: readonly (number | null)[];
  readonly highest: readonly (number | null)[];
};

export type TextPlotOptions = {
  /** Columns in all, the labels of the axis included. */
  readonly columns: number;
  readonly rows: number;
  readonly hasUnicode: boolean;
  /** A value to compare with; null: none. */
  readonly reference: number | null;
  readonly kind: 'logarithmic line' | 'area';
};

/** Columns of a label and of the axis to its right. */
export const LABEL_COLUMNS = 8;

/** Dots per character, and the braille bit of each: columns first, from the top. */
const DOT_COLUMNS = 2;
const DOT_ROWS = 4;
const BRAILLE = 0x2800;
const BRAILLE_BITS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

/** The plot's rows, without a time axis. */
export function drawPlot(series: PlotSeries, options: TextPlotOptions): string[] {
  const { rows, hasUnicode, kind } = options;
  const reference = options.reference !== null && options.reference > 0 ? options.reference : null;
  const columns = options.columns - LABEL_COLUMNS;
  const scale = kind === 'area' ? areaScale(series, reference) : lineScale(series, reference);
  const dotsAcross = hasUnicode ? columns * DOT_COLUMNS : columns;
  const dotsDown = hasUnicode ? rows * DOT_ROWS : rows;
  const dots = new Uint8Array(dotsAcross * dotsDown);
  const slices = series.lowest.length;
  for (let x = 0; x < dotsAcross; x++) {
    const from = Math.floor((x * slices) / dotsAcross);
    const to = Math.max(from + 1, Math.floor(((x + 1) * slices) / dotsAcross));
    for (let s = from; s < Math.min(to, slices); s++) {
      const low = series.lowest[s] ?? null;
      const high = series.highest[s] ?? null;
      // A damaged file may hold 0, which has no logarithm.
      if (low === null || high === null || !(low > 0)) continue;
      const top = dotOf(scale, high, dotsDown);
      const bottom = kind === 'area' ? dotsDown - 1 : dotOf(scale, low, dotsDown);
      for (let y = top; y <= bottom; y++) dots[y * dotsAcross + x] = 1;
    }
  }
  const referenceRow = reference === null ? -1 : dotOf(scale, reference, rows);
  const labels = labelsOf(scale, rows, referenceRow, reference);
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const cells: string[] = [];
    for (let column = 0; column < columns; column++) {
      const drawn = hasUnicode
        ? brailleAt(dots, dotsAcross, column, row)
        : asciiAt(dots, dotsAcross, column, row);
      cells.push(drawn ?? ' ');
    }
    const text = row === referenceRow ? drawReference(cells, hasUnicode) : cells.join('');
    const label = labels[row];
    lines.push(
      `${label.padStart(LABEL_COLUMNS - 2)} ${axisMark(label, hasUnicode)}${text}`.trimEnd(),
    );
  }
  return lines;
}

/** The reference in all empty cells of its row, unless the values keep to it anyway. */
function drawReference(cells: readonly string[], hasUnicode: boolean): string {
  const empty = cells.filter((cell) => cell === ' ').length;
  if (empty < cells.length / 2) return cells.join('');
  return cells.map((cell) => (cell === ' ' ? (hasUnicode ? '┄' : '-') : cell)).join('');
}

function axisMark(label: string, hasUnicode: boolean): string {
  if (!hasUnicode) return label === '' ? '|' : '+';
  return label === '' ? '│' : '┤';
}

function brailleAt(dots: Uint8Array, across: number, column: number, row: number): string | null {
  let bits = 0;
  for (let dx = 0; dx < DOT_COLUMNS; dx++) {
    for (let dy = 0; dy < DOT_ROWS; dy++) {
      const at = (row * DOT_ROWS + dy) * across + column * DOT_COLUMNS + dx;
      if (dots[at] === 1) bits |= BRAILLE_BITS[dx][dy];
    }
  }
  return bits === 0 ? null : String.fromCharCode(BRAILLE + bits);
}

function asciiAt(dots: Uint8Array, across: number, column: number, row: number): string | null {
  return dots[row * across + column] === 1 ? '*' : null;
}

type Scale = {
  readonly lowest: number;
  readonly highest: number;
  readonly isLogarithmic: boolean;
};

/** Less than this factor from top to bottom would show noise as mountains. */
const MIN_SPAN = 4;
/** Margin that keeps a constant off the border of two rows. */
const OFF_CENTRE = 1.15;

/** The range from the least to the greatest of the values and the reference. */
function lineScale({ lowest, highest }: PlotSeries, reference: number | null): Scale {
  let least = reference ?? Number.POSITIVE_INFINITY;
  let greatest = reference ?? 0;
  for (const value of lowest) if (value !== null && value > 0) least = Math.min(least, value);
  for (const value of highest) if (value !== null) greatest = Math.max(greatest, value);
  if (!(greatest >= least)) return { lowest: 1, highest: MIN_SPAN, isLogarithmic: true };
  const missing = Math.sqrt(Math.max(1, MIN_SPAN / (greatest / least)));
  const shift = missing > 1 ? OFF_CENTRE : 1;
  return {
    lowest: least / missing / shift,
    highest: (greatest * missing) / shift,
    isLogarithmic: true,
  };
}

/** An area that goes further above the reference is cut: the rest would be flat. */
const MAX_ABOVE_REFERENCE = 3;

function areaScale({ highest }: PlotSeries, reference: number | null): Scale {
  let greatest = 0;
  for (const value of highest) if (value !== null) greatest = Math.max(greatest, value);
  if (reference !== null) {
    greatest = Math.min(greatest, MAX_ABOVE_REFERENCE * reference);
    greatest = Math.max(greatest, reference);
  }
  return { lowest: 0, highest: greatest, isLogarithmic: false };
}

/** Which of `count` steps from the top a value stands on. */
function dotOf({ lowest, highest, isLogarithmic }: Scale, value: number, count: number): number {
  const height = isLogarithmic
    ? Math.log(value / lowest) / Math.log(highest / lowest)
    : (value - lowest) / (highest - lowest);
  return Math.max(0, Math.min(count - 1, Math.floor((1 - height) * count)));
}

/** One label per row, possibly empty: the reference, and round values around it. */
function labelsOf(
  scale: Scale,
  rows: number,
  referenceRow: number,
  reference: number | null,
): string[] {
  const labels = new Array<string>(rows).fill('');
  if (!scale.isLogarithmic) {
    labels[0] = formatShort(scale.highest);
    labels[rows - 1] = '0';
    if (reference !== null) labels[referenceRow] = formatShort(reference);
    return labels;
  }
  const decades = Math.log10(scale.highest / scale.lowest);
  const steps = decades > rows / 2 ? [1] : decades > 1 ? [1, 3] : [1, 2, 5];
  for (let ten = 10 ** Math.floor(Math.log10(scale.lowest)); ten <= scale.highest; ten *= 10) {
    for (const step of steps) {
      const value = ten * step;
      if (value < scale.lowest || value > scale.highest) continue;
      const row = dotOf(scale, value, rows);
      if (labels[row] === '') labels[row] = formatShort(value);
    }
  }
  if (reference !== null) labels[referenceRow] = formatShort(reference);
  return labels;
}
