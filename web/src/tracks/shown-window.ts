import type { Range } from '../state/state.ts';
import { windowOf } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { rulerOf } from './window-moves.ts';

/** Milliseconds without a further step after which a zoom is done. */
const QUIET_MS = 120;

/**
 * The time that is drawn. While a person zooms it is ahead of the store's: browsers allow few changes of
 * the address a second, and the other views need not draw each step.
 */
export class ShownWindow {
  readonly #context: ViewContext;
  readonly #onMove: () => void;
  #ahead: Range | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ViewContext, onMove: () => void) {
    this.#context = context;
    this.#onMove = onMove;
  }

  get(): Range {
    const { recording, store } = this.#context;
    return this.#ahead ?? windowOf(recording, store.get());
  }

  get isWhole(): boolean {
    return rulerOf(this.get(), this.#context.recording.endNs) === null;
  }

  /** Moves now; the store follows when it is quiet. */
  move(window: Range): void {
    this.#ahead = window;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), QUIET_MS);
    this.#onMove();
  }

  #settle(): void {
    const { recording, store } = this.#context;
    const window = this.get();
    this.#ahead = null;
    store.change({ ruler: rulerOf(window, recording.endNs) }, 'adjust');
    this.#onMove();
  }
}
