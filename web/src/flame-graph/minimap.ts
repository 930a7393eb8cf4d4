import { fitCanvas } from '../dom/canvas.ts';
import { element } from '../dom/dom.ts';
import type { FlameGraph } from './flame-graph.ts';

/** Pixels of a row, and of the map at most. */
const ROW = 3;
const [LEAST_HEIGHT, MOST_HEIGHT] = [20, 72];

/** The whole graph in little, with the part that its box shows; where that is all of it, there is no map. */
export class Minimap {
  readonly root = element('div', 'minimap');
  readonly #canvas = element('canvas');
  readonly #part = element('div', 'minimap-part');
  #drawn: FlameGraph | null = null;

  /** `onCentre` gets the moment of the width, 0…1, that is pressed or dragged to. */
  constructor(onCentre: (at: number) => void) {
    this.root.append(this.#canvas, this.#part);
    this.root.hidden = true;
    // The keyboard's cursor and + and - do the same.
    this.root.setAttribute('aria-hidden', 'true');
    const follow = ({ buttons, clientX }: PointerEvent) => {
      if (buttons !== 1) return;
      const { left, width } = this.root.getBoundingClientRect();
      onCentre((clientX - left) / width);
    };
    this.root.addEventListener('pointerdown', (event) => {
      this.root.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.root.addEventListener('pointermove', follow);
  }

  /** Shows which part of the width of a graph its box has. */
  move(chart: FlameGraph | null, from: number, to: number): void {
    this.root.hidden = to - from >= 1;
    if (this.root.hidden) return;
    if (chart !== null && chart !== this.#drawn) this.#draw(chart);
    this.#part.style.left = `${from * 100}%`;
    this.#part.style.width = `${(to - from) * 100}%`;
  }

  #draw(chart: FlameGraph): void {
    this.#drawn = chart;
    const { width, isIcicle, rows, frames } = chart.miniature;
    const height = Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, rows * ROW + 2));
    this.root.style.height = `${height}px`;
    this.root.classList.toggle('from-below', !isIcicle);
    const context = fitCanvas(this.#canvas, width, height);
    if (context === null) return;
    const rowHeight = (height - 2) / rows;
    for (const { x, width: wide, depth, colour } of frames) {
      context.fillStyle = colour;
      const row = isIcicle ? depth : rows - 1 - depth;
      context.fillRect(x, 1 + row * rowHeight, Math.max(wide, 0.5), rowHeight);
    }
  }
}
