import uPlot from 'uplot';
import { askLatest } from '../ask.ts';
import { element, emptyState } from '../dom.ts';
import { formatCount, formatShare, formatWeight } from '../format.ts';
import type { ViewState } from '../state.ts';
import { onColoursChange } from '../theme.ts';
import type { ViewContext } from '../view-context.ts';
import type { TimeGrid, TimelineResult } from '../worker/time-messages.ts';
import { axisFont, fontScale, heightOf } from './canvas.ts';
import { mark, readColours, type TimeColours } from './marks.ts';
import { clampRange, formatRange } from './range.ts';
import { shortWeight, sum, unitOf, weighCells, weightName } from './shown-weight.ts';
import { timeFilterOf } from './time-filter.ts';
import { timeProblem } from './time-problem.ts';

const CELL_PIXELS = 3;

const stripHeight = () => heightOf(0.08, 58, 170);

/**
 * The whole recording over time, above every view: the chosen weight, and stacked on it what was
 * lost. Dragging takes the range that all views show.
 */
export function createStrip({ store, ask, recording }: ViewContext) {
  const root = element('section', 'strip');
  root.setAttribute('aria-label', 'Weight over time');
  const box = element('div', 'strip-plot');
  const problem = timeProblem(recording);
  if (problem !== null) {
    root.append(emptyState(problem));
    return { root };
  }
  // The views below it are as high as the window leaves room, so it must not grow later.
  box.style.minHeight = `${stripHeight()}px`;
  box.setAttribute('role', 'img');
  const readout = element('output', 'strip-readout');
  const clear = element('button', '', 'All of the time');
  clear.type = 'button';
  clear.addEventListener('click', () => store.change({ range: null }));
  root.append(box, element('div', 'strip-foot', readout, clear));

  let plot: uPlot | null = null;
  let result: TimelineResult | null = null;
  let isSetting = false;

  const question = askLatest(
    ask,
    'timeline',
    (answer) => {
      result = answer;
      whenIdle(draw);
    },
    (problem) => {
      readout.textContent = problem;
    },
  );

  function request(): void {
    const width = box.clientWidth;
    if (width === 0) return;
    const length = Math.max(20, Math.floor((width - 68) / CELL_PIXELS));
    const grid: TimeGrid = { firstNs: 0, cellNs: (recording.endNs + 1) / length, length };
    question({ ...timeFilterOf(store.get()), grid, lanes: 0 });
  }

  function draw(): void {
    if (result === null || box.clientWidth === 0) return;
    plot?.destroy();
    const unit = unitOf(recording, store.get());
    plot = new uPlot(
      stripOptions({
        width: box.clientWidth,
        colours: readColours(root),
        result,
        formatValue: (value) => shortWeight(value, unit),
        onSelect: (fromNs, toNs) => {
          if (isSetting) return;
          store.change({ range: clampRange(fromNs, toNs, recording.endNs) });
        },
        onReady: () => showRange(store.get()),
      }),
      stripData(result),
      box,
    );
  }

  function showRange(state: ViewState): void {
    const { range } = state;
    clear.hidden = range === null;
    if (result !== null) {
      const said = describe(result, recording, state);
      if (range !== null) said.unshift(element('span', '', `Shown: ${formatRange(range)}, of`));
      readout.replaceChildren(...said);
      box.setAttribute('aria-label', `${weightName(recording, state)} over time`);
    }
    if (plot === null) return;
    isSetting = true;
    const left = range === null ? 0 : plot.valToPos(range.fromNs / 1e9, 'x');
    const right = range === null ? 0 : plot.valToPos(range.toNs / 1e9, 'x');
    plot.setSelect({ left, top: 0, width: right - left, height: plot.over.clientHeight }, false);
    isSetting = false;
  }

  store.subscribe((state) => {
    // The open view asks first: it is what the person waits for.
    setTimeout(request, 0);
    showRange(state);
  });
  onColoursChange(window, store, draw);
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === drawnWidth) return;
    drawnWidth = box.clientWidth;
    request();
    draw();
  }).observe(box);
  return { root };
}

/** Once the answer to a click is on the screen, but half a second later at most. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: 500 });
  else setTimeout(act, 0);
}

/** In words what the picture shows, each beside its colour: the legend, too. */
function describe(
  result: TimelineResult,
  recording: ViewContext['recording'],
  state: ViewState,
): HTMLElement[] {
  const { samples, weight, ramp, lost, throttled } = result.all;
  const all = sum(samples);
  const unit = unitOf(recording, state);
  const total = unit === 'samples' ? '' : `${formatWeight(sum(weight), unit)} in `;
  const said = [mark('samples', `${total}${formatCount(all)} samples`)];
  if (sum(ramp) > 0) said.push(mark('ramp', `${formatShare(sum(ramp) / all)} of them in ramps`));
  const lostHere = Math.round(sum(lost));
  if (lostHere > 0) said.push(mark('lost', `${formatCount(lostHere)} lost`));
  if (result.lostSometime > 0) {
    const text = `${formatCount(result.lostSometime)} lost, nobody knows when`;
    said.push(element('span', 'legend-entry', text));
  }
  if (sum(throttled) > 0) said.push(mark('throttled', 'paused by the kernel at times'));
  return said;
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

type StripOptions = {
  /** Pixels. */
  readonly width: number;
  readonly colours: TimeColours;
  readonly result: TimelineResult;
  readonly formatValue: (value: number) => string;
  readonly onSelect: (fromNs: number, toNs: number) => void;
  readonly onReady: () => void;
};

function stripOptions(options: StripOptions): uPlot.Options {
  const { width, colours, formatValue, onSelect, onReady } = options;
  const { grid, all } = options.result;
  const bars = uPlot.paths.bars?.({ size: [1, Number.POSITIVE_INFINITY], gap: 0 });
  const series = (label: string, fill: string): uPlot.Series => ({
    label,
    fill,
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
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
      series('lost', colours.lost),
      series('weight', colours.samples),
      series('in ramps', colours.ramp),
    ],
    axes: [
      {
        stroke: colours.quiet,
        font: axisFont(),
        size: Math.round(22 * fontScale()),
        grid: { show: false },
        ticks: { show: false },
        gap: 2,
        values: (_, ticks) => ticks.map((tick) => `${tick} s`),
      },
      {
        stroke: colours.quiet,
        font: axisFont(),
        size: Math.round(60 * fontScale()),
        grid: { show: false },
        ticks: { show: false },
        splits: (_plot, _axis, _min, max) => [0, max],
        values: (_, ticks) => ticks.map(formatValue),
      },
    ],
    hooks: {
      // Before, positions are not known.
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

function fromZero(_plot: uPlot, _least: number, most: number): uPlot.Range.MinMax {
  return [0, most > 0 ? most : 1];
}

/** Behind the bars: where the kernel had paused the event, a full height of colour. */
export function drawPauses(
  plot: uPlot,
  grid: TimeGrid,
  throttled: Float64Array,
  colour: string,
): void {
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
