// Hot: once per box that is seen.

import { fitLabel } from '../../../src/formats/export/frame-label.ts';
import { createHatch, createTile } from '../dom/canvas.ts';
import type { Range } from '../state/state.ts';
import type { ChartResult } from '../worker/messages/chart-messages.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import { isWaiting } from './box-words.ts';
import type { ChartColours } from './chart-colours.ts';

export type ChartPicture = {
  readonly result: ChartResult;
  /** Pixels: of the picture, and of what is above its top edge. */
  readonly width: number;
  readonly height: number;
  readonly scrolled: number;
  readonly rowHeight: number;
  readonly fontSize: number;
  readonly colours: ChartColours;
  /** The time outside of it is covered; null: none. */
  readonly range: Range | null;
  /** Times of the window in which nothing was sampled. */
  readonly unsampled: readonly Range[];
  /** FuncIndex that is marked; null: none. */
  readonly func: number | null;
  /** The box with the cursor; −1: none. */
  readonly cursor: number;
};

/** Pixels; narrower boxes have no label. */
const LEAST_LABEL = 30;
const MARGIN = 4;
/** Pixels between two boxes that are both wide enough to lose one. */
const GAP = 1;
const LEAST_GAPPED = 4;
/** Pixels at the bottom of a box that stands for several: dots all over it would hide its label. */
const DOTTED = 4;
/** How much of what is outside of the range is covered. */
const COVERED = 0.65;

/** Draws the boxes of the rows that are seen. */
export function drawChart(context: CanvasRenderingContext2D, picture: ChartPicture): void {
  const { result, height, scrolled, rowHeight } = picture;
  const { starts } = result.boxes;
  const brush = new BoxBrush(context, picture);
  const first = Math.max(0, Math.floor(scrolled / rowHeight));
  const last = Math.min(starts.length - 2, Math.floor((scrolled + height) / rowHeight));
  for (let depth = first; depth <= last; depth++) {
    const top = depth * rowHeight - scrolled;
    for (let box = starts[depth]; box < starts[depth + 1]; box++) brush.draw(box, top);
  }
  const xOf = axisOf(picture);
  hatchUnsampled(context, picture, xOf);
  coverOutside(context, picture, xOf);
  brush.drawMarks();
}

/** The pixel of a time, within the picture. */
function axisOf({ result, width }: ChartPicture): (ns: number) => number {
  const { fromNs, toNs } = result.window;
  return (ns) => Math.max(0, Math.min(width, ((ns - fromNs) / (toNs - fromNs)) * width));
}

/** No box and no gap means anything there. */
function hatchUnsampled(
  context: CanvasRenderingContext2D,
  { unsampled, height, colours }: ChartPicture,
  xOf: (ns: number) => number,
): void {
  context.fillStyle = createHatch(context, colours.quiet, 1) ?? colours.line;
  for (const { fromNs, toNs } of unsampled) {
    const left = xOf(fromNs);
    context.fillRect(left, 0, xOf(toNs) - left, height);
  }
}

function coverOutside(
  context: CanvasRenderingContext2D,
  { range, width, height, colours }: ChartPicture,
  xOf: (ns: number) => number,
): void {
  if (range === null) return;
  const left = xOf(range.fromNs);
  const right = xOf(range.toNs);
  context.fillStyle = colours.page;
  context.globalAlpha = COVERED;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
}

class BoxBrush {
  readonly #context: CanvasRenderingContext2D;
  readonly #picture: ChartPicture;
  readonly #hatch: CanvasPattern | null;
  readonly #dots: CanvasPattern | null;
  readonly #characterWidth: number;
  readonly #marked: [left: number, top: number, width: number][] = [];
  #cursor: [left: number, top: number, width: number] | null = null;

  constructor(context: CanvasRenderingContext2D, picture: ChartPicture) {
    this.#context = context;
    this.#picture = picture;
    const { colours, fontSize } = picture;
    // Light in any theme, as labels are dark.
    this.#hatch = createHatch(context, '#fff', 1.6);
    this.#dots = createDots(context, colours.page);
    context.font = `${fontSize}px ui-monospace, monospace`;
    context.textBaseline = 'middle';
    this.#characterWidth = context.measureText('m'.repeat(20)).width / 20;
  }

  draw(box: number, top: number): void {
    const { result, width, rowHeight, colours, func, cursor } = this.#picture;
    const { boxes, window, labels } = result;
    const scale = width / (window.toNs - window.fromNs);
    const left = Math.max(0, (boxes.fromNs[box] - window.fromNs) * scale);
    const right = Math.min(width, (boxes.toNs[box] - window.fromNs) * scale);
    const wide = Math.max(1, right - left);
    const drawn = wide > LEAST_GAPPED ? wide - GAP : wide;
    const label = boxes.label[box];
    const context = this.#context;
    context.fillStyle = colours.groups[labels.group[label]];
    context.fillRect(left, top, drawn, rowHeight - GAP);
    const bottom = top + rowHeight - GAP;
    if (isWaiting(result, box)) this.#fill(this.#hatch, left, top, drawn, rowHeight - GAP);
    else if (boxes.merged[box] > 0) {
      this.#fill(this.#dots, left, bottom - DOTTED, drawn, DOTTED);
    }
    if (wide >= LEAST_LABEL) this.#write(box, left, top, wide);
    if (func !== null && funcOf(labels.key[label]) === func) this.#marked.push([left, top, drawn]);
    if (box === cursor) this.#cursor = [left, top, drawn];
  }

  /** Frames around what is selected come last: the next box would cover them. */
  drawMarks(): void {
    const context = this.#context;
    const { colours, rowHeight } = this.#picture;
    context.strokeStyle = colours.accent;
    context.lineWidth = 1;
    for (const [left, top, width] of this.#marked) {
      context.strokeRect(left + 0.5, top + 0.5, Math.max(1, width - 1), rowHeight - GAP - 1);
    }
    if (this.#cursor === null) return;
    const [left, top, width] = this.#cursor;
    context.lineWidth = 2;
    context.strokeStyle = colours.cursor;
    context.strokeRect(left + 1, top + 1, Math.max(2, width - 2), rowHeight - GAP - 2);
  }

  #fill(
    pattern: CanvasPattern | null,
    left: number,
    top: number,
    width: number,
    height: number,
  ): void {
    if (pattern === null) return;
    this.#context.fillStyle = pattern;
    this.#context.fillRect(left, top, width, height);
  }

  #write(box: number, left: number, top: number, width: number): void {
    const { result, rowHeight, colours } = this.#picture;
    const characters = Math.floor((width - 2 * MARGIN) / this.#characterWidth);
    const label = result.boxes.label[box];
    const { name, place } = result.labels;
    const text = fitLabel(name[label], place[label], characters);
    if (text === '') return;
    this.#context.fillStyle = colours.text;
    this.#context.fillText(text, left + MARGIN, top + (rowHeight - GAP) / 2 + 0.5);
  }
}

/** Dots: several boxes in one. */
function createDots(context: CanvasRenderingContext2D, colour: string): CanvasPattern | null {
  return createTile(context, 4, (tile) => {
    tile.fillStyle = colour;
    tile.globalAlpha = 0.8;
    tile.fillRect(0, 0, 1, 1);
    tile.fillRect(2, 2, 1, 1);
  });
}
