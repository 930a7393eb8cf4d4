import type { Range } from '../state.ts';
import type { HeatMapResult } from '../worker/time-messages.ts';
import { axisFont, FAINTEST, fitCanvas, fontScale, formatTick, strength } from './canvas.ts';
import type { TimeColours } from './marks.ts';

/** Part of the map's width that a column may take: three seconds make no wall of colour. */
const MOST_OF_WIDTH = 1 / 24;

/** Pixels. */
export const axisHeight = () => Math.round(20 * fontScale());

/** Pixels. */
export type CellSize = { readonly width: number; readonly height: number };

/** Cells that fill a map of so many pixels. */
export function sizeOfCells(
  { columns, rows }: HeatMapResult,
  width: number,
  height: number,
): CellSize {
  return { width: width / Math.max(columns, 1 / MOST_OF_WIDTH), height: height / rows };
}

/** The cell at a place in the map, in pixels; null beside it. Below the last row is the last row. */
export function cellAt(
  { columns, rows }: HeatMapResult,
  { width, height }: CellSize,
  { x, y }: { readonly x: number; readonly y: number },
): number | null {
  const column = Math.floor(x / width);
  const row = Math.min(rows - 1, Math.floor(y / height));
  return column < 0 || column >= columns || row < 0 ? null : column * rows + row;
}

/** The weight of the heaviest cell. */
export function heaviestCell({ cells }: HeatMapResult): number {
  return cells.weight.reduce((largest, weight) => Math.max(largest, weight), 0);
}

export type HeatPicture = {
  readonly size: CellSize;
  /** The time outside of it is covered. */
  readonly range: Range | null;
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
  const { width, height } = picture.size;
  const bottom = height * result.rows;
  const context = fitCanvas(canvas, result.columns * width, bottom + axisHeight());
  if (context === null) return;
  drawCells(context, result, picture);
  drawSelected(context, result, picture);
  context.fillStyle = picture.colours.quiet;
  context.font = axisFont();
  drawAxis(context, result, width, bottom + 15 * fontScale());
}

function drawCells(
  context: CanvasRenderingContext2D,
  result: HeatMapResult,
  { size: { width, height }, range, endNs, colours }: HeatPicture,
): void {
  const { rows, cells, grid } = result;
  const darkest = heaviestCell(result);
  for (let cell = 0; cell < grid.length; cell++) {
    const left = Math.floor(cell / rows) * width;
    const top = (cell % rows) * height;
    const paint = (colour: string, alpha: number) => {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(left, top, width, height);
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
    if (startNs > endNs) paint(colours.line, 0.5);
    const isOutside =
      range !== null && (startNs + grid.cellNs <= range.fromNs || startNs >= range.toNs);
    if (isOutside) paint(colours.panel, 0.7);
  }
  context.globalAlpha = 1;
}

function drawSelected(
  context: CanvasRenderingContext2D,
  { rows }: HeatMapResult,
  { size: { width, height }, selected, colours }: HeatPicture,
): void {
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  for (const cell of new Set(selected)) {
    context.strokeRect(
      Math.floor(cell / rows) * width,
      (cell % rows) * height,
      Math.max(3, width),
      Math.max(3, height),
    );
  }
}

/** The times at which columns begin, where they have room. */
function drawAxis(
  context: CanvasRenderingContext2D,
  { columns, columnNs }: HeatMapResult,
  columnWidth: number,
  baseline: number,
): void {
  const every = roundStep((70 * fontScale()) / columnWidth);
  for (let column = 0; column < columns; column += every) {
    const text = formatTick(column * columnNs, every * columnNs);
    const left = column * columnWidth;
    if (left + context.measureText(text).width > columns * columnWidth) break;
    context.fillText(text, left, baseline);
  }
}

/** The next larger of 1, 2, 5, 10, 20 …: labels of so many columns are round times. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 1;
}
