import type { KeyBinding } from '../dom/keys.ts';
import { type LensSpan, type ViewState, LENS_WHOLE as WHOLE } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { FlameGraph } from './flame-graph.ts';

const MOST_TIMES = 64;
/** Parts of a doubling that a pixel of the wheel zooms, and pixels of one turn that count. */
const PER_PIXEL = 0.005;
const MOST_PIXELS = 60;
/** Times that a key zooms. */
const KEY_TIMES = 1.6;
/** Milliseconds without a further turn, after which the picture is drawn as wide as it is shown. */
const SETTLED_MS = 140;
/** Pixels that the pointer moves before a press is a drag. */
const DRAG_PIXELS = 4;

/** The width of a drawn graph, in widths of its box. */
export function timesOf(lens: LensSpan | null): number {
  return lens === null ? 1 : WHOLE / (lens.to - lens.from);
}

/**
 * The part of a flame graph's width that its box shows, as `ViewState.lens`: the graph is drawn wider than the box, which
 * scrolls. The wheel with Ctrl, and a pinch, zoom at the pointer, a drag moves; without Ctrl the wheel scrolls as
 * ever. While it zooms the compositor stretches the picture that is there.
 */
export class Lens {
  readonly #store: Store;
  readonly #box: HTMLElement;
  readonly #chart: () => FlameGraph | null;
  /** Called when another part is shown: from … to, parts of 1. */
  readonly #onMove: (from: number, to: number) => void;
  #times = 1;
  /** Pixels of the picture that are left of the box, at `#times`. */
  #left = 0;
  #timer = 0;
  /** The zoom of the picture that is placed. */
  #placed: ViewState['zoom'] = [];
  #isStretched = false;

  constructor(
    store: Store,
    box: HTMLElement,
    chart: () => FlameGraph | null,
    onMove: (from: number, to: number) => void,
  ) {
    this.#store = store;
    this.#box = box;
    this.#chart = chart;
    this.#onMove = onMove;
    box.addEventListener('wheel', (event) => this.#followWheel(event), { passive: false });
    box.addEventListener('scroll', () => this.#followScroll(), { passive: true });
    box.addEventListener('pointerdown', (event) => this.#beginDrag(event));
  }

  get keys(): readonly KeyBinding[] {
    return [
      { key: '+', does: 'wider; also Ctrl and the wheel', run: () => this.#zoomBy(KEY_TIMES) },
      { key: '-', does: 'narrower', run: () => this.#zoomBy(1 / KEY_TIMES) },
    ];
  }

  /** Puts the picture that was drawn last to its place in the box. */
  place({ lens, zoom }: ViewState): void {
    const chart = this.#chart();
    if (chart === null || (this.#timer !== 0 && zoom === this.#placed)) return;
    // The picture that was moved is gone.
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#placed = zoom;
    this.#isStretched = false;
    this.#box.classList.remove('is-stretched');
    chart.svg.style.transform = '';
    this.#times = chart.width / this.#box.clientWidth;
    this.#left = lens === null ? 0 : (lens.from / WHOLE) * chart.width;
    if (Math.abs(this.#box.scrollLeft - this.#left) > 1) this.#box.scrollLeft = this.#left;
    this.#show();
  }

  /** Moves the box so that the part around a moment of the width, 0…1, is in its middle. */
  centre(at: number): void {
    const { clientWidth } = this.#box;
    this.#box.scrollLeft = at * clientWidth * this.#times - clientWidth / 2;
  }

  #zoomBy(times: number): void {
    const { left } = this.#box.getBoundingClientRect();
    const cursor = this.#chart()?.cursor ?? null;
    const place = cursor === null ? null : this.#chart()?.placeInWindow(cursor);
    const x = place == null ? this.#box.clientWidth / 2 : place.x - left;
    this.#zoom(times, Math.min(Math.max(0, x), this.#box.clientWidth));
  }

  #followWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const pixels = Math.min(Math.max(event.deltaY, -MOST_PIXELS), MOST_PIXELS);
    this.#zoom(
      Math.exp(-pixels * PER_PIXEL),
      event.clientX - this.#box.getBoundingClientRect().left,
    );
  }

  /** Zooms so that what is at `x` of the box stays there. */
  #zoom(by: number, x: number): void {
    const chart = this.#chart();
    const { clientWidth, scrollLeft } = this.#box;
    if (chart === null || clientWidth === 0) return;
    const times = Math.min(Math.max(1, this.#times * by), MOST_TIMES);
    const left = ((this.#left + x) * times) / this.#times - x;
    this.#times = times;
    this.#left = Math.min(Math.max(0, left), clientWidth * (times - 1));
    if (!this.#isStretched) {
      this.#isStretched = true;
      this.#box.classList.add('is-stretched');
      chart.hideTooltip();
    }
    const stretch = (times * clientWidth) / chart.width;
    chart.svg.style.transform = `translateX(${scrollLeft - this.#left}px) scaleX(${stretch})`;
    this.#show();
    this.#settleSoon();
  }

  #followScroll(): void {
    const { scrollLeft } = this.#box;
    if (this.#isStretched || Math.abs(scrollLeft - this.#left) < 1) return;
    this.#left = scrollLeft;
    this.#show();
    this.#settleSoon();
  }

  #show(): void {
    const width = this.#box.clientWidth * this.#times;
    if (!this.#isStretched) this.#chart()?.alignNames(this.#left);
    this.#onMove(this.#left / width, Math.min(1, (this.#left + this.#box.clientWidth) / width));
  }

  #settleSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      const length = Math.round(WHOLE / this.#times);
      const from = Math.round((this.#left / (this.#box.clientWidth * this.#times)) * WHOLE);
      const span = {
        from: Math.min(from, WHOLE - length),
        to: Math.min(from, WHOLE - length) + length,
      };
      this.#store.change({ lens: length >= WHOLE ? null : span }, 'adjust');
      // Nothing is drawn where nothing changed.
      if (this.#isStretched && this.#times * this.#box.clientWidth === this.#chart()?.width) {
        this.place(this.#store.get());
      }
    }, SETTLED_MS);
  }

  #beginDrag({ button, pointerType, pointerId, clientX, clientY }: PointerEvent): void {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = this.#box;
    const isAllSeen = scrollWidth <= clientWidth && scrollHeight <= clientHeight;
    if (button !== 0 || pointerType === 'touch' || isAllSeen) return;
    let last: readonly [number, number] = [clientX, clientY];
    let isDragged = false;
    const end = new AbortController();
    const { signal } = end;
    const follow = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!isDragged && Math.hypot(x - clientX, y - clientY) < DRAG_PIXELS) return;
      if (!isDragged) this.#box.setPointerCapture(pointerId);
      isDragged = true;
      this.#box.classList.add('is-dragged');
      this.#box.scrollBy(last[0] - x, last[1] - y);
      last = [x, y];
    };
    this.#box.addEventListener('pointermove', follow, { signal });
    for (const type of ['pointerup', 'pointercancel'] as const) {
      this.#box.addEventListener(
        type,
        () => {
          end.abort();
          this.#box.classList.remove('is-dragged');
          if (isDragged) ignoreClick(this.#box);
        },
        { signal },
      );
    }
  }
}

/** The click that ends a drag is none. */
function ignoreClick(box: HTMLElement): void {
  const ignore = (event: Event) => event.stopImmediatePropagation();
  window.addEventListener('click', ignore, { capture: true });
  setTimeout(() => window.removeEventListener('click', ignore, { capture: true }), 0);
  box.focus({ preventScroll: true });
}
