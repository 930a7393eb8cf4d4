import flamegraph, { type Chart, type ChartNode } from 'd3-flame-graph';
import { select } from 'd3-selection';
import { fontScale } from '../time/canvas.ts';
import type { TreeResult } from '../worker/messages.ts';
import { frameColour, MATCH_COLOUR } from './frame-colours.ts';
import { type FrameNode, isInlined, toFrameNodes } from './frame-nodes.ts';
import { createTooltip, type FrameTooltip, type TooltipLine } from './tooltip.ts';

/** Pixels, on a common screen. */
const ROW_HEIGHT = 20;
/** Pixels; narrower frames are not drawn: thousands of slivers cost a zoom more than they show. */
export const MIN_FRAME_WIDTH = 2;

/** Pixels; the chart hides the labels of narrower frames. */
const LEAST_LABEL = 35;

export type ChartOptions = {
  readonly result: TreeResult;
  /** What the root is called where nothing is zoomed. */
  readonly title: string;
  /** Number of functions: keys above it are inlined calls. */
  readonly funcs: number;
  /** True: the root on top and the frames hanging from it. */
  readonly isIcicle: boolean;
  /** Pixels. */
  readonly width: number;
  readonly isSearching: boolean;
  /** Colour of a row instead of that of its kind. */
  readonly colourOf?: (row: number) => string;
  readonly describe: (node: FrameNode) => readonly TooltipLine[];
  readonly onZoom: (node: FrameNode) => void;
  readonly onMenu: (node: FrameNode, at: { readonly x: number; readonly y: number }) => void;
  readonly onCursor?: (node: FrameNode) => void;
};

/** One tree in a box: a click, the pointer's menu and a cursor for the keyboard. */
export class FlameChart {
  readonly #root: FrameNode;
  readonly #container: HTMLElement;
  readonly #options: ChartOptions;
  readonly #tooltip: FrameTooltip;
  readonly #chart: Chart<FrameNode>;
  /** Aborted when the chart is destroyed: the container may get another one. */
  readonly #end = new AbortController();
  #cursor: FrameNode | null = null;

  /** Draws into `container`, which must be empty. */
  constructor(container: HTMLElement, options: ChartOptions) {
    this.#container = container;
    this.#options = options;
    this.#root = toFrameNodes(options.result, options.title, options.funcs);
    this.#tooltip = createTooltip(options.describe);
    this.#chart = this.#draw();
    this.#removeHiddenLabels();
    this.#listen();
  }

  /** The frame that the keyboard's cursor is on; null where it was not set yet. */
  cursor(): FrameNode | null {
    return this.#cursor;
  }

  /** Where the cursor's frame is, in pixels of the window. */
  cursorPlace(): { readonly x: number; readonly y: number } {
    const frame = this.#cursor === null ? undefined : this.#frameOf(this.#cursor);
    const box = frame?.getBoundingClientRect();
    return { x: (box?.left ?? 0) + 8, y: box?.bottom ?? 0 };
  }

  /** Puts the cursor on the root, or on a neighbour of its frame. */
  moveCursor(to: Direction): void {
    const frame = this.#cursor === null ? this.#root : neighbour(this.#cursor, to);
    if (frame != null) this.#setCursor(frame);
  }

  /** What describes the cursor's frame goes; the cursor stays. */
  hideTooltip(): void {
    this.#tooltip.hide();
  }

  destroy(): void {
    this.#end.abort();
    this.#chart.destroy();
    this.#tooltip.destroy();
  }

  #draw(): Chart<FrameNode> {
    const { width, isIcicle } = this.#options;
    const rowHeight = Math.round(ROW_HEIGHT * fontScale());
    this.#container.style.setProperty('--row', `${rowHeight}px`);
    const chart = flamegraph<FrameNode>()
      .width(width)
      .cellHeight(rowHeight)
      .minFrameSize(MIN_FRAME_WIDTH)
      .transitionDuration(0)
      .inverted(isIcicle)
      // The worker has put siblings in order.
      .sort((a, b) => a.data.row - b.data.row)
      .tooltip(this.#tooltip)
      .setColorMapper(({ data }) => colourOf(data, this.#options))
      .setSearchHandler(() => {});
    const selection = select(this.#container);
    selection.datum(this.#root);
    chart(selection);
    return chart;
  }

  /**
   * The chart gives every frame a box for a label, which is hidden where nothing fits in; thousands
   * of boxes take longer to paint than all else.
   */
  #removeHiddenLabels(): void {
    for (const frame of this.#frames()) {
      const value = frame.__data__?.data.value ?? 0;
      if (value * this.#options.width < LEAST_LABEL * this.#root.value) {
        frame.querySelector('foreignObject')?.remove();
      }
    }
  }

  #listen(): void {
    const { signal } = this.#end;
    const on = this.#container.addEventListener.bind(this.#container);
    // The chart would zoom by itself, in the tree that it has; the worker has a finer one.
    on('click', (event) => this.#zoomInto(event), { capture: true, signal });
    on('contextmenu', (event) => this.#openMenu(event), { signal });
    on('blur', () => this.#tooltip.hide(), { signal });
  }

  #zoomInto(event: MouseEvent): void {
    const node = nodeAt(event);
    if (node === null) return;
    event.stopPropagation();
    this.#tooltip.hide();
    this.#options.onZoom(node);
  }

  #openMenu(event: MouseEvent): void {
    const node = nodeAt(event);
    if (node === null || node.row < 0) return;
    event.preventDefault();
    this.#tooltip.hide();
    this.#options.onMenu(node, { x: event.clientX, y: event.clientY });
  }

  #setCursor(node: FrameNode): void {
    const frame = this.#frameOf(node);
    // Too narrow to be drawn.
    if (frame === undefined) return;
    this.#container.querySelector('.cursor')?.classList.remove('cursor');
    frame.classList.add('cursor');
    frame.scrollIntoView({ block: 'nearest' });
    this.#cursor = node;
    // In the corner that the frame is not in: what lies around it is where one goes next.
    const { left, width } = frame.getBoundingClientRect();
    const isLeft = left + width / 2 < window.innerWidth / 2;
    const { top } = this.#container.getBoundingClientRect();
    this.#tooltip.showAt(node, { x: isLeft ? window.innerWidth : 0, y: Math.max(0, top) });
    this.#options.onCursor?.(node);
  }

  #frameOf(node: FrameNode): DrawnFrame | undefined {
    return [...this.#frames()].find((frame) => frame.__data__?.data === node);
  }

  #frames(): NodeListOf<DrawnFrame> {
    return this.#container.querySelectorAll<DrawnFrame>('.frame');
  }
}

/** A frame's element; d3 leaves the node on it. */
type DrawnFrame = Element & { readonly __data__?: ChartNode<FrameNode> };

function nodeAt({ target }: Event): FrameNode | null {
  const frame = target instanceof Element ? target.closest<DrawnFrame>('.frame') : null;
  return frame?.__data__?.data ?? null;
}

export type Direction = 'caller' | 'callee' | 'left' | 'right';

/** The caller, the widest callee, or a callee of the same caller; none at the edge. */
function neighbour(node: FrameNode, to: Direction): FrameNode | null | undefined {
  const siblings = node.parent?.children ?? [];
  const at = siblings.indexOf(node);
  switch (to) {
    case 'caller':
      return node.parent;
    case 'callee':
      return node.children.toSorted((a, b) => b.value - a.value)[0];
    case 'left':
      return siblings[at - 1];
    case 'right':
      return siblings[at + 1];
  }
}

function colourOf({ row, name }: FrameNode, options: ChartOptions): string {
  const { funcs, isSearching, result } = options;
  const { rows, labels } = result;
  if (row < 0) {
    const root = { kind: 'root', dso: '', name, tier: 0, isInlined: false } as const;
    return frameColour(root, isSearching);
  }
  const label = rows.label[row];
  if (labels.isMatch[label] === 1) return MATCH_COLOUR;
  if (options.colourOf !== undefined) return options.colourOf(row);
  const frame = {
    kind: labels.kind[label],
    dso: labels.dso[label],
    name,
    tier: rows.tier[row],
    isInlined: isInlined(labels.key[label], funcs),
  };
  return frameColour(frame, isSearching);
}
