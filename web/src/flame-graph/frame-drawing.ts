import flamegraph, { type ChartNode } from 'd3-flame-graph';
import { type Selection, select, selection } from 'd3-selection';
import type { FrameNode } from './frame-nodes.ts';

/**
 * The chart starts three transitions for each frame, which take timers and change the frames once more in a later
 * task, however short they are to be; and it gives each frame three listeners and a box for HTML text. Nothing else of
 * the page uses d3: its selections reach at once what a transition would lead to, and add neither.
 */
function itself<Same>(this: Same): Same {
  return this;
}
const { append } = selection.prototype;
Object.assign(selection.prototype, {
  transition: itself,
  duration: itself,
  ease: itself,
  delay: itself,
  on: itself,
  append(this: Selection, name: string): Selection {
    return name === 'foreignObject' ? this.filter(() => false) : append.call(this, name);
  },
});

/** Pixels of a frame at least, and frames in a row at most. */
const MIN_FRAME_WIDTH = 2;
const MAX_ROW_FRAMES = 512;
/** Pixels; only wider frames have a label. */
export const LEAST_LABEL = 35;
const SVG = 'http://www.w3.org/2000/svg';

/** The chart would put a title into each frame; the graph describes the frame under the pointer itself. */
const NO_TOOLTIP = Object.assign(() => {}, { show: () => {}, hide: () => {} });

/**
 * Pixels; narrower frames are not drawn: slivers cost a redraw more than they show, and a wide window has
 * room for twice as many of them in each row.
 */
export function leastFrameWidth(width: number): number {
  return Math.max(MIN_FRAME_WIDTH, width / MAX_ROW_FRAMES);
}

export type DrawingOptions = {
  /** Pixels. */
  readonly width: number;
  /** Pixels of the narrowest frame. */
  readonly least: number;
  readonly rowHeight: number;
  /** True: the root on top and the frames hanging from it. */
  readonly isIcicle: boolean;
  readonly colourOf: (node: FrameNode) => string;
};

/** A frame's element; d3 leaves the node on it. One that has no room for a label is a bare rectangle. */
export type DrawnFrame = SVGElement & { readonly __data__: ChartNode<FrameNode> };

/** The rectangle of a frame. */
export function boxOf(frame: DrawnFrame): Element {
  return frame.firstElementChild ?? frame;
}

/**
 * The picture of a tree: an `svg` that is as high as all rows, and its frames by rows, the outermost first.
 * Frames are seen once they are put into the `svg`.
 *
 * d3-flame-graph lays out the tree, and draws the frames with room for a label, outside of the document. What it draws is
 * taken over but for the transform of each frame, for each of which the browser paints apart; the rectangle has its
 * place itself. The other frames, most of
 * them, are bare rectangles. Labels are put into the frames that are seen (`frame-text.ts`).
 */
export class Drawing {
  readonly svg: SVGSVGElement;
  /** How many rows there are, drawn or not. */
  readonly length: number;
  readonly #root: FrameNode;
  readonly #options: DrawingOptions;
  #rows: readonly (readonly DrawnFrame[])[];

  /** Draws the outermost `count` rows: most of a deep tree is never looked at. */
  constructor(root: FrameNode, options: DrawingOptions, count: number) {
    this.#root = root;
    this.#options = options;
    this.length = countRows(root, (options.least / options.width) * root.drawn);
    const { svg, rows } = this.#draw(count);
    this.svg = svg;
    this.#rows = rows;
  }

  /** The frames of a row; draws all others, too, where it is not among those drawn first. */
  row(depth: number): readonly DrawnFrame[] {
    if (depth >= this.#rows.length && this.#rows.length < this.length) {
      this.#rows = [...this.#rows, ...this.#draw(this.length).rows.slice(this.#rows.length)];
    }
    return this.#rows[depth] ?? [];
  }

  /** Top of a row in the picture, pixels. */
  topOf(row: number): number {
    const { rowHeight, isIcicle } = this.#options;
    return (isIcicle ? row : this.length - 1 - row) * rowHeight;
  }

  /** The rows drawn so far. */
  get drawn(): readonly (readonly DrawnFrame[])[] {
    return this.#rows;
  }

  #draw(count: number): {
    readonly svg: SVGSVGElement;
    readonly rows: readonly (readonly DrawnFrame[])[];
  } {
    const { width, least, rowHeight, isIcicle, colourOf } = this.#options;
    const holder = document.createElement('div');
    const chart = flamegraph<FrameNode>()
      .width(width)
      .height(this.length * rowHeight)
      .cellHeight(rowHeight)
      .minFrameSize(LEAST_LABEL)
      .inverted(isIcicle)
      .getChildren(({ depth, children }) => (depth + 1 < count ? children : []))
      .getValue(({ drawn }) => drawn)
      .setColorMapper(({ data }) => colourOf(data))
      .tooltip(NO_TOOLTIP);
    const selected = select(holder).datum(this.#root);
    chart(selected);
    const svg = holder.querySelector('svg') as SVGSVGElement;
    const rows: DrawnFrame[][] = [];
    for (const frame of svg.querySelectorAll<DrawnFrame>('.frame')) {
      frame.removeAttribute('transform');
      const { depth, x0 } = frame.__data__;
      boxOf(frame).setAttribute('x', String(x0 * width));
      boxOf(frame).setAttribute('y', String(this.topOf(depth)));
      rows[depth] ??= [];
      rows[depth].push(frame);
    }
    svg.replaceChildren();
    const rest = [selected.datum() as ChartNode<FrameNode>];
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      const wide = (node.x1 - node.x0) * width;
      if (wide <= least) continue;
      rows[node.depth] ??= [];
      if (wide <= LEAST_LABEL) rows[node.depth].push(this.#drawBare(node));
      rest.push(...(node.children ?? []));
    }
    return { svg, rows };
  }

  #drawBare(node: ChartNode<FrameNode>): DrawnFrame {
    const { width, rowHeight, colourOf } = this.#options;
    const box = document.createElementNS(SVG, 'rect');
    box.setAttribute('class', 'frame');
    box.setAttribute('name', node.data.name);
    box.setAttribute('x', String(node.x0 * width));
    box.setAttribute('y', String(this.topOf(node.depth)));
    box.setAttribute('width', String((node.x1 - node.x0) * width));
    box.setAttribute('height', String(rowHeight));
    box.setAttribute('fill', colourOf(node.data));
    return Object.assign(box, { __data__: node });
  }
}

/** Rows of frames that are wider than `least`. */
function countRows(root: FrameNode, least: number): number {
  let rows = 1;
  const wide = [root];
  for (let at = wide.pop(); at !== undefined; at = wide.pop()) {
    rows = Math.max(rows, at.depth + 1);
    for (const child of at.children) if (child.drawn > least) wide.push(child);
  }
  return rows;
}
