import { TimeAxis } from '../state/time-axis.ts';
import { paintLane } from '../tracks/lane-paint.ts';
import { LABEL_GAP, rulerTicks } from '../tracks/ruler-ticks.ts';
import type { ChartResult } from '../worker/messages/chart-messages.ts';
import type { ChartColours } from './chart-colours.ts';

export type LaneRowPicture = {
  readonly result: ChartResult;
  readonly width: number;
  /** Pixels, of the axis and of each lane. */
  readonly axisHeight: number;
  readonly laneHeight: number;
  readonly fontSize: number;
  readonly colours: ChartColours;
};

/** The axis of time on top, and a row for each lane below it. */
export function drawLaneRows(context: CanvasRenderingContext2D, picture: LaneRowPicture): void {
  const { result, width, axisHeight, laneHeight, colours } = picture;
  drawAxisRow(context, picture);
  const axis = new TimeAxis(0, width, result.window);
  for (const [index, lane] of result.lanes.entries()) {
    const top = axisHeight + index * laneHeight;
    paintLane(context, lane, axis, { top, height: laneHeight }, colours.lanes);
  }
}

function drawAxisRow(
  context: CanvasRenderingContext2D,
  { result, width, axisHeight, fontSize, colours }: LaneRowPicture,
): void {
  context.font = `${fontSize}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  const widthOf = (text: string) => context.measureText(text).width;
  for (const { x, text } of rulerTicks(new TimeAxis(0, width, result.window), width, widthOf)) {
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x), 0, 1, axisHeight);
    context.fillStyle = colours.quiet;
    context.fillText(text, Math.round(x) + LABEL_GAP, axisHeight / 2);
  }
}
