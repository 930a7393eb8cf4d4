import { element } from '../dom/dom.ts';
import { scrollWithin } from '../dom/scroll-within.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels. */
const WIDTH = 12;
/** Pixels of the map's height that share one mark. */
const MARK_HEIGHT = 3;

/**
 * The whole of a box of code as a narrow column beside it: a mark for each hot line, and which part is
 * in view. A click goes to the nearest mark.
 */
export class CodeMap {
  readonly root = element('div', 'code-map');
  readonly #box: HTMLElement;
  readonly #svg = document.createElementNS(SVG, 'svg');
  readonly #marks = document.createElementNS(SVG, 'g');
  readonly #view = renderRect('code-view', 0, 0);
  #hot: readonly HTMLElement[] = [];

  constructor(box: HTMLElement) {
    this.#box = box;
    this.root.setAttribute('aria-hidden', 'true');
    this.root.title = 'Hot lines: click goes there (also n and p)';
    this.#svg.setAttribute('width', `${WIDTH}`);
    this.#svg.append(this.#view, this.#marks);
    this.root.append(this.#svg);
    this.root.addEventListener('click', ({ offsetY }) => this.#goToNearest(offsetY));
    box.addEventListener('scroll', () => this.#drawView(), { passive: true });
    // Parts of machine code open and close.
    box.addEventListener('toggle', () => this.draw(), { capture: true });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** Draws the marks of what the box holds now. */
  draw(): void {
    this.#hot = [...this.#box.querySelectorAll<HTMLElement>('.is-hot')].filter(
      ({ offsetHeight }) => offsetHeight > 0,
    );
    this.root.hidden = this.#hot.length === 0;
    const { clientHeight } = this.#box;
    this.#svg.setAttribute('height', `${clientHeight}`);
    const heatAt = new Map<number, number>();
    for (const line of this.#hot) {
      const at = Math.floor((this.#placeOf(line) * clientHeight) / MARK_HEIGHT);
      const heat = Number(line.style.getPropertyValue('--heat'));
      heatAt.set(at, Math.max(heat, heatAt.get(at) ?? 0));
    }
    const marks = [...heatAt].map(([at, heat]) => {
      const mark = renderRect('code-mark', at * MARK_HEIGHT, MARK_HEIGHT);
      mark.setAttribute('fill-opacity', `${0.3 + heat / 66}`);
      return mark;
    });
    this.#marks.replaceChildren(...marks);
    this.#drawView();
  }

  /** Goes to the next hot line behind the current one, or the one before it, round and round. */
  step(by: 1 | -1): void {
    const count = this.#hot.length;
    if (count === 0) return;
    const current = this.#hot.findIndex((line) => line.ariaCurrent === 'true');
    if (current >= 0) {
      this.#goTo(this.#hot[(current + by + count) % count]);
      return;
    }
    // From the middle of what is in view.
    const { top, height } = this.#box.getBoundingClientRect();
    const middle = top + height / 2;
    const isBelow = (line: HTMLElement) => line.getBoundingClientRect().top > middle;
    const next = this.#hot.findIndex(isBelow);
    const below = next < 0 ? count : next;
    this.#goTo(this.#hot[(by > 0 ? below : below - 1 + count) % count]);
  }

  #goToNearest(y: number): void {
    const wanted = y / this.#box.clientHeight;
    const distance = (line: HTMLElement) => Math.abs(this.#placeOf(line) - wanted);
    const [nearest] = this.#hot.toSorted((a, b) => distance(a) - distance(b));
    if (nearest !== undefined) this.#goTo(nearest);
  }

  #goTo(line: HTMLElement): void {
    for (const other of this.#hot) other.ariaCurrent = null;
    line.ariaCurrent = 'true';
    scrollWithin(this.#box, line);
  }

  /** The place at which a line begins, 0…1 of all that the box scrolls through. */
  #placeOf(line: HTMLElement): number {
    const from = this.#box.getBoundingClientRect().top - this.#box.scrollTop;
    return (line.getBoundingClientRect().top - from) / this.#box.scrollHeight;
  }

  #drawView(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    const scale = scrollHeight === 0 ? 0 : clientHeight / scrollHeight;
    this.#view.setAttribute('y', `${scrollTop * scale}`);
    this.#view.setAttribute('height', `${clientHeight * scale}`);
  }
}

function renderRect(className: string, y: number, height: number): SVGRectElement {
  const rect = document.createElementNS(SVG, 'rect');
  rect.setAttribute('class', className);
  rect.setAttribute('width', `${WIDTH}`);
  rect.setAttribute('y', `${y}`);
  rect.setAttribute('height', `${height}`);
  return rect;
}
