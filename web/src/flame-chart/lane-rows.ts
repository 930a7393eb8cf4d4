import { KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import { TimeAxis } from '../state/time-axis.ts';
import { LABEL_GAP, rulerTicks } from '../tracks/ruler-ticks.ts';
import type { ChartLane, ChartResult } from '../worker/messages/chart-messages.ts';
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
  const { fromNs, toNs } = result.window;
  const scale = width / (toNs - fromNs);
  result.lanes.forEach((lane, index) => {
    const top = axisHeight + index * laneHeight;
    context.fillStyle = colours.line;
    context.fillRect(0, top + laneHeight - 1, width, 1);
    for (let i = 0; i < lane.fromNs.length; i++) {
      const left = Math.max(0, (lane.fromNs[i] - fromNs) * scale);
      const right = Math.min(width, (lane.toNs[i] - fromNs) * scale);
      const wide = Math.max(1, right - left - (right - left > 3 ? 1 : 0));
      context.fillStyle = colourOfLane(lane, colours);
      // Neighbouring turns touch.
      context.globalAlpha = lane.kind === 'turns' && i % 2 === 1 ? 0.55 : 1;
      context.fillRect(left, top + 2, wide, laneHeight - 5);
    }
    context.globalAlpha = 1;
  });
}

function colourOfLane({ kind }: ChartLane, colours: ChartColours): string {
  switch (kind) {
    case 'gc':
      return colours.groups[GC];
    case 'turns':
      return colours.quiet;
    case 'marks':
    case 'event':
      return colours.accent;
    case 'lost':
      return colours.lost;
  }
}

const GC = KIND_GROUPS.indexOf('gc');

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
