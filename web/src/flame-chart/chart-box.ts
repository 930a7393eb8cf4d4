import { fitCanvas, fontScale } from '../dom/canvas.ts';
import { element } from '../dom/dom.ts';
import { describeLane, laneRemark } from '../tracks/lane-words.ts';
import type { ChartResult } from '../worker/messages/chart-messages.ts';
import type { Lane } from '../worker/messages/lane-messages.ts';
import { depthCount } from './box-search.ts';
import { type ChartColours, readChartColours } from './chart-colours.ts';
import { type ChartPicture, drawChart } from './chart-picture.ts';
import { drawLaneRows } from './lane-rows.ts';

/** Pixels on a common screen. */
const ROW_HEIGHT = 19;
const LANE_HEIGHT = 14;
const AXIS_HEIGHT = 18;

/**
 * The elements of a chart and what is drawn on them:
 *
 *     titles of lanes │ axis and lanes (canvas)
 *     thread          │ area: canvas as large as the area, and over it what scrolls and is pointed at
 */
export class ChartBox {
  readonly root: HTMLElement;
  readonly area: HTMLElement;
  /** Takes the pointer and the keys; as high inside as all rows. */
  readonly scroll: HTMLElement;
  /** The axis and the lanes. */
  readonly lanes = element('canvas', 'chart-lanes');
  readonly #titles = element('div', 'chart-lane-titles');
  readonly #thread = element('div', 'chart-thread');
  readonly #canvas = element('canvas', 'chart-canvas');
  readonly #space = element('div');
  readonly #dragged = element('div', 'chart-dragged');
  /** Null: to be read. Reading them takes as long as drawing. */
  #colours: ChartColours | null = null;

  constructor() {
    this.scroll = element('div', 'chart-scroll', this.#space);
    this.lanes.setAttribute('role', 'img');
    this.scroll.tabIndex = 0;
    this.scroll.setAttribute('role', 'application');
    this.scroll.setAttribute('aria-roledescription', 'flame chart');
    this.#dragged.hidden = true;
    this.area = element('div', 'chart-area', this.#canvas, this.#dragged, this.scroll);
    this.root = element('div', 'chart-grid', this.#titles, this.lanes, this.#thread, this.area);
    this.root.style.setProperty('--chart-axis', `${this.#axisHeight}px`);
    this.root.style.setProperty('--chart-lane', `${this.#laneHeight}px`);
  }

  /** Pixels that the time axis takes. */
  get width(): number {
    return this.area.clientWidth;
  }

  /** Forgets the colours; to be called when the style sheet's colours may have changed. */
  forgetColours(): void {
    this.#colours = null;
  }

  setBusy(): void {
    this.root.setAttribute('aria-busy', 'true');
  }

  describe(thread: string, lanes: readonly Lane[]): void {
    this.#thread.textContent = thread;
    this.scroll.setAttribute(
      'aria-label',
      `What ${thread} did over time. Arrow keys move, Enter zooms, m opens a menu.`,
    );
    const titles = lanes.map((lane) => {
      const title = element('div', 'chart-lane-title', lane.title);
      title.title = `${lane.title}: ${laneRemark(lane)}`;
      return title;
    });
    this.#titles.replaceChildren(...titles);
    this.lanes.setAttribute('aria-label', ['Time', ...lanes.map(describeLane)].join('; '));
    this.root.removeAttribute('aria-busy');
  }

  draw(
    result: ChartResult,
    marks: Pick<ChartPicture, 'range' | 'unsampled' | 'func' | 'cursor'>,
  ): void {
    const { width } = this;
    const height = this.area.clientHeight;
    this.#colours ??= readChartColours(this.root);
    const colours = this.#colours;
    const fontSize = Math.round(11 * fontScale());
    const lanesHeight = this.#axisHeight + result.lanes.length * this.#laneHeight + 2;
    const lanes = fitCanvas(this.lanes, width, lanesHeight);
    const { window } = result;
    if (lanes !== null && window.toNs > window.fromNs) {
      const axisHeight = this.#axisHeight;
      const laneHeight = this.#laneHeight;
      drawLaneRows(lanes, { result, width, axisHeight, laneHeight, fontSize, colours });
    }
    this.#space.style.height = `${depthCount(result.boxes) * this.#rowHeight}px`;
    const context = fitCanvas(this.#canvas, width, height);
    if (context === null) return;
    drawChart(context, {
      result,
      width,
      height,
      scrolled: this.scroll.scrollTop,
      rowHeight: this.#rowHeight,
      fontSize,
      colours,
      ...marks,
    });
  }

  /** `edges`: pixels, in any order; null: nothing is dragged over. */
  showDragged(edges: readonly [number, number] | null): void {
    this.#dragged.hidden = edges === null;
    if (edges === null) return;
    const [a, b] = edges;
    this.#dragged.style.left = `${Math.min(a, b)}px`;
    this.#dragged.style.width = `${Math.abs(a - b)}px`;
  }

  /** The lane at so many pixels below the top of the lanes; −1 on the axis. */
  laneAt(y: number): number {
    return Math.floor((y - this.#axisHeight) / this.#laneHeight);
  }

  rowAt(y: number): number {
    return Math.floor(y / this.#rowHeight);
  }

  /** Pixels below the top of the area. */
  bottomOfRow(depth: number): number {
    return (depth + 1) * this.#rowHeight - this.scroll.scrollTop;
  }

  scrollToRow(depth: number): void {
    const top = depth * this.#rowHeight;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop) this.scroll.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + clientHeight) {
      this.scroll.scrollTop = top + this.#rowHeight - clientHeight;
    }
  }

  get #rowHeight(): number {
    return Math.round(ROW_HEIGHT * Math.max(1, fontScale()));
  }

  get #laneHeight(): number {
    return Math.round(LANE_HEIGHT * Math.max(1, fontScale()));
  }

  get #axisHeight(): number {
    return Math.round(AXIS_HEIGHT * Math.max(1, fontScale()));
  }
}
