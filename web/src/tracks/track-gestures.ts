import type { Range } from '../state/state.ts';
import { TimeAxis } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { clampRange } from '../time/range.ts';
import type { ShownWindow } from './shown-window.ts';
import { moveBy, zoomAbout } from './window-moves.ts';

/** Pixels; what is dragged over fewer is a click. */
const LEAST_DRAGGED = 3;
/** A notch of a wheel, 100 pixels in most browsers, zooms by about a fifth. */
const ZOOM_PER_PIXEL = 0.002;
/** Pixels of a line, for wheels that count lines. */
const LINE = 16;

/** The drag under way since the pointer was pressed. */
type Drag =
  /** Selection from a fixed moment to the pointer: a new range, or one whose edge is moved. */
  | { readonly does: 'select'; readonly fixedNs: number; readonly startX: number; moved: boolean }
  | { readonly does: 'pan'; readonly startX: number; readonly from: Range };

/** The gestures of the pointer on the tracks, the ruler and plots over time: it selects, zooms and pans. */
export class TrackGestures {
  readonly #context: ViewContext;
  readonly #window: ShownWindow;
  readonly #plot: HTMLElement;
  readonly #onDrag: () => void;
  #drag: Drag | null = null;
  /** The range as it is dragged; the store gets it when the pointer is let go. */
  #dragged: Range | null = null;

  /** `plot` is as wide as the axis; `onDrag` is called when the range being dragged has changed. */
  constructor(context: ViewContext, window: ShownWindow, plot: HTMLElement, onDrag: () => void) {
    this.#context = context;
    this.#window = window;
    this.#plot = plot;
    this.#onDrag = onDrag;
  }

  /** The range as it is drawn. */
  get range(): Range | null {
    return this.#drag?.does === 'select' ? this.#dragged : this.#context.store.get().range;
  }

  /**
   * Listens to `area`. The wheel zooms a `plot`, which may fill a page that scrolls, with Ctrl
   * only, as a page is zoomed.
   */
  listen(area: HTMLElement, kind: 'tracks' | 'ruler' | 'plot'): void {
    const isRuler = kind === 'ruler';
    area.addEventListener('pointerdown', (event) => this.#press(event, area, isRuler));
    area.addEventListener('pointermove', (event) => this.#follow(event));
    area.addEventListener('pointerup', (event) => this.#release(event));
    area.addEventListener('pointercancel', () => this.#stop());
    const turn = (event: WheelEvent) => {
      const isMeant = event.ctrlKey || event.metaKey || event.shiftKey;
      if (kind !== 'plot' || isMeant) this.#turn(event);
    };
    area.addEventListener('wheel', turn, { passive: false });
    area.addEventListener('dblclick', () =>
      this.#context.store.change({ ruler: null, range: null }),
    );
  }

  /** Lets `handle` move one edge of the range, the other stays. */
  listenToHandle(handle: HTMLElement, edge: 'fromNs' | 'toNs'): void {
    const fixed = edge === 'fromNs' ? 'toNs' : 'fromNs';
    handle.addEventListener('pointerdown', (event) => {
      const { range } = this.#context.store.get();
      if (range === null || event.button !== 0) return;
      this.#drag = { does: 'select', fixedNs: range[fixed], startX: event.clientX, moved: true };
      this.#dragged = range;
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    handle.addEventListener('pointermove', (event) => this.#follow(event));
    handle.addEventListener('pointerup', (event) => this.#release(event));
    handle.addEventListener('pointercancel', () => this.#stop());
    handle.addEventListener('wheel', (event) => this.#turn(event), { passive: false });
  }

  #press(event: PointerEvent, area: HTMLElement, isRuler: boolean): void {
    const { button, clientX } = event;
    if (button !== 0 && button !== 1) return;
    const isPan = button === 1 || event.shiftKey || (isRuler && !this.#window.isWhole);
    this.#drag = isPan
      ? { does: 'pan', startX: clientX, from: this.#window.get() }
      : { does: 'select', fixedNs: this.#axis().nsAt(clientX), startX: clientX, moved: false };
    this.#dragged = this.#context.store.get().range;
    area.setPointerCapture(event.pointerId);
    if (button === 1) event.preventDefault();
  }

  #follow({ clientX }: PointerEvent): void {
    const drag = this.#drag;
    if (drag === null) return;
    const { recording } = this.#context;
    if (drag.does === 'pan') {
      const byNs = (drag.startX - clientX) * this.#axis().nsPerPixel;
      this.#window.move(moveBy(drag.from, byNs, recording.endNs));
      return;
    }
    if (Math.abs(clientX - drag.startX) >= LEAST_DRAGGED) drag.moved = true;
    if (!drag.moved) return;
    this.#dragged = clampRange(drag.fixedNs, this.#timeAt(clientX), recording.endNs);
    this.#onDrag();
  }

  #release(event: PointerEvent): void {
    this.#follow(event);
    const drag = this.#drag;
    const dragged = this.#dragged;
    this.#stop();
    // A click that drags nothing takes the range back.
    if (drag?.does === 'select') this.#context.store.change({ range: drag.moved ? dragged : null });
  }

  #stop(): void {
    this.#drag = null;
    this.#onDrag();
  }

  #turn(event: WheelEvent): void {
    const { deltaX, deltaY, deltaMode, shiftKey, clientX } = event;
    event.preventDefault();
    const { endNs } = this.#context.recording;
    const pixels = (delta: number) => (deltaMode === 0 ? delta : delta * LINE);
    const sideways = Math.abs(deltaX) > Math.abs(deltaY);
    const window = this.#window.get();
    if (shiftKey || sideways) {
      const byPixels = pixels(sideways ? deltaX : deltaY);
      this.#window.move(moveBy(window, byPixels * this.#axis().nsPerPixel, endNs));
      return;
    }
    const factor = Math.exp(Math.max(-1, Math.min(1, pixels(deltaY) * ZOOM_PER_PIXEL)));
    this.#window.move(zoomAbout(window, this.#timeAt(clientX), factor, endNs));
  }

  /** The moment under the pointer, the nearest one that is drawn if it is beside the plot. */
  #timeAt(clientX: number): number {
    const { fromNs, toNs } = this.#window.get();
    return Math.min(toNs, Math.max(fromNs, this.#axis().nsAt(clientX)));
  }

  /** The axis in the coordinates of pointer events. */
  #axis(): TimeAxis {
    const { left } = this.#plot.getBoundingClientRect();
    return new TimeAxis(left, this.#plot.clientWidth, this.#window.get());
  }
}
