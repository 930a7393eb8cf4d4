import { askLatest } from '../ask.ts';
import { chooser, element } from '../dom.ts';
import { formatCount, formatDuration, formatShare, formatWeight } from '../format.ts';
import type { KeyBinding } from '../keys.ts';
import { onColoursChange } from '../theme.ts';
import type { ViewContext } from '../view-context.ts';
import type { HeatMapResult } from '../worker/time-messages.ts';
import { axisFont, FAINTEST, fitCanvas, fontScale, formatTick, strength } from './canvas.ts';
import { readColours } from './marks.ts';
import { clampRange } from './range.ts';
import { shortWeight, unitOf, weightName } from './shown-weight.ts';
import { timeFilterOf } from './time-filter.ts';

const COLUMN_WIDTHS: readonly number[] = [1e9, 1e8, 1e7, 1e10];
const ROW_COUNTS: readonly number[] = [50, 20, 10, 100];
/** Part of the map's width that a column may take: three seconds make no wall of colour. */
const MOST_OF_WIDTH = 1 / 24;
const axisHeight = () => Math.round(20 * fontScale());
/** Pixels. */
const LEAST_HEIGHT = 240;

const HOW_TO = 'Drag, or use the arrow keys and Enter, to take a range.';

/** The weight of the heaviest cell. */
function most({ cells }: HeatMapResult): number {
  return cells.weight.reduce((largest, weight) => Math.max(largest, weight), 0);
}

/** The next larger of 1, 2, 5, 10, 20 …: labels of so many columns are round times. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 1;
}

/** Seconds, or parts of them where the recording has few. */
export function fittingColumnNs(endNs: number): number {
  if (endNs < 1e9) return 1e7;
  return endNs < 5e9 ? 1e8 : 1e9;
}

/**
 * A column per second, from its start at the top down to its end: what happens for a part of a second
 * only, or always at the same part of it, is seen. From one cell to another is a range of time.
 */
export function createHeatMap({ store, ask, recording }: ViewContext) {
  const canvas = element('canvas', 'heat-map');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  const plot = element('div', 'heat-plot', canvas);
  const note = element('span', 'quiet-text');
  const readout = element('output', 'heat-readout quiet-text');
  const widths = chooser(
    'Column',
    COLUMN_WIDTHS.map((ns) => formatDuration(ns).replace(/\.0+(?= )/, '')),
    (index) => store.change({ heatColumnNs: COLUMN_WIDTHS[index] }),
  );
  const counts = chooser('Rows', ROW_COUNTS.map(String), (index) =>
    store.change({ heatRows: ROW_COUNTS[index] }),
  );
  const root = element(
    'section',
    '',
    element('h2', '', 'Parts of a second'),
    element('div', 'row', widths.root, counts.root, note),
    readout,
    plot,
  );
  let result: HeatMapResult | null = null;
  /** Cell where a selection began, and the one under the pointer or the keys. */
  let anchor: number | null = null;
  let cursor: number | null = null;

  const question = askLatest(
    ask,
    'heatmap',
    (answer) => {
      result = answer;
      anchor = null;
      cursor = null;
      const state = store.get();
      const widened =
        answer.columnNs === state.heatColumnNs
          ? ''
          : ` Columns are ${formatDuration(answer.columnNs)} wide, so that they fit.`;
      const name = weightName(recording, state);
      const darkest = shortWeight(most(answer), unitOf(recording, state));
      note.textContent = `Time runs down each column. The stronger the colour, the more ${name}: up to ${darkest} a cell.${widened}`;
      readout.textContent = HOW_TO;
      canvas.setAttribute(
        'aria-label',
        `Heat map of ${name}: ${answer.columns} columns of ${formatDuration(answer.columnNs)}, ` +
          `${answer.rows} rows. Arrow keys read its cells.`,
      );
      draw();
    },
    (problem) => {
      readout.textContent = problem;
    },
  );

  /** As much of the window as is left, so that a large one is no void. */
  const mapHeight = () => {
    const top = plot.getBoundingClientRect().top + window.scrollY;
    return Math.max(LEAST_HEIGHT, Math.round(window.innerHeight - top - axisHeight() - 24));
  };
  const cellSize = ({ columns, rows }: HeatMapResult) => ({
    width: plot.clientWidth / Math.max(columns, 1 / MOST_OF_WIDTH),
    height: mapHeight() / rows,
  });

  function draw(): void {
    if (result === null || plot.clientWidth === 0) return;
    const { columns, rows, cells, grid } = result;
    const { width, height } = cellSize(result);
    const bottom = height * rows;
    const context = fitCanvas(canvas, columns * width, bottom + axisHeight());
    if (context === null) return;
    const colours = readColours(root);
    const darkest = most(result);
    const range = store.get().range;
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
      if (startNs > recording.endNs) paint(colours.line, 0.5);
      const isOutside =
        range !== null && (startNs + grid.cellNs <= range.fromNs || startNs >= range.toNs);
      if (isOutside) paint(colours.panel, 0.7);
    }
    context.globalAlpha = 1;
    const [from, to] = [anchor ?? cursor, cursor].toSorted((a, b) => (a ?? 0) - (b ?? 0));
    if (from != null && to != null) {
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      for (const cell of from === to ? [from] : [from, to]) {
        context.strokeRect(
          Math.floor(cell / rows) * width,
          (cell % rows) * height,
          Math.max(3, width),
          Math.max(3, height),
        );
      }
    }
    context.fillStyle = colours.quiet;
    context.font = axisFont();
    const every = roundStep((70 * fontScale()) / width);
    for (let column = 0; column < columns; column += every) {
      const text = formatTick(column * result.columnNs, every * result.columnNs);
      if (column * width + context.measureText(text).width > canvas.clientWidth) break;
      context.fillText(text, column * width, bottom + 15 * fontScale());
    }
  }

  function read(cell: number): void {
    if (result === null) return;
    const { cells, grid } = result;
    const at = (index: number) => `${((grid.firstNs + index * grid.cellNs) / 1e9).toFixed(3)} s`;
    const said = [
      `${at(cell)} to ${at(cell + 1)}: ${formatCount(cells.samples[cell] ?? 0)} samples`,
    ];
    const unit = unitOf(recording, store.get());
    if (unit !== 'samples') said.push(formatWeight(cells.weight[cell] ?? 0, unit));
    const ramp = cells.ramp[cell] ?? 0;
    if (ramp > 0) said.push(`${formatCount(ramp)} of them in ramps`);
    const lost = cells.lost[cell] ?? 0;
    if (lost > 0) said.push(`about ${formatCount(Math.max(1, Math.round(lost)))} lost`);
    const paused = cells.throttled[cell] ?? 0;
    if (paused > 0) said.push(`paused for ${formatShare(paused)} of it`);
    readout.textContent = said.join(', ');
  }

  function take(): void {
    if (result === null || cursor === null) return;
    const { firstNs, cellNs } = result.grid;
    const from = Math.min(anchor ?? cursor, cursor);
    const to = Math.max(anchor ?? cursor, cursor) + 1;
    store.change({
      range: clampRange(firstNs + from * cellNs, firstNs + to * cellNs, recording.endNs),
    });
    anchor = null;
  }

  function move(by: number, keepsAnchor: boolean): void {
    if (result === null) return;
    const next = cursor === null ? 0 : cursor + by;
    if (next < 0 || next >= result.grid.length) return;
    anchor = keepsAnchor ? (anchor ?? cursor) : null;
    cursor = next;
    read(next);
    draw();
  }

  const cellAt = (event: PointerEvent): number | null => {
    if (result === null) return null;
    const { left, top } = canvas.getBoundingClientRect();
    const { width, height } = cellSize(result);
    const column = Math.floor((event.clientX - left) / width);
    const row = Math.min(result.rows - 1, Math.floor((event.clientY - top) / height));
    return column < 0 || column >= result.columns || row < 0 ? null : column * result.rows + row;
  };
  let isDragging = false;
  canvas.addEventListener('pointerdown', (event) => {
    anchor = cellAt(event);
    cursor = anchor;
    isDragging = anchor !== null;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const cell = cellAt(event);
    if (cell === null || cell === cursor) return;
    cursor = cell;
    if (!isDragging) anchor = null;
    read(cell);
    draw();
  });
  canvas.addEventListener('pointerup', () => {
    if (isDragging) take();
    isDragging = false;
  });
  canvas.addEventListener('keydown', (event) => {
    const rows = result?.rows ?? 1;
    const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -rows, ArrowRight: rows }[event.key];
    if (step !== undefined) move(step, event.shiftKey);
    else if (event.key === 'Enter') take();
    else return;
    event.preventDefault();
  });
  onColoursChange(window, store, draw);
  new ResizeObserver(draw).observe(plot);

  const keys: readonly KeyBinding[] = [
    {
      key: 'ArrowLeft',
      does: 'heat map, with ↑ ↓ →: from cell to cell; Shift: more of them',
      run: null,
    },
    { key: 'Enter', does: 'heat map: take the cells as the range', run: null },
  ];
  return {
    root,
    keys,
    show() {
      const state = store.get();
      const { heatColumnNs, heatRows } = state;
      widths.choose(COLUMN_WIDTHS.indexOf(heatColumnNs));
      counts.choose(ROW_COUNTS.indexOf(heatRows));
      question({ ...timeFilterOf(state), columnNs: heatColumnNs, rows: heatRows });
      draw();
    },
  };
}
