import { unsampledWithin } from '../../../src/profile/sampled-time.ts';
import { askLatest } from '../ask/ask.ts';
import {
  formatCount,
  formatNanos,
  formatShare,
  formatShortWeight,
  formatWeight,
} from '../ask/format.ts';
import { chooser, element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { onColoursChange } from '../shell/theme.ts';
import type { Range, ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import { TimeAxis, windowOf } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { OpenResult, Unit } from '../worker/messages/messages.ts';
import type { HeatMapParams, HeatMapResult, TimeFilter } from '../worker/messages/time-messages.ts';
import { axisHeight, cellAt, drawHeatMap, heaviestCell } from './heat-picture.ts';
import { readColours, renderMarkLegend } from './marks.ts';
import { clampRange } from './range.ts';
import { unitOf, weightName } from './shown-weight.ts';

const COLUMN_WIDTHS = [
  { ns: 1e9, label: '1 s' },
  { ns: 1e8, label: '100 ms' },
  { ns: 1e7, label: '10 ms' },
  { ns: 1e10, label: '10 s' },
] as const;
const ROW_COUNTS: readonly number[] = [50, 20, 10, 100];
/** Pixels. */
const LEAST_HEIGHT = 200;
const ROOM_BELOW = 8;

const HOW_TO = 'Drag, or use the arrow keys and Enter, to take a range.';

/** Seconds, or parts of them where the recording has few. */
export function fittingColumnNs(endNs: number): number {
  if (endNs < 1e9) return 1e7;
  return endNs < 5e9 ? 1e8 : 1e9;
}

/**
 * A column per second, from its start at the top down to its end: what happens for a part of a second
 * only, or always at the same part of it, is seen. From one cell to another is a range of time.
 */
export class HeatMap {
  readonly root: HTMLElement;
  readonly #store: Store;
  readonly #context: ViewContext;
  readonly #widths = chooser(
    'Column',
    COLUMN_WIDTHS.map(({ label }) => label),
    (index) => this.#store.change({ heatColumnNs: COLUMN_WIDTHS[index].ns }),
  );
  readonly #counts = chooser('Rows', ROW_COUNTS.map(String), (index) =>
    this.#store.change({ heatRows: ROW_COUNTS[index] }),
  );
  readonly #legend = element('div', 'legend');
  readonly #note = element('p', 'quiet-text');
  readonly #readout = element('output', 'heat-readout quiet-text');
  readonly #canvas = element('canvas', 'heat-map');
  readonly #plot = element('div', 'heat-plot', this.#canvas);
  readonly #ask: (params: HeatMapParams) => boolean;
  #result: HeatMapResult | null = null;
  /** The cell under the pointer or the keys. */
  #cursor: number | null = null;
  /** The cell where a selection began; null: the cursor's alone is selected. */
  #anchor: number | null = null;
  #isDragging = false;

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#store = store;
    this.#context = context;
    this.#canvas.tabIndex = 0;
    this.#canvas.setAttribute('role', 'img');
    this.root = element(
      'section',
      '',
      element('div', 'heat-controls', this.#widths.root, this.#counts.root, this.#legend),
      this.#note,
      this.#readout,
      this.#plot,
    );
    this.#ask = askLatest(
      ask,
      'heatmap',
      (result) => {
        this.#result = result;
        this.#cursor = null;
        this.#anchor = null;
        this.#describe(result);
        this.#draw();
      },
      (problem) => {
        this.#readout.textContent = problem;
      },
    );
    this.#canvas.addEventListener('pointerdown', (event) => this.#beginDrag(event));
    this.#canvas.addEventListener('pointermove', (event) => this.#followPointer(event));
    this.#canvas.addEventListener('pointerup', () => this.#endDrag());
    this.#canvas.addEventListener('keydown', (event) => this.#followKey(event));
    onColoursChange(window, store, () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.#plot);
  }

  get #recording(): OpenResult {
    return this.#context.recording;
  }

  get keys(): readonly KeyBinding[] {
    const moves = 'heat map, with ↑ ↓ →: from cell to cell; Shift: more of them';
    return [
      { key: 'ArrowLeft', does: moves, run: null },
      { key: 'Enter', does: 'heat map: take the cells as the range', run: null },
    ];
  }

  show(state: ViewState): void {
    const { heatColumnNs, heatRows } = state;
    this.#widths.choose(COLUMN_WIDTHS.findIndex(({ ns }) => ns === heatColumnNs));
    this.#counts.choose(ROW_COUNTS.indexOf(heatRows));
    this.#ask({ ...timeFilterOf(state), columnNs: heatColumnNs, rows: heatRows });
    this.#draw();
  }

  #describe(result: HeatMapResult): void {
    const { columns, rows, columnNs } = result;
    const state = this.#store.get();
    const name = weightName(this.#recording, state);
    const darkest = formatShortWeight(heaviestCell(result), unitOf(this.#recording, state));
    const width = formatNanos(columnNs);
    const widened =
      columnNs === state.heatColumnNs ? '' : ` Columns are ${width} wide, so that they fit.`;
    const hatched = this.#unsampled().length > 0 ? ' Nothing was sampled where it is hatched.' : '';
    this.#note.textContent = `Time runs down each column. The stronger the colour, the more ${name}: up to ${darkest} a cell.${widened}${hatched}`;
    this.#legend.replaceChildren(...renderMarkLegend(result.cells));
    this.#readout.textContent = HOW_TO;
    this.#canvas.setAttribute(
      'aria-label',
      `Heat map of ${name}: ${columns} columns of ${width}, ${rows} rows. ` +
        'Arrow keys read its cells.',
    );
  }

  #draw(): void {
    if (this.#result === null || this.#plot.clientWidth === 0) return;
    drawHeatMap(this.#canvas, this.#result, {
      axis: this.#axis(),
      rowHeight: this.#rowHeight(this.#result),
      range: this.#store.get().range,
      unsampled: this.#unsampled(),
      endNs: this.#recording.endNs,
      selected: this.#selected(),
      colours: readColours(this.root),
    });
  }

  #unsampled(): readonly Range[] {
    const { meta, endNs } = this.#recording;
    return unsampledWithin(meta.sampled, { fromNs: 0, toNs: endNs });
  }

  /** That of the tracks. */
  #axis(): TimeAxis {
    const window = windowOf(this.#recording, this.#store.get());
    return new TimeAxis(0, this.#plot.clientWidth, window);
  }

  /** The height of a row: all take as much of the panel as is left, so that a large one is no void. */
  #rowHeight({ rows }: HeatMapResult): number {
    const panel = this.root.closest('[role="tabpanel"]') ?? document.documentElement;
    const top = this.#plot.getBoundingClientRect().top + panel.scrollTop;
    const bottom = panel.getBoundingClientRect().top + panel.clientHeight;
    const left = Math.round(bottom - top - axisHeight() - ROOM_BELOW);
    return Math.max(LEAST_HEIGHT, left) / rows;
  }

  /** The first and the last cell selected. */
  #selected(): readonly [number, number] | null {
    if (this.#cursor === null) return null;
    const other = this.#anchor ?? this.#cursor;
    return [Math.min(other, this.#cursor), Math.max(other, this.#cursor)];
  }

  #takeRange(): void {
    const selected = this.#selected();
    if (this.#result === null || selected === null) return;
    const { firstNs, cellNs } = this.#result.grid;
    const [first, last] = selected;
    const fromNs = firstNs + first * cellNs;
    const toNs = firstNs + (last + 1) * cellNs;
    this.#store.change({ range: clampRange(fromNs, toNs, this.#recording.endNs) });
    this.#anchor = null;
  }

  #moveCursor(cell: number, anchor: number | null): void {
    if (this.#result === null) return;
    this.#cursor = cell;
    this.#anchor = anchor;
    const unit = unitOf(this.#recording, this.#store.get());
    this.#readout.textContent = describeCell(this.#result, cell, unit, this.#unsampled());
    this.#draw();
  }

  #beginDrag(event: PointerEvent): void {
    this.#cursor = this.#cellAt(event);
    this.#anchor = this.#cursor;
    this.#isDragging = this.#cursor !== null;
    this.#canvas.setPointerCapture(event.pointerId);
  }

  #followPointer(event: PointerEvent): void {
    const cell = this.#cellAt(event);
    if (cell === null || cell === this.#cursor) return;
    this.#moveCursor(cell, this.#isDragging ? this.#anchor : null);
  }

  #endDrag(): void {
    if (this.#isDragging) this.#takeRange();
    this.#isDragging = false;
  }

  #cellAt(event: PointerEvent): number | null {
    if (this.#result === null) return null;
    const { left, top } = this.#canvas.getBoundingClientRect();
    const place = { x: event.clientX - left, y: event.clientY - top };
    return cellAt(this.#result, this.#axis(), this.#rowHeight(this.#result), place);
  }

  #followKey(event: KeyboardEvent): void {
    const rows = this.#result?.rows ?? 1;
    const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -rows, ArrowRight: rows }[event.key];
    if (step !== undefined) this.#step(step, event.shiftKey);
    else if (event.key === 'Enter') this.#takeRange();
    else return;
    event.preventDefault();
  }

  #step(by: number, isExtending: boolean): void {
    const next = this.#cursor === null ? 0 : this.#cursor + by;
    if (next < 0 || next >= (this.#result?.grid.length ?? 0)) return;
    this.#moveCursor(next, isExtending ? (this.#anchor ?? this.#cursor) : null);
  }
}

function describeCell(
  { cells, grid }: HeatMapResult,
  cell: number,
  unit: Unit,
  unsampled: readonly Range[],
): string {
  const at = (index: number) => `${((grid.firstNs + index * grid.cellNs) / 1e9).toFixed(3)} s`;
  const parts = [`${at(cell)} to ${at(cell + 1)}: ${formatCount(cells.samples[cell])} samples`];
  if (unit !== 'samples') parts.push(formatWeight(cells.weight[cell], unit));
  const ramp = cells.ramp[cell];
  if (ramp > 0) parts.push(`${formatCount(ramp)} of them in ramps`);
  const lost = cells.lost[cell];
  if (lost > 0) parts.push(`about ${formatCount(Math.max(1, Math.round(lost)))} lost`);
  const paused = cells.throttled[cell];
  if (paused > 0) parts.push(`paused for ${formatShare(paused)} of it`);
  const middleNs = grid.firstNs + (cell + 0.5) * grid.cellNs;
  if (unsampled.some(({ fromNs, toNs }) => fromNs <= middleNs && middleNs < toNs)) {
    parts.push('nothing was sampled there');
  }
  return parts.join(', ');
}

/** The samples that `state` counts, at whatever time. */
function timeFilterOf(state: ViewState): TimeFilter {
  const { event, weight, threads, pid, cpu, inTurnsOver } = state;
  return { event, weight, threads, pid, cpu, inTurnsOver };
}
