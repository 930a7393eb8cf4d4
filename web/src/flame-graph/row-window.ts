import type { Drawing, DrawnFrame } from './frame-drawing.ts';

/** Rows outside of the box that are in the document as well: a small scroll draws nothing. */
export const SPARE_ROWS = 4;
const SVG = 'http://www.w3.org/2000/svg';

/** The box that scrolls, in pixels. */
type ScrollPlace = { readonly top: number; readonly height: number };

/**
 * Keeps those rows of a drawing in the document that are seen or were. Rows far away cost style and
 * layout as those in view do, and most of a deep tree is far away.
 */
export class RowWindow {
  readonly #drawing: Drawing;
  readonly #rowHeight: number;
  readonly #isIcicle: boolean;
  readonly #label: (frame: DrawnFrame) => void;
  readonly #isIn: boolean[] = [];

  /** `label` is called for each frame before it is seen. */
  constructor(
    drawing: Drawing,
    rowHeight: number,
    isIcicle: boolean,
    label: (frame: DrawnFrame) => void,
  ) {
    this.#drawing = drawing;
    this.#rowHeight = rowHeight;
    this.#isIcicle = isIcicle;
    this.#label = label;
  }

  /** Pixels of the whole picture. */
  get height(): number {
    return this.#drawing.length * this.#rowHeight;
  }

  /** Puts the rows into the document that `view` shows. */
  show({ top, height }: ScrollPlace): void {
    const spare = SPARE_ROWS * this.#rowHeight;
    const first = Math.floor((top - spare) / this.#rowHeight);
    const last = Math.ceil((top + height + spare) / this.#rowHeight);
    for (let line = Math.max(0, first); line < Math.min(last, this.#drawing.length); line++) {
      this.add(this.#isIcicle ? line : this.#drawing.length - 1 - line);
    }
  }

  add(row: number): void {
    if (this.#isIn[row]) return;
    const frames = this.#drawing.row(row);
    this.#isIn[row] = true;
    for (const frame of frames) this.#label(frame);
    const group = document.createElementNS(SVG, 'g');
    group.append(...frames);
    this.#drawing.svg.append(group);
  }
}
