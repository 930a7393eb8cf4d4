import { element, type PlaceInWindow } from './dom.ts';
import type { TooltipLine } from './tooltip-line.ts';

/** Pixels between a place and the box beside it. */
const GAP = 14;

/** A box beside a place in the window: a name, then lines of figures. Text only. */
export class Tooltip {
  readonly #box = element('div', 'tooltip');

  constructor() {
    this.#box.hidden = true;
    // Inside of a landmark, where one is: what lies outside of all is hard to come by.
    (document.querySelector('main') ?? document.body).append(this.#box);
  }

  showAt(name: string, lines: readonly TooltipLine[], at: PlaceInWindow): void {
    const figures = element('dl');
    for (const { term, text } of lines) {
      figures.append(element('dt', '', term), element('dd', '', text));
    }
    this.#box.replaceChildren(element('div', 'tooltip-name', name), figures);
    this.#box.hidden = false;
    this.moveTo(at);
  }

  /** Moves the box to another place, where it is shown. */
  moveTo({ x, y }: PlaceInWindow): void {
    if (this.#box.hidden) return;
    const { offsetWidth, offsetHeight } = this.#box;
    const left = x + GAP + offsetWidth < window.innerWidth ? x + GAP : x - GAP - offsetWidth;
    const top = y + GAP + offsetHeight < window.innerHeight ? y + GAP : y - GAP - offsetHeight;
    this.#box.style.left = `${Math.max(4, left)}px`;
    this.#box.style.top = `${Math.max(4, top)}px`;
  }

  hide(): void {
    this.#box.hidden = true;
  }

  destroy(): void {
    this.#box.remove();
  }
}
