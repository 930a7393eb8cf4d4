import type { TimeAxis } from '../state/time-axis.ts';
import type { PeriodColumns, RateColumns } from '../worker/messages/time-messages.ts';
import type { ValueScale } from './value-scale.ts';

/** Pixels. */
const LINE = 1.5;
export const DOT = 3;
/** How much of its colour the band between the extremes has. */
const BAND = 0.25;

/** Draws the period as dots of each sample, or as medians with a band between their extremes. */
export function drawPeriod(
  context: CanvasRenderingContext2D,
  period: PeriodColumns,
  idleAfter: ReadonlySet<number>,
  axis: TimeAxis,
  scale: ValueScale,
): void {
  const { timeNs, middle, samplesPerRow } = period;
  if (samplesPerRow === 1) {
    for (const [row, ns] of timeNs.entries())
      drawDot(context, axis.xOf(ns), scale.yOf(middle[row]));
    return;
  }
  // A line through an idle time would say that something was measured there.
  const ends = [...idleAfter].sort((a, b) => a - b);
  let first = 0;
  for (const last of [...ends, timeNs.length - 1]) {
    drawRun(context, period, [first, last], axis, scale);
    first = last + 1;
  }
}

/** Rows from the first to the last one of a run without idleness. */
function drawRun(
  context: CanvasRenderingContext2D,
  { timeNs, low, middle, high }: PeriodColumns,
  [first, last]: readonly [number, number],
  axis: TimeAxis,
  scale: ValueScale,
): void {
  context.globalAlpha = BAND;
  context.beginPath();
  for (let row = first; row <= last; row++)
    context.lineTo(axis.xOf(timeNs[row]), scale.yOf(high[row]));
  for (let row = last; row >= first; row--)
    context.lineTo(axis.xOf(timeNs[row]), scale.yOf(low[row]));
  context.closePath();
  context.fill();
  // A run of one row has no area.
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
  if (first === last) {
    drawDot(context, axis.xOf(timeNs[first]), scale.yOf(middle[first]));
    return;
  }
  context.lineWidth = LINE;
  context.beginPath();
  for (let row = first; row <= last; row++) {
    context.lineTo(axis.xOf(timeNs[row]), scale.yOf(middle[row]));
  }
  context.stroke();
}

/** Draws a rate as steps, each as wide as its slice of time; slices without samples have none. */
export function drawRate(
  context: CanvasRenderingContext2D,
  { timeNs, sliceNs }: RateColumns,
  rate: Float64Array,
  axis: TimeAxis,
  scale: ValueScale,
): void {
  context.lineWidth = LINE;
  context.beginPath();
  for (const [slice, ns] of timeNs.entries()) {
    if (!(rate[slice] > 0)) continue;
    const y = scale.yOf(rate[slice]);
    const left = axis.xOf(ns - sliceNs / 2);
    if (rate[slice - 1] > 0) context.lineTo(left, y);
    else context.moveTo(left, y);
    context.lineTo(axis.xOf(ns + sliceNs / 2), y);
  }
  context.stroke();
}

/** Draws the rate that was asked for. */
export function drawAsked(
  context: CanvasRenderingContext2D,
  hz: number,
  axis: TimeAxis,
  scale: ValueScale,
): void {
  context.lineWidth = LINE;
  context.setLineDash([6, 4]);
  context.beginPath();
  context.moveTo(axis.left, scale.yOf(hz));
  context.lineTo(axis.left + axis.width, scale.yOf(hz));
  context.stroke();
  context.setLineDash([]);
}

function drawDot(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.fillRect(x - DOT / 2, y - DOT / 2, DOT, DOT);
}
