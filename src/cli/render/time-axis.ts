import { roundStep } from '../../base/numbers.ts';
import { LABEL_COLUMNS } from './plot.ts';

export type AxisOptions = {
  readonly startNs: number;
  readonly endNs: number;
  /** The geometry of the plot above it. */
  readonly columns: number;
  readonly hasUnicode: boolean;
};

/** Columns from one label to the next, at least. */
const SPACING = 16;
const UNITS: readonly (readonly [number, string])[] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** The line under a plot and the times under that, at round values. */
export function drawTimeAxis(options: AxisOptions): string[] {
  const { startNs, endNs, columns, hasUnicode } = options;
  const width = columns - LABEL_COLUMNS;
  const span = endNs - startNs;
  if (!(span > 0)) return [];
  const step = roundStep((span / width) * SPACING);
  const [unitNs, unit] = UNITS.find(([nanos]) => endNs >= nanos) ?? UNITS[3];
  const line = new Array<string>(width).fill(hasUnicode ? '─' : '-');
  let labels = '';
  // A round value just before the start stands for it.
  const first =
    startNs % step < (2 * span) / width ? Math.floor(startNs / step) : Math.ceil(startNs / step);
  for (let time = first * step; time <= endNs; time += step) {
    const column = Math.max(0, Math.min(width - 1, Math.floor(((time - startNs) / span) * width)));
    const label = `${Number((time / unitNs).toPrecision(6))} ${unit}`;
    if (column + label.length > width) break;
    line[column] = hasUnicode ? '┬' : '+';
    labels = labels.padEnd(column) + label;
  }
  const corner = hasUnicode ? '└' : '+';
  const indent = ' '.repeat(LABEL_COLUMNS - 1);
  return [`${indent}${corner}${line.join('')}`, `${indent} ${labels}`];
}

/** An interval that is marked under a plot. */
export type Mark = { readonly startNs: number; readonly endNs: number };

/** `mark` in every column that one of the intervals touches; null without intervals. */
export function drawMarks(
  label: string,
  mark: string,
  marks: readonly Mark[],
  { startNs, endNs, columns }: AxisOptions,
): string | null {
  const width = columns - LABEL_COLUMNS;
  const span = endNs - startNs;
  if (marks.length === 0 || !(span > 0)) return null;
  const line = new Array<string>(width).fill(' ');
  const columnOf = (time: number) =>
    Math.max(0, Math.min(width - 1, Math.floor(((time - startNs) / span) * width)));
  for (const interval of marks) {
    for (let c = columnOf(interval.startNs); c <= columnOf(interval.endNs); c++) line[c] = mark;
  }
  return `${label.padStart(LABEL_COLUMNS - 1)} ${line.join('')}`.trimEnd();
}
