import uPlot from 'uplot';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import { formatNanos, formatShort } from '../format.ts';
import type { Range } from '../state.ts';
import { axisFont, fontScale } from '../time/canvas.ts';
import { readColours, type TimeColours } from '../time/marks.ts';
import type { ShownStream, Stretch } from '../worker/time-messages.ts';
import { idleAfter } from './idle.ts';

const SYNC_KEY = 'period';

export type PeriodPlots = { destroy(): void };

export type PlotOptions = {
  readonly event: EventReport;
  readonly stream: ShownStream;
  readonly range: Range;
  readonly onRange: (fromNs: number, toNs: number) => void;
};

/**
 * Three plots over the same time: the period on a logarithmic scale, samples per second with the rate
 * asked, events per second on a logarithmic scale.
 */
export function drawPeriodPlots(box: HTMLElement, options: PlotOptions): PeriodPlots {
  const colours = readColours(box);
  const { width, height } = sizeOf(box);
  const { unit } = options.event;
  const frame = (title: string) => ({ title, width, height, colours, options });
  const plots = [
    new uPlot(periodOptions(frame(`period (${unit})`)), periodData(options.stream), box),
    new uPlot(rateOptions(frame('samples per second')), rateData(options), box),
    new uPlot(eventRateOptions(frame(`${unit} per second`)), eventRateData(options.stream), box),
  ];
  return {
    destroy() {
      for (const plot of plots) plot.destroy();
    },
  };
}

/** As large as the window lets them be together. */
function sizeOf(box: HTMLElement): { width: number; height: number } {
  const left = window.innerHeight - box.getBoundingClientRect().top - window.scrollY - 52;
  const height = Math.round(Math.min(700, Math.max(120, left / 3)));
  return { width: Math.max(200, box.clientWidth), height };
}

type Frame = {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly colours: TimeColours;
  readonly options: PlotOptions;
};

const seconds = (values: Float64Array) => values.map((ns) => ns / 1e9);

function periodData({ period }: ShownStream): uPlot.AlignedData {
  const { timeNs, low, high, middle } = period;
  const after = idleAfter(timeNs);
  const gap = <Value>(values: Iterable<number>, between: (index: number) => Value) =>
    [...values].flatMap((value, index) => (after.has(index) ? [value, between(index)] : [value]));
  const none = () => null;
  return [
    gap(seconds(timeNs), (index) => (timeNs[index] + timeNs[index + 1]) / 2e9),
    gap(low, none),
    gap(high, none),
    gap(middle, none),
  ];
}

function rateData({ stream, event }: PlotOptions): uPlot.AlignedData {
  const { timeNs, hz } = stream.rate;
  const target = hz.map(() => event.targetHz ?? Number.NaN);
  return [seconds(timeNs), withGaps(hz), withGaps(target)];
}

function eventRateData({ rate }: ShownStream): uPlot.AlignedData {
  return [seconds(rate.timeNs), withGaps(rate.eventHz)];
}

/** Lines break at null, and a logarithm knows nothing of 0. */
function withGaps(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (value > 0 ? value : null));
}

function periodOptions(frame: Frame): uPlot.Options {
  const { colours, options } = frame;
  const isEach = options.stream.period.samplesPerRow === 1;
  const band: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false } };
  return {
    ...commonOptions(frame, true),
    scales: { x: timeScale(options.range), y: { distr: 3, log: 10 } },
    series: [
      {},
      band,
      band,
      {
        label: 'period',
        stroke: colours.samples,
        width: 1.5,
        // A line through an idle time would say that something was measured there.
        ...(isEach ? { paths: () => null } : {}),
        points: { show: isEach, size: 4, fill: colours.samples, width: 0 },
      },
    ],
    bands: [{ series: [2, 1], fill: withAlpha(colours.samples, 0.25) }],
  };
}

function rateOptions(frame: Frame): uPlot.Options {
  const { colours, options } = frame;
  return {
    ...commonOptions(frame, false),
    scales: {
      x: timeScale(options.range),
      y: { range: (_, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    series: [
      {},
      { label: 'achieved', stroke: colours.samples, width: 1.5, points: { show: false } },
      { label: 'asked', stroke: colours.accent, width: 1.5, dash: [6, 4], points: { show: false } },
    ],
  };
}

function eventRateOptions(frame: Frame): uPlot.Options {
  const { colours, options } = frame;
  return {
    ...commonOptions(frame, true),
    scales: { x: timeScale(options.range), y: { distr: 3, log: 10 } },
    series: [{}, { label: 'events', stroke: colours.samples, width: 1.5, points: { show: false } }],
  };
}

function timeScale({ fromNs, toNs }: Range): uPlot.Scale {
  return { time: false, range: () => [fromNs / 1e9, toNs / 1e9] };
}

function commonOptions(
  { title, width, height, colours, options }: Frame,
  isLog: boolean,
): Omit<uPlot.Options, 'series'> {
  const { stream, onRange } = options;
  const scale = fontScale();
  return {
    width,
    height,
    legend: { show: false },
    // The last time's text stands half beside its tick.
    padding: [18 * scale, 24 * scale, 0, 0],
    cursor: { sync: { key: SYNC_KEY }, drag: { x: true, y: false, setScale: false } },
    axes: axesOf(colours, isLog),
    hooks: {
      drawClear: [(plot) => drawStretches(plot, stream, colours)],
      draw: [
        (plot) => {
          drawTitle(plot, title, colours);
          drawSettle(plot, stream, colours);
        },
      ],
      setSelect: [
        (plot) => {
          if (plot.select.width < 3) return;
          const at = (pixel: number) => plot.posToVal(pixel, 'x') * 1e9;
          onRange(at(plot.select.left), at(plot.select.left + plot.select.width));
        },
      ],
    },
  };
}

function axesOf(colours: TimeColours, isLog: boolean): uPlot.Axis[] {
  const scale = fontScale();
  const grid: uPlot.Axis.Grid = { stroke: colours.line, width: 1 };
  const axis = { stroke: colours.quiet, font: axisFont(), grid, ticks: { show: false } };
  return [
    { ...axis, size: 26 * scale, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
    {
      ...axis,
      size: 64 * scale,
      space: 28 * scale,
      grid: isLog ? { ...grid, filter: (_, ticks) => onlyPowers(ticks) } : grid,
      // Ticks that get no text are null.
      values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : formatShort(tick, 3))),
    },
  ];
}

/** Behind the lines: ramps and pauses. */
function drawStretches(plot: uPlot, { ramps, throttles }: ShownStream, colours: TimeColours): void {
  fillStretches(plot, ramps, withAlpha(colours.ramp, 0.28));
  fillStretches(plot, throttles, withAlpha(colours.throttled, 0.5));
}

function fillStretches(plot: uPlot, stretches: readonly Stretch[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { startNs, endNs } of stretches) {
    const left = plot.valToPos(startNs / 1e9, 'x', true);
    const right = plot.valToPos(endNs / 1e9, 'x', true);
    ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height);
  }
  ctx.restore();
}

function drawSettle(plot: uPlot, { settleNs }: ShownStream, colours: TimeColours): void {
  if (settleNs === null) return;
  const { ctx, bbox } = plot;
  const x = plot.valToPos(settleNs / 1e9, 'x', true);
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = colours.text;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.lineWidth = ratio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.fillStyle = colours.text;
  ctx.font = `${11 * fontScale() * ratio}px system-ui, sans-serif`;
  const isLate = x > bbox.left + bbox.width * 0.8;
  ctx.textAlign = isLate ? 'right' : 'left';
  const text = `settled ${formatNanos(settleNs)}`;
  ctx.fillText(text, x + (isLate ? -4 : 4) * ratio, bbox.top + 12 * fontScale() * ratio);
  ctx.restore();
}

function drawTitle(plot: uPlot, title: string, colours: TimeColours): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.fillStyle = colours.quiet;
  ctx.textAlign = 'left';
  ctx.font = `${12 * fontScale() * ratio}px system-ui, sans-serif`;
  ctx.fillText(title, bbox.left, bbox.top - 6 * ratio);
  ctx.restore();
}

/** Eight lines between two powers of ten are eight too many. */
function onlyPowers(ticks: readonly number[]): (number | null)[] {
  return ticks.map((tick) =>
    Number.isInteger(Math.round(Math.log10(tick) * 1e9) / 1e9) ? tick : null,
  );
}

/** `rgb(1, 2, 3)`, as computed colours are, with transparency. */
function withAlpha(colour: string, alpha: number): string {
  return colour.replace(/^rgba?\(([^,]+,[^,]+,[^,)]+).*$/, `rgba($1, ${alpha})`);
}
