import { roundStep } from '../../../src/base/numbers.ts';
import { axisFont, createHatch, FAINTEST, fitCanvas, fontScale, strength } from '../dom/canvas.ts';
import type { Range } from '../state/state.ts';
import type { TimeAxis } from '../state/time-axis.ts';
import type { HeatMapResult } from '../worker/messages/time-messages.ts';
import { formatTick } from './format-tick.ts';
import type { TimeColours } from './marks.ts';

/** Pixels. */
export const axisHeight = () => Math.round(20 * fontScale());

/** The cell at a place in the map, in pixels; null beside it. Below the last row is the last row. */
export function cellAt(
  { columns, rows, columnNs }: HeatMapResult,
  axis: TimeAxis,
  rowHeight: number,
  { x, y }: { readonly x: number; readonly y: number },
): number | null {
  const column = Math.floor(axis.nsAt(x) / columnNs);
  const row = Math.min(rows - 1, Math.floor(y / rowHeight));
  return column < 0 || column >= columns || row < 0 ? null : column * rows + row;
}

/** The weight of the heaviest cell. */
export function heaviestCell({ cells }: HeatMapResult): number {
  return cells.weight.reduce((largest, weight) => Math.max(largest, weight), 0);
}

export type HeatPicture = {
  /** The axis of time from the left edge of the map on; a column begins at the moment that its first cell begins. */
  readonly axis: TimeAxis;
  /** Pixels. */
  readonly rowHeight: number;
  /** The time outside of it is covered. */
  readonly range: Range | null;
  /** Times in which nothing was sampled, in order. */
  readonly unsampled: readonly Range[];
  /** The recording's end: the time after it is not idle time. */
  readonly endNs: number;
  /** The first and the last cell selected. */
  readonly selected: readonly [number, number] | null;
  readonly colours: TimeColours;
};

/** Draws every cell, frames around those selected, and an axis below. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  result: HeatMapResult,
  picture: HeatPicture,
): void {
  const { axis, rowHeight } = picture;
  const bottom = rowHeight * result.rows;
  const context = fitCanvas(canvas, axis.width, bottom + axisHeight());
  if (context === null) return;
  drawCells(context, result, picture);
  drawSelected(context, result, picture);
  context.fillStyle = picture.colours.quiet;
  context.font = axisFont();
  drawAxis(context, result, axis, bottom + 15 * fontScale());
}

function drawCells(
  context: CanvasRenderingContext2D,
  result: HeatMapResult,
  { axis, rowHeight, range, unsampled, endNs, colours }: HeatPicture,
): void {
  const { rows, cells, grid, columnNs } = result;
  const width = columnNs / axis.nsPerPixel;
  const darkest = heaviestCell(result);
  const hatch = createHatch(context, colours.quiet, 1) ?? colours.line;
  let gap = 0;
  for (let cell = 0; cell < grid.length; cell++) {
    const left = axis.xOf(Math.floor(cell / rows) * columnNs);
    if (left + width < 0 || left > axis.width) continue;
    const top = (cell % rows) * rowHeight;
    const paint = (colour: string | CanvasPattern, alpha: number) => {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(left, top, width, rowHeight);
    };
    const paused = cells.throttled[cell];
    if (paused > 0) paint(colours.throttled, 0.3 + 0.5 * paused);
    const count = cells.samples[cell];
    if (count > 0) {
      const isRamp = cells.ramp[cell] * 2 > count;
      const dark = strength(cells.weight[cell], darkest);
      paint(isRamp ? colours.ramp : colours.samples, Math.max(FAINTEST, dark));
    }
    if (cells.lost[cell] > 0) paint(colours.lost, count > 0 ? 0.55 : 0.7);
    const startNs = grid.firstNs + cell * grid.cellNs;
    const middleNs = startNs + grid.cellNs / 2;
    while (gap < unsampled.length && unsampled[gap].toNs <= middleNs) gap++;
    if (gap < unsampled.length && unsampled[gap].fromNs <= middleNs) paint(hatch, 1);
    if (startNs > endNs) paint(colours.line, 0.5);
    const isOutside =
      range !== null && (startNs + grid.cellNs <= range.fromNs || startNs >= range.toNs);
    if (isOutside) paint(colours.panel, 0.7);
  }
  context.globalAlpha = 1;
}

function drawSelected(
  context: CanvasRenderingContext2D,
  { rows, columnNs }: HeatMapResult,
  { axis, rowHeight, selected, colours }: HeatPicture,
): void {
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  for (const cell of new Set(selected)) {
    context.strokeRect(
      axis.xOf(Math.floor(cell / rows) * columnNs),
      (cell % rows) * rowHeight,
      Math.max(3, columnNs / axis.nsPerPixel),
      Math.max(3, rowHeight),
    );
  }
}

/** The times at which columns begin, where they have room. */
function drawAxis(
  context: CanvasRenderingContext2D,
  { columns, columnNs }: HeatMapResult,
  axis: TimeAxis,
  baseline: number,
): void {
  const every = roundStep(Math.max(1, (70 * fontScale() * axis.nsPerPixel) / columnNs));
  for (let column = 0; column < columns; column += every) {
    const left = axis.xOf(column * columnNs);
    const text = formatTick(column * columnNs, every * columnNs);
    if (left < 0 || left + context.measureText(text).width > axis.width) continue;
    context.fillText(text, left, baseline);
  }
}
