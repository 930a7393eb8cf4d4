import { element } from '../dom/dom.ts';
import type { TooltipLine } from '../flame-graph/frame-lines.ts';

/** Pixels between a place and the box beside it. */
const GAP = 14;

/** A box of text beside a place in the window. */
export class BoxTooltip {
  readonly #box = element('div', 'tooltip');

  constructor() {
    this.#box.hidden = true;
    document.body.append(this.#box);
  }

  showAt(
    name: string,
    lines: readonly TooltipLine[],
    { x, y }: { readonly x: number; readonly y: number },
  ): void {
    const figures = element('dl');
    for (const { term, text } of lines) {
      figures.append(element('dt', '', term), element('dd', '', text));
    }
    this.#box.replaceChildren(element('div', 'tooltip-name', name), figures);
    this.#box.hidden = false;
    const { offsetWidth, offsetHeight } = this.#box;
    const left = x + GAP + offsetWidth < window.innerWidth ? x + GAP : x - GAP - offsetWidth;
    const top = y + GAP + offsetHeight < window.innerHeight ? y + GAP : y - GAP - offsetHeight;
    this.#box.style.left = `${Math.max(4, left)}px`;
    this.#box.style.top = `${Math.max(4, top)}px`;
  }

  hide(): void {
    this.#box.hidden = true;
  }
}
