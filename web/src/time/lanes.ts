import { askLatest } from '../ask.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { formatCount, formatWeight } from '../format.ts';
import { renderNoSamples } from '../no-samples.ts';
import type { Range, ViewState } from '../state.ts';
import { onColoursChange } from '../theme.ts';
import type { ViewContext } from '../view-context.ts';
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
import { readColours, type TimeColours } from './marks.ts';
import { clampRange } from './range.ts';
import { sum, unitOf, weighCells, weightName } from './shown-weight.ts';
import { timeFilterOf } from './time-filter.ts';

/** At least what a finger or an unsteady hand hits. */
const laneHeight = () => heightOf(0.03, 24, 34);
const AXIS_HEIGHT = 20;
const CELL_PIXELS = 2;
const MAX_LANES = 60;

/** One row per thread, the stronger its colour the more weight; dragging takes a range of time. */
export function createLanes(context: ViewContext) {
  const { store, ask, recording } = context;
  const labels = element('div', 'lane-labels');
  const canvas = element('canvas');
  canvas.setAttribute('role', 'img');
  const plot = element('div', 'lane-plot', canvas);
  const more = element('p', 'quiet-text');
  const none = element('div');
  const note = element('p', 'quiet-text');
  const root = element(
    'section',
    '',
    element('h2', '', 'Threads over time'),
    note,
    none,
    element('div', 'lanes', labels, plot),
    more,
  );
  let result: TimelineResult | null = null;
  let isOpen = false;
  let dragged: Range | null = null;

  const question = askLatest(
    ask,
    'timeline',
    (answer) => {
      result = answer;
      renderLabels(answer);
      draw();
    },
    (problem) => {
      more.textContent = problem;
    },
  );

  function request(): void {
    const width = plot.clientWidth;
    if (!isOpen || width === 0) return;
    const length = Math.max(20, Math.floor(width / CELL_PIXELS));
    const grid = { firstNs: 0, cellNs: (recording.endNs + 1) / length, length };
    question({ ...timeFilterOf(store.get()), grid, lanes: MAX_LANES });
  }

  function renderLabels({ lanes, otherThreads, otherSamples }: TimelineResult): void {
    const state = store.get();
    const { thread: chosen } = state;
    const unit = unitOf(recording, state);
    const amount = ({ total, weight }: TimeLane) =>
      unit === 'samples'
        ? `${formatCount(total)} samples`
        : `${formatWeight(sum(weight), unit)} in ${formatCount(total)} samples`;
    none.replaceChildren(...(lanes.length > 0 ? [] : [renderNoSamples(context, state)]));
    note.textContent = `The stronger the colour, the more ${weightName(recording, state)}. Drag to take a range.`;
    replaceKeepingFocus(
      labels,
      ...lanes.map((lane) => {
        const { thread, label } = lane;
        const button = element('button', 'lane-label', label);
        button.type = 'button';
        button.dataset.key = String(thread);
        button.title = `${label}: ${amount(lane)}. Click to see this thread only.`;
        button.setAttribute('aria-pressed', String(chosen === thread));
        button.addEventListener('click', () =>
          store.change({ thread: store.get().thread === thread ? null : thread }),
        );
        return button;
      }),
    );
    more.textContent =
      otherThreads === 0
        ? ''
        : `${formatCount(otherThreads)} more threads with ${formatCount(otherSamples)} samples are not drawn.`;
    canvas.setAttribute(
      'aria-label',
      lanes.map((lane) => `${lane.label}: ${amount(lane)}`).join('; '),
    );
  }

  function draw(): void {
    if (result === null || plot.clientWidth === 0) return;
    const width = plot.clientWidth;
    const lane = laneHeight();
    labels.style.setProperty('--lane', `${lane}px`);
    const height = result.lanes.length * lane + AXIS_HEIGHT;
    const drawing = fitCanvas(canvas, width, height);
    if (drawing === null) return;
    const colours = readColours(root);
    const endNs = result.grid.length * result.grid.cellNs;
    const x = (ns: number) => (ns / endNs) * width;
    const cellWidth = x(result.grid.cellNs);
    let most = 0;
    for (const { weight } of result.lanes) {
      for (const value of weight) most = Math.max(most, value);
    }
    for (const [index, columns] of result.lanes.entries()) {
      const place = { top: index * lane, height: lane, cellWidth };
      drawLane(drawing, columns, place, most, colours);
    }
    drawLosses(
      drawing,
      weighCells(result.all).lost,
      most > 0 ? most : 1,
      cellWidth,
      height - AXIS_HEIGHT,
      colours,
    );
    drawAxis(drawing, endNs, width, height, colours);
    const range = dragged ?? store.get().range;
    if (range !== null) drawRange(drawing, x(range.fromNs), x(range.toNs), width, height, colours);
  }

  let startNs: number | null = null;
  const timeAt = (event: PointerEvent) => {
    const { left, width } = canvas.getBoundingClientRect();
    return ((event.clientX - left) / width) * (recording.endNs + 1);
  };
  canvas.addEventListener('pointerdown', (event) => {
    startNs = timeAt(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (startNs === null) return;
    dragged = clampRange(startNs, timeAt(event), recording.endNs);
    draw();
  });
  canvas.addEventListener('pointerup', (event) => {
    if (startNs === null) return;
    const range = clampRange(startNs, timeAt(event), recording.endNs);
    const isClick = range === null || range.toNs - range.fromNs < (recording.endNs + 1) / 500;
    startNs = null;
    dragged = null;
    store.change({ range: isClick ? null : range });
    draw();
  });
  onColoursChange(window, store, draw);
  new ResizeObserver(() => {
    request();
    draw();
  }).observe(plot);
  return {
    root,
    show(_state: ViewState) {
      isOpen = true;
      request();
      if (result !== null) renderLabels(result);
      draw();
    },
    hide() {
      isOpen = false;
    },
  };
}

/** Pixels. */
type LanePlace = { readonly top: number; readonly height: number; readonly cellWidth: number };

function drawLane(
  context: CanvasRenderingContext2D,
  { samples, weight, ramp, throttled }: TimeLane,
  { top, height, cellWidth }: LanePlace,
  most: number,
  colours: TimeColours,
): void {
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
  context: CanvasRenderingContext2D,
  lost: Float64Array,
  most: number,
  cellWidth: number,
  height: number,
  colours: TimeColours,
): void {
  context.fillStyle = colours.lost;
  for (let cell = 0; cell < lost.length; cell++) {
    if (lost[cell] === 0) continue;
    context.globalAlpha = 0.35 + 0.35 * Math.min(1, lost[cell] / most);
    context.fillRect(cell * cellWidth, 0, Math.max(1, cellWidth), height);
  }
  context.globalAlpha = 1;
}

function drawAxis(
  context: CanvasRenderingContext2D,
  endNs: number,
  width: number,
  height: number,
  colours: TimeColours,
): void {
  const ticks = secondTicks(0, endNs, width / 110);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : endNs;
  context.fillStyle = colours.quiet;
  context.font = axisFont();
  for (const tick of ticks) {
    const left = (tick / endNs) * width;
    context.fillRect(left, height - AXIS_HEIGHT, 1, 4);
    context.textAlign = left > width - 40 ? 'right' : 'left';
    context.fillText(formatTick(tick, step), left + (left > width - 40 ? -3 : 3), height - 5);
  }
}

function drawRange(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  width: number,
  height: number,
  colours: TimeColours,
): void {
  context.globalAlpha = 0.72;
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, left, height - AXIS_HEIGHT);
  context.fillRect(right, 0, width - right, height - AXIS_HEIGHT);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left, 1, Math.max(1, right - left), height - AXIS_HEIGHT - 2);
}
