import type { EventReport } from '../../../src/period/report/event-report.ts';
import { formatNanos } from '../ask/format.ts';
import { fitCanvas, fontScale } from '../dom/canvas.ts';
import type { Range } from '../state/state.ts';
import type { TimeAxis } from '../state/time-axis.ts';
import { axisHeight } from '../time/heat-picture.ts';
import type { TimeColours } from '../time/marks.ts';
import { LABEL_GAP, rulerTicks } from '../tracks/ruler-ticks.ts';
import type { ShownStream, Stretch } from '../worker/messages/time-messages.ts';
import type { Moment } from './moment.ts';
import { DOT, drawAsked, drawPeriod, drawRate } from './plot-lines.ts';
import { ValueScale } from './value-scale.ts';

export type PlotPicture = {
  readonly event: EventReport;
  readonly stream: ShownStream;
  /** Rows of the stream's periods after which it was idle. */
  readonly idleAfter: ReadonlySet<number>;
  /** The axis of time; what is left of it on the canvas is for the labels of values. */
  readonly axis: TimeAxis;
  readonly height: number;
  /** The time outside of it is covered. */
  readonly range: Range | null;
  readonly cursor: Moment | null;
  readonly colours: TimeColours;
};

/** One of the plots; the period and the events per second are on logarithmic scales. */
type Plot = {
  readonly title: string;
  readonly scale: ValueScale;
  readonly draw: (context: CanvasRenderingContext2D) => void;
  /** The value at a moment; NaN where there is none. */
  readonly valueAt: (moment: Moment) => number;
};

/** Pixels, on a common screen. */
const TITLE_HEIGHT = 20;
const TICK_GAP = 24;

/** Draws the three plots one below the other, over one axis of time. */
export function drawPlots(canvas: HTMLCanvasElement, picture: PlotPicture): void {
  const { axis, height, colours, stream } = picture;
  const context = fitCanvas(canvas, axis.left + axis.width, height);
  if (context === null) return;
  context.font = `${Math.round(11 * fontScale())}px system-ui, sans-serif`;
  const plots = plotsOf(picture);
  drawTimes(context, picture, plots);
  for (const plot of plots) {
    drawValues(context, plot, picture);
    context.save();
    context.beginPath();
    // Dots at the edges are whole.
    const { top, bottom } = plot.scale;
    context.rect(axis.left - DOT / 2, top - DOT / 2, axis.width + DOT, bottom - top + DOT);
    context.clip();
    drawStretches(context, stream.ramps, plot, picture, [colours.ramp, 0.28]);
    drawStretches(context, stream.throttles, plot, picture, [colours.throttled, 0.5]);
    drawSettle(context, plot, picture);
    context.fillStyle = colours.samples;
    context.strokeStyle = colours.samples;
    plot.draw(context);
    context.restore();
  }
  drawSettleLabel(context, picture, plots[0]);
  coverOutside(context, picture, plots);
  drawCursor(context, picture, plots);
}

function plotsOf({ event, stream, idleAfter, axis, height, colours }: PlotPicture): Plot[] {
  const { period, rate } = stream;
  const { unit, targetHz } = event;
  const title = Math.round(TITLE_HEIGHT * fontScale());
  const each = Math.floor((height - axisHeight()) / 3);
  const [first, second, third] = [0, 1, 2].map(
    (at) => [at * each + title, (at + 1) * each] as const,
  );
  const ofPeriod = ValueScale.logarithmic(...first, [...period.low, ...period.high]);
  const ofSamples = ValueScale.linear(...second, [...rate.hz, targetHz ?? 0]);
  const ofEvents = ValueScale.logarithmic(...third, rate.eventHz);
  return [
    {
      title: `period (${unit})`,
      scale: ofPeriod,
      draw: (context) => drawPeriod(context, period, idleAfter, axis, ofPeriod),
      valueAt: ({ row }) => period.middle[row] ?? Number.NaN,
    },
    {
      title: 'samples per second',
      scale: ofSamples,
      draw: (context) => {
        drawRate(context, rate, rate.hz, axis, ofSamples);
        context.strokeStyle = colours.accent;
        if (targetHz !== null) drawAsked(context, targetHz, axis, ofSamples);
      },
      valueAt: ({ slice }) => rate.hz[slice] ?? Number.NaN,
    },
    {
      title: `${unit} per second`,
      scale: ofEvents,
      draw: (context) => drawRate(context, rate, rate.eventHz, axis, ofEvents),
      valueAt: ({ slice }) => rate.eventHz[slice] ?? Number.NaN,
    },
  ];
}

/** The moments of the ruler, as lines behind the plots and in figures below them. */
function drawTimes(
  context: CanvasRenderingContext2D,
  { axis, height, colours }: PlotPicture,
  plots: readonly Plot[],
): void {
  const widthOf = (text: string) => context.measureText(text).width;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  for (const { x, text } of rulerTicks(axis, axis.left + axis.width, widthOf)) {
    context.fillStyle = colours.line;
    for (const { scale } of plots) {
      context.fillRect(Math.round(x), scale.top, 1, scale.bottom - scale.top);
    }
    context.fillStyle = colours.quiet;
    context.fillText(text, x + LABEL_GAP, height - 4);
  }
}

function drawValues(
  context: CanvasRenderingContext2D,
  { title, scale }: Plot,
  { axis, colours }: PlotPicture,
): void {
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const { y, text } of scale.ticks(TICK_GAP * fontScale())) {
    context.fillStyle = colours.line;
    context.fillRect(axis.left, Math.round(y), axis.width, 1);
    context.fillStyle = colours.quiet;
    context.fillText(text, axis.left - 6, y);
  }
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillText(title, axis.left, scale.top - 5);
}

/** Fills ramps or pauses, which lie behind the lines. */
function drawStretches(
  context: CanvasRenderingContext2D,
  stretches: readonly Stretch[],
  { scale: { top, bottom } }: Plot,
  { axis }: PlotPicture,
  [colour, alpha]: readonly [string, number],
): void {
  context.fillStyle = colour;
  context.globalAlpha = alpha;
  for (const { startNs, endNs } of stretches) {
    if (startNs > axis.toNs || endNs < axis.fromNs) continue;
    const left = Math.max(axis.left, axis.xOf(startNs));
    context.fillRect(left, top, Math.max(2, axis.xOf(endNs) - left), bottom - top);
  }
  context.globalAlpha = 1;
}

function drawSettle(
  context: CanvasRenderingContext2D,
  { scale: { top, bottom } }: Plot,
  { axis, stream: { settleNs }, colours }: PlotPicture,
): void {
  if (settleNs === null) return;
  const x = axis.xOf(settleNs);
  context.strokeStyle = colours.text;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  context.setLineDash([]);
}

/** Draws the label above the plot, where no line runs through it. */
function drawSettleLabel(
  context: CanvasRenderingContext2D,
  { axis, stream: { settleNs }, colours }: PlotPicture,
  { title, scale }: Plot,
): void {
  if (settleNs === null || settleNs < axis.fromNs || settleNs > axis.toNs) return;
  const text = `settled ${formatNanos(settleNs)}`;
  const { width } = context.measureText(text);
  const first = axis.left + context.measureText(`${title}  `).width;
  const last = axis.left + axis.width - width;
  const x = Math.min(last, Math.max(first, axis.xOf(settleNs) - width / 2));
  context.fillStyle = colours.text;
  context.fillText(text, x, scale.top - 5);
}

function coverOutside(
  context: CanvasRenderingContext2D,
  { axis, range, colours }: PlotPicture,
  plots: readonly Plot[],
): void {
  if (range === null) return;
  const inside = (ns: number) =>
    Math.min(axis.left + axis.width, Math.max(axis.left, axis.xOf(ns)));
  const [from, to] = [inside(range.fromNs), inside(range.toNs)];
  for (const { scale } of plots) {
    const height = scale.bottom - scale.top;
    context.globalAlpha = 0.7;
    context.fillStyle = colours.panel;
    context.fillRect(axis.left, scale.top, from - axis.left, height);
    context.fillRect(to, scale.top, axis.left + axis.width - to, height);
    context.globalAlpha = 1;
    context.fillStyle = colours.accent;
    if (range.fromNs >= axis.fromNs) context.fillRect(from, scale.top, 1, height);
    if (range.toNs <= axis.toNs) context.fillRect(to - 1, scale.top, 1, height);
  }
}

function drawCursor(
  context: CanvasRenderingContext2D,
  { axis, cursor, colours }: PlotPicture,
  plots: readonly Plot[],
): void {
  if (cursor === null || cursor.atNs < axis.fromNs || cursor.atNs > axis.toNs) return;
  const x = axis.xOf(cursor.atNs);
  context.fillStyle = colours.text;
  for (const { scale, valueAt } of plots) {
    context.fillRect(Math.round(x), scale.top, 1, scale.bottom - scale.top);
    const value = valueAt(cursor);
    if (!(value > 0)) continue;
    context.beginPath();
    context.arc(x, scale.yOf(value), 4, 0, 2 * Math.PI);
    context.fill();
  }
}
