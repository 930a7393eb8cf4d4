import { shadeOf } from '../../../src/formats/export/frame-shades.ts';
import { fontScale } from '../dom/canvas.ts';
import type { PlaceInWindow } from '../dom/dom.ts';
import { Tooltip } from '../dom/tooltip.ts';
import type { TooltipLine } from '../dom/tooltip-line.ts';
import { funcOf, isInlined } from '../worker/messages/frame-key.ts';
import type { FrameKey, TreeResult } from '../worker/messages/messages.ts';
import { colourNameOf } from './frame-colours.ts';
import { Drawing, type DrawnFrame, leastFrameWidth } from './frame-drawing.ts';
import { type FrameNode, framesTo, toFrameNodes } from './frame-nodes.ts';
import { alignName, labelFrame, measureCharacter, type TextOptions } from './frame-text.ts';
import { readPalette } from './palette.ts';
import { RowWindow, SPARE_ROWS } from './row-window.ts';

/** Pixels of an A4 sheet's longer side, within its margins. */
const PAPER_WIDTH = 1040;
/** Pixels that the tree is wide in little. */
const MINIATURE = 240;
type MiniFrame = {
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  readonly colour: string;
};
/** Pixels, on a common screen. */
const ROW_HEIGHT = 20;
/** Rows above the zoomed frame that stay in view where not all can. */
const ROWS_KEPT = 3;
/** The last row of `TIERS` in which V8 had not optimized. */
const BASELINE = 2;

export type GraphOptions = {
  readonly result: TreeResult;
  /** The name of everything; null: the picture begins with the zoomed frame. */
  readonly title: string | null;
  /** True: the root on top and the frames hanging from it. */
  readonly isIcicle: boolean;
  /** Pixels: those of its box, or more where that scrolls sideways. */
  readonly width: number;
  readonly isSearching: boolean;
  /** FuncIndex whose frames are marked; null, undefined: none. */
  readonly selected?: number | null;
  /** Colour of a row instead of that of its kind. */
  readonly colourOf?: (row: number) => string;
  readonly describe: (node: FrameNode) => readonly TooltipLine[];
  readonly onZoom: (node: FrameNode) => void;
  readonly onMenu: (node: FrameNode, at: PlaceInWindow) => void;
  readonly onCursor?: (node: FrameNode) => void;
};

/** One tree in a box: a click, the pointer's menu and a cursor for the keyboard. */
export class FlameGraph {
  readonly #root: FrameNode;
  readonly #container: HTMLElement;
  readonly #options: GraphOptions;
  readonly #tooltip = new Tooltip();
  /** The tooltip is of the frame under the pointer, not of the cursor's. */
  #isOfPointer = false;
  readonly #drawing: Drawing;
  readonly #window: RowWindow;
  readonly #text: TextOptions;
  /** Pixels, before the picture was put in. */
  readonly #boxHeight: number;
  /** Aborted when the chart is destroyed: the container may get another one. */
  readonly #end = new AbortController();
  #cursor: FrameNode | null = null;
  #hovered: FrameNode | null = null;
  #selected: number | null;
  readonly #colourOf: (node: FrameNode) => string;
  /** Pixels left of the box, and the frames whose names were moved into it. */
  #left = 0;
  #moved: DrawnFrame[] = [];

  /** Draws into `container`, before what is in there. */
  constructor(container: HTMLElement, options: GraphOptions) {
    const { result, title, isIcicle, selected = null } = options;
    this.#container = container;
    this.#options = options;
    this.#selected = selected;
    this.#root = toFrameNodes(result, title);
    const rowHeight = Math.round(ROW_HEIGHT * fontScale());
    this.#text = {
      weight: result.weight,
      rowHeight,
      characterWidth: measureCharacter(container),
      placeOf: ({ label }) => (label < 0 ? '' : result.labels.place[label]),
    };
    this.#colourOf = colours(options);
    const look = {
      width: options.width,
      least: leastFrameWidth(container.clientWidth),
      rowHeight,
      isIcicle,
      colourOf: this.#colourOf,
    };
    this.#boxHeight = container.clientHeight;
    const seen = Math.ceil(this.#boxHeight / rowHeight) + SPARE_ROWS;
    this.#drawing = new Drawing(this.#root, look, this.zoomed.depth + seen);
    this.#window = new RowWindow(this.#drawing, rowHeight, isIcicle, (frame) => {
      labelFrame(frame, this.#text);
      this.#align(frame);
      this.#mark(frame);
    });
    container.prepend(this.#drawing.svg);
    this.#listen();
  }

  get svg(): SVGSVGElement {
    return this.#drawing.svg;
  }

  get width(): number {
    return this.#options.width;
  }

  /** Pixels of all rows. */
  get height(): number {
    return this.#window.height;
  }

  /** The frames of the whole tree in little: those that are as wide as half a pixel of so many. */
  get miniature(): {
    readonly width: number;
    readonly isIcicle: boolean;
    readonly rows: number;
    readonly frames: readonly MiniFrame[];
  } {
    const frames: MiniFrame[] = [];
    const perWeight = MINIATURE / this.#root.drawn;
    const add = (node: FrameNode, x: number) => {
      const width = node.drawn * perWeight;
      if (width < 0.5) return;
      frames.push({ x, width, depth: node.depth, colour: this.#colourOf(node) });
      let at = x;
      for (const child of node.children) {
        add(child, at);
        at += child.drawn * perWeight;
      }
    };
    add(this.#root, 0);
    return {
      width: MINIATURE,
      isIcicle: this.#options.isIcicle,
      rows: this.#drawing.length,
      frames,
    };
  }

  /** All rows of frames, in view or not, and how they are labelled. */
  get picture(): {
    readonly rows: readonly (readonly DrawnFrame[])[];
    readonly topOf: (row: number) => number;
    readonly text: TextOptions;
  } {
    const rows = Array.from({ length: this.#drawing.length }, (_, row) => this.#drawing.row(row));
    return { rows, topOf: (row) => this.#drawing.topOf(row), text: this.#text };
  }

  /** The frame that the keyboard's cursor is on; null where it was not set yet. */
  get cursor(): FrameNode | null {
    return this.#cursor;
  }

  /** The frame that a key means: the one under the pointer, else the cursor's. */
  get target(): FrameNode | null {
    return this.#hovered ?? this.#cursor;
  }

  /** The frame that fills the width and has no more such below it. */
  get zoomed(): FrameNode {
    let at = this.#root;
    for (let next = at.children[0]; next !== undefined && next.row < 0; next = at.children[0]) {
      at = next;
    }
    return at;
  }

  /** The place of a node's frame, in pixels of the window. */
  placeInWindow(node: FrameNode): PlaceInWindow {
    const box = this.#frameOf(node)?.getBoundingClientRect();
    return { x: (box?.left ?? 0) + 8, y: box?.bottom ?? 0 };
  }

  /** The place of the frame at the end of a path, in pixels of the picture; null if it is not drawn. */
  spanOf(path: readonly FrameKey[]): { readonly x: number; readonly width: number } | null {
    const { labels } = this.#options.result;
    let at: FrameNode | undefined = this.#root;
    for (const key of path) at = at?.children.find(({ label }) => labels.key[label] === key);
    const frame = at && this.#frameOf(at);
    if (frame === undefined) return null;
    const { x0, x1 } = frame.__data__;
    return { x: x0 * this.width, width: (x1 - x0) * this.width };
  }

  /** Puts the cursor on the zoomed frame, or on a neighbour of its frame. */
  moveCursor(to: Direction): void {
    const frame = this.#cursor === null ? this.zoomed : neighbour(this.#cursor, to);
    if (frame != null) this.#setCursor(frame);
  }

  /**
   * Puts the cursor where it was in an earlier picture of the same place: on the frame that a path leads
   * to, or as far as it does. Nothing is spoken, since nobody has moved.
   */
  restoreCursor(path: readonly FrameKey[]): void {
    this.#setCursor(this.#lastDrawn(path), false);
  }

  /**
   * Brings the frame that a path leads to into view, or the last one above it that is drawn; the cursor goes
   * there, too, if it is meant to.
   */
  showPath(path: readonly FrameKey[], withCursor: boolean): void {
    const node = this.#lastDrawn(path);
    if (withCursor) this.#setCursor(node);
    else this.#scrollTo(node);
  }

  /** Whether the frame that a path leads to is drawn: not folded, nor too narrow. */
  reaches(path: readonly FrameKey[]): boolean {
    return this.#lastDrawn(path).depth === path.length;
  }

  /** Hides the description of the cursor's frame; the cursor stays. */
  hideTooltip(): void {
    this.#tooltip.hide();
  }

  /** Marks the frames of a function, and no others. */
  select(func: number | null): void {
    if (func === this.#selected) return;
    this.#selected = func;
    for (const row of this.#drawing.drawn) for (const frame of row) this.#mark(frame);
  }

  /**
   * Scrolls to the edge of the root, or so far away from it that the zoomed frame is in the half of the box
   * next to it: what it called has the rest. Then fills the box.
   */
  reveal(fromRoot: number): void {
    const zoomed = this.zoomed.depth * this.#text.rowHeight;
    const isSeen = zoomed >= fromRoot && zoomed - fromRoot < this.#boxHeight / 2;
    this.scrollFromRoot(isSeen ? fromRoot : Math.max(0, zoomed - ROWS_KEPT * this.#text.rowHeight));
  }

  /** Pixels of the picture between the root's edge and that of the box. */
  get fromRoot(): number {
    const { scrollTop, clientHeight } = this.#container;
    return this.#options.isIcicle ? scrollTop : Math.max(0, this.height - clientHeight - scrollTop);
  }

  /** Fills the box first: to scroll lays the page out, which is done once with all that is seen. */
  scrollFromRoot(fromRoot: number): void {
    const most = Math.max(0, this.height - this.#boxHeight);
    const from = Math.min(fromRoot, most);
    const top = this.#options.isIcicle ? from : most - from;
    this.#window.show({ top, height: this.#boxHeight });
    this.#container.scrollTop = top;
    this.fill();
  }

  /** Draws the rows that the box shows now. */
  fill(): void {
    const { scrollTop, clientHeight } = this.#container;
    this.#window.show({ top: scrollTop, height: clientHeight });
  }

  /** Moves the names of frames that begin left of the box to where they are seen. */
  alignNames(left: number): void {
    if (left === this.#left) return;
    this.#left = left;
    for (const frame of this.#moved.splice(0)) alignName(frame, 0, this.#text);
    for (const row of this.#drawing.drawn) for (const frame of row) this.#align(frame);
  }

  #align(frame: DrawnFrame): void {
    const { x0, x1 } = frame.__data__;
    const hidden = this.#left - x0 * this.width;
    if (hidden <= 0 || x1 * this.width <= this.#left) return;
    alignName(frame, hidden, this.#text);
    this.#moved.push(frame);
  }

  destroy(): void {
    this.#end.abort();
    this.#tooltip.destroy();
    this.svg.remove();
  }

  #listen(): void {
    const { signal } = this.#end;
    const on = this.#container.addEventListener.bind(this.#container);
    on('click', (event) => this.#zoomInto(event), { signal });
    on('contextmenu', (event) => this.#openMenu(event), { signal });
    on('scroll', () => this.fill(), { passive: true, signal });
    on('blur', () => this.#tooltip.hide(), { signal });
    window.addEventListener('beforeprint', () => this.#prepareToPrint(), { signal });
    on('mouseover', (event) => this.#hover(this.#nodeAt(event)), { signal });
    on('mousemove', (event) => this.#follow(event), { signal });
    on('mouseleave', () => this.#hover(null), { signal });
  }

  /** A frame that is drawn or scrolled below a resting pointer is to be seen itself: the next move describes it. */
  #hover(node: FrameNode | null): void {
    if (this.#isOfPointer) this.#tooltip.hide();
    this.#isOfPointer = false;
    this.#hovered = node;
  }

  #follow(event: MouseEvent): void {
    if (this.#isOfPointer) this.#tooltip.moveTo(placeOf(event));
    else if (this.#hovered !== null) {
      this.#describe(this.#hovered, placeOf(event));
      this.#isOfPointer = true;
    }
  }

  #describe(node: FrameNode, at: PlaceInWindow): void {
    this.#tooltip.showAt(node.name, this.#options.describe(node), at);
    this.#isOfPointer = false;
  }

  /** Draws all rows, which paper shows at once, and tells the style sheet how wide they are. */
  #prepareToPrint(): void {
    this.hideTooltip();
    this.#window.show({ top: 0, height: this.height });
    const zoom = Math.min(1, PAPER_WIDTH / this.#container.clientWidth);
    this.#container.style.setProperty('--print-zoom', String(zoom));
  }

  #zoomInto(event: MouseEvent): void {
    const node = this.#nodeAt(event);
    if (node === null) return;
    this.#hover(node);
    this.#options.onZoom(node);
  }

  /** Opens the menu of the frame under the pointer; the key for menus means the cursor's. */
  #openMenu(event: MouseEvent): void {
    const pointed = this.#nodeAt(event);
    const node = pointed ?? (event.target === this.#container ? this.#cursor : null);
    if (node === null) return;
    event.preventDefault();
    this.#tooltip.hide();
    this.#options.onMenu(node, pointed === null ? this.placeInWindow(node) : placeOf(event));
  }

  #setCursor(node: FrameNode, isMoved = true): void {
    const frame = this.#frameOf(node);
    // Too narrow to be drawn.
    if (frame === undefined) return;
    this.#window.add(node.depth);
    this.#container.querySelector('.cursor')?.classList.remove('cursor');
    frame.classList.add('cursor');
    if (isMoved) this.#scrollTo(node);
    this.#cursor = node;
    // In the corner that the frame is not in: what lies around it is where one goes next.
    const { left, width } = frame.getBoundingClientRect();
    const isLeft = left + width / 2 < window.innerWidth / 2;
    const { top } = this.#container.getBoundingClientRect();
    this.#describe(node, { x: isLeft ? window.innerWidth : 0, y: Math.max(0, top) });
    if (isMoved) this.#options.onCursor?.(node);
  }

  /** No further than needed. */
  #scrollTo(node: FrameNode): void {
    const { scrollTop, clientHeight } = this.#container;
    const top = this.#drawing.topOf(node.depth);
    const bottom = top + this.#text.rowHeight;
    if (top < scrollTop) this.#container.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.#container.scrollTop = bottom - clientHeight;
  }

  /** Follows a path from the root, as far as frames are wide enough to be drawn. */
  #lastDrawn(path: readonly FrameKey[]): FrameNode {
    const { labels } = this.#options.result;
    let node = this.#root;
    for (const key of path) {
      const next = node.children.find(({ label }) => labels.key[label] === key);
      if (next === undefined || this.#frameOf(next) === undefined) break;
      node = next;
    }
    return node;
  }

  /** The frame that an event is at. */
  #nodeAt({ target }: Event): FrameNode | null {
    if (!(target instanceof Element)) return null;
    return target.closest<DrawnFrame>('.frame')?.__data__?.data ?? null;
  }

  #mark(frame: DrawnFrame): void {
    const { label } = frame.__data__.data;
    const { labels } = this.#options.result;
    const isSelected =
      this.#selected !== null && label >= 0 && funcOf(labels.key[label]) === this.#selected;
    frame.classList.toggle('selected', isSelected);
  }

  #frameOf(node: FrameNode): DrawnFrame | undefined {
    return this.#drawing.row(node.depth).find((frame) => frame.__data__.data === node);
  }
}

function placeOf({ clientX, clientY }: MouseEvent): PlaceInWindow {
  return { x: clientX, y: clientY };
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

/** The names of the frames from the outermost one to `node`. */
export function namesTo(node: FrameNode): string[] {
  return framesTo(node).map(({ name }) => name);
}

function colours(options: GraphOptions): (node: FrameNode) => string {
  const { isSearching, result, colourOf } = options;
  const { labels } = result;
  const palette = readPalette(document);
  return ({ row, label, name, tier }) => {
    const of = colourNameOf(labels, label);
    if (of === 'match' || of === 'folded') return palette(of);
    if (colourOf !== undefined) return row < 0 ? palette('root') : colourOf(row);
    const isLighter =
      (label >= 0 && isInlined(labels.key[label])) || (tier > 0 && tier <= BASELINE);
    return shadeOf(palette(of), { name, isLighter, isDimmed: isSearching });
  };
}
