import type { Range } from '../state.ts';
import type { TimeLane, TimelineResult } from '../worker/time-messages.ts';
import {
  axisFont,
  FAINTEST,
  fitCanvas,
  formatTick,
  heightOf,
  secondTicks,
  strength,
} from './canvas.ts';
import type { TimeColours } from './marks.ts';
import { weighCells } from './shown-weight.ts';

const AXIS_HEIGHT = 20;

export type LanePicture = {
  readonly result: TimelineResult;
  /** The time outside of it is covered. */
  readonly range: Range | null;
  /** Pixels. */
  readonly width: number;
  readonly colours: TimeColours;
};

/** Draws one lane below the other, what was lost through all of them, and an axis. Returns the height of a lane. */
export function drawLanes(canvas: HTMLCanvasElement, picture: LanePicture): number {
  const { result, range, width, colours } = picture;
  const { lanes, all, grid } = result;
  // At least what a finger or an unsteady hand hits.
  const laneHeight = heightOf(0.03, 24, 34);
  const height = lanes.length * laneHeight;
  const context = fitCanvas(canvas, width, height + AXIS_HEIGHT);
  if (context === null) return laneHeight;
  const paper: Paper = { context, colours, width, height, endNs: grid.length * grid.cellNs };
  const most = lanes.reduce((largest, { weight }) => Math.max(largest, heaviest(weight)), 0);
  for (const [index, lane] of lanes.entries()) {
    drawLane(paper, lane, index * laneHeight, laneHeight, most);
  }
  drawLosses(paper, weighCells(all).lost, most > 0 ? most : 1);
  drawAxis(paper);
  if (range !== null) drawRange(paper, range);
  return laneHeight;
}

/** The lanes begin at the top; the axis is below `height`. */
type Paper = {
  readonly context: CanvasRenderingContext2D;
  readonly colours: TimeColours;
  readonly width: number;
  readonly height: number;
  /** The time at the right edge. */
  readonly endNs: number;
};

function heaviest(weight: Float64Array): number {
  return weight.reduce((largest, value) => Math.max(largest, value), 0);
}

function drawLane(
  { context, colours, width }: Paper,
  { samples, weight, ramp, throttled }: TimeLane,
  top: number,
  height: number,
  most: number,
): void {
  const cellWidth = width / samples.length;
  for (let cell = 0; cell < samples.length; cell++) {
    const left = cell * cellWidth;
    const paused = throttled[cell];
    if (paused > 0) {
      context.globalAlpha = 0.3 + 0.5 * paused;
      context.fillStyle = colours.throttled;
      context.fillRect(left, top + 1, cellWidth, height - 2);
    }
    const count = samples[cell];
    if (count === 0) continue;
    context.globalAlpha = Math.max(FAINTEST, strength(weight[cell], most));
    context.fillStyle = ramp[cell] * 2 > count ? colours.ramp : colours.samples;
    context.fillRect(left, top + 2, cellWidth, height - 4);
  }
  context.globalAlpha = 1;
}

/** Losses are of a CPU, not of a thread: through all lanes. */
function drawLosses(
  { context, colours, width, height }: Paper,
  lost: Float64Array,
  most: number,
): void {
  const cellWidth = width / lost.length;
  context.fillStyle = colours.lost;
  for (let cell = 0; cell < lost.length; cell++) {
    if (lost[cell] === 0) continue;
    context.globalAlpha = 0.35 + 0.35 * Math.min(1, lost[cell] / most);
    context.fillRect(cell * cellWidth, 0, Math.max(1, cellWidth), height);
  }
  context.globalAlpha = 1;
}

function drawAxis({ context, colours, width, height, endNs }: Paper): void {
  const ticks = secondTicks(0, endNs, width / 110);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : endNs;
  context.fillStyle = colours.quiet;
  context.font = axisFont();
  for (const tick of ticks) {
    const left = (tick / endNs) * width;
    const isLast = left > width - 40;
    context.fillRect(left, height, 1, 4);
    context.textAlign = isLast ? 'right' : 'left';
    context.fillText(formatTick(tick, step), left + (isLast ? -3 : 3), height + AXIS_HEIGHT - 5);
  }
}

function drawRange({ context, colours, width, height, endNs }: Paper, range: Range): void {
  const left = (range.fromNs / endNs) * width;
  const right = (range.toNs / endNs) * width;
  context.globalAlpha = 0.72;
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left, 1, Math.max(1, right - left), height - 2);
}
