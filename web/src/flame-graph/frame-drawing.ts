import flamegraph, { type ChartNode, type Tooltip } from 'd3-flame-graph';
import { select, selection } from 'd3-selection';
import type { FrameNode } from './frame-nodes.ts';

/**
 * The chart starts three transitions for each frame, which take timers and change the frames once more in a later
 * task, however short they are to be. Nothing else of the page uses d3: its selections reach at once what a
 * transition would lead to.
 */
function itself<Same>(this: Same): Same {
  return this;
}
Object.assign(selection.prototype, {
  transition: itself,
  duration: itself,
  ease: itself,
  delay: itself,
});

/** Pixels of a frame at least, and frames in a row at most. */
const MIN_FRAME_WIDTH = 2;
const MAX_ROW_FRAMES = 512;

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
  readonly tooltip: Tooltip<FrameNode>;
};

/** A frame's element; d3 leaves the node on it. */
export type DrawnFrame = SVGGElement & { readonly __data__: ChartNode<FrameNode> };

/**
 * The picture of a tree: an `svg` that is as high as all rows, and its frames by rows, the outermost first.
 * Frames are seen once they are put into the `svg`.
 *
 * d3-flame-graph lays out and draws the tree outside of the document. What it draws is taken over but for
 * the box for HTML text of each frame: style, layout and painting of these boxes are most of what a redraw
 * costs. Labels are put into the frames that are seen (`frame-text.ts`).
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

  /** The rows drawn so far. */
  get drawn(): readonly (readonly DrawnFrame[])[] {
    return this.#rows;
  }

  #draw(count: number): {
    readonly svg: SVGSVGElement;
    readonly rows: readonly (readonly DrawnFrame[])[];
  } {
    const { width, least, rowHeight, isIcicle, colourOf, tooltip } = this.#options;
    const holder = document.createElement('div');
    const chart = flamegraph<FrameNode>()
      .width(width)
      .height(this.length * rowHeight)
      .cellHeight(rowHeight)
      .minFrameSize(least)
      .inverted(isIcicle)
      .getChildren(({ depth, children }) => (depth + 1 < count ? children : []))
      .getValue(({ drawn }) => drawn)
      .setColorMapper(({ data }) => colourOf(data))
      .tooltip(tooltip);
    chart(select(holder).datum(this.#root));
    const svg = holder.querySelector('svg') as SVGSVGElement;
    const rows: DrawnFrame[][] = [];
    for (const frame of svg.querySelectorAll<DrawnFrame>('.frame')) {
      frame.lastElementChild?.remove();
      const { depth } = frame.__data__;
      rows[depth] ??= [];
      rows[depth].push(frame);
    }
    svg.replaceChildren();
    return { svg, rows };
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
