import uPlot from 'uplot';
import type { Range } from '../state.ts';
import type { TimeGrid, TimelineResult } from '../worker/time-messages.ts';
import { axisFont, fontScale, heightOf } from './canvas.ts';
import type { TimeColours } from './marks.ts';
import { weighCells } from './shown-weight.ts';

/** Pixels beside the cells, on a common screen. */
export const AXIS_WIDTH = 68;

/** Pixels. */
export const stripHeight = () => heightOf(0.08, 58, 170);

export type StripOptions = {
  readonly result: TimelineResult;
  readonly range: Range | null;
  readonly colours: TimeColours;
  readonly formatValue: (value: number) => string;
  /** Called where a range was dragged over. */
  readonly onSelect: (fromNs: number, toNs: number) => void;
};

/** The picture of a recording over time, with the chosen range over it. */
export class StripPlot {
  readonly #plot: uPlot;
  #range: Range | null;

  constructor(box: HTMLElement, options: StripOptions) {
    this.#range = options.range;
    // Before it is ready, positions are not known.
    const ready = () => this.#select();
    this.#plot = new uPlot(
      stripOptions(box.clientWidth, options, ready),
      stripData(options.result),
      box,
    );
  }

  showRange(range: Range | null): void {
    this.#range = range;
    this.#select();
  }

  destroy(): void {
    this.#plot.destroy();
  }

  #select(): void {
    const at = (ns: number) => this.#plot.valToPos(ns / 1e9, 'x');
    const left = this.#range === null ? 0 : at(this.#range.fromNs);
    const right = this.#range === null ? 0 : at(this.#range.toNs);
    const height = this.#plot.over.clientHeight;
    // False: it was not dragged over, so the hook is not called.
    this.#plot.setSelect({ left, top: 0, width: right - left, height }, false);
  }
}

/** Series from back to front: with what was lost, what arrived, what of it is in ramps. */
function stripData({ grid, all }: TimelineResult): uPlot.AlignedData {
  const times = Float64Array.from(
    { length: grid.length },
    (_, cell) => (grid.firstNs + (cell + 0.5) * grid.cellNs) / 1e9,
  );
  const { weight, ramp, lost } = weighCells(all);
  const withLost = weight.map((value, cell) => value + lost[cell]);
  return [times, withLost, weight, ramp];
}

function stripOptions(width: number, options: StripOptions, onReady: () => void): uPlot.Options {
  const { colours, formatValue, onSelect } = options;
  const { grid, all } = options.result;
  const endNs = grid.firstNs + grid.length * grid.cellNs;
  return {
    width,
    height: stripHeight(),
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: () => [grid.firstNs / 1e9, endNs / 1e9] },
      y: { range: fromZero },
    },
    series: [
      {},
      bars('lost', colours.lost),
      bars('weight', colours.samples),
      bars('in ramps', colours.ramp),
    ],
    axes: axesOf(colours, formatValue),
    hooks: {
      ready: [onReady],
      drawClear: [(plot) => drawPauses(plot, grid, all.throttled, colours.throttled)],
      setSelect: [
        (plot) => {
          if (plot.select.width < 2) return;
          const at = (pixel: number) => plot.posToVal(pixel, 'x') * 1e9;
          onSelect(at(plot.select.left), at(plot.select.left + plot.select.width));
        },
      ],
    },
  };
}

function bars(label: string, fill: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [1, Number.POSITIVE_INFINITY], gap: 0 });
  return {
    label,
    fill,
    width: 0,
    points: { show: false },
    ...(paths === undefined ? {} : { paths }),
  };
}

function axesOf(colours: TimeColours, formatValue: (value: number) => string): uPlot.Axis[] {
  const axis: uPlot.Axis = {
    stroke: colours.quiet,
    font: axisFont(),
    grid: { show: false },
    ticks: { show: false },
  };
  return [
    {
      ...axis,
      size: Math.round(22 * fontScale()),
      gap: 2,
      values: (_, ticks) => ticks.map((tick) => `${tick} s`),
    },
    {
      ...axis,
      size: Math.round(60 * fontScale()),
      splits: (_plot, _axis, _min, max) => [0, max],
      values: (_, ticks) => ticks.map(formatValue),
    },
  ];
}

function fromZero(_plot: uPlot, _least: number, most: number): uPlot.Range.MinMax {
  return [0, most > 0 ? most : 1];
}

/** Behind the bars: where the kernel had paused the event, a full height of colour. */
function drawPauses(plot: uPlot, grid: TimeGrid, throttled: Float64Array, colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  for (let cell = 0; cell < grid.length; cell++) {
    const share = throttled[cell];
    if (share === 0) continue;
    const left = plot.valToPos((grid.firstNs + cell * grid.cellNs) / 1e9, 'x', true);
    const right = plot.valToPos((grid.firstNs + (cell + 1) * grid.cellNs) / 1e9, 'x', true);
    ctx.globalAlpha = 0.25 + 0.5 * share;
    ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
  }
  ctx.restore();
}
