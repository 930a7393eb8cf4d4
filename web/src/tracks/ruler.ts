import { fitCanvas, fontScale } from '../dom/canvas.ts';
import { element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { Range } from '../state/state.ts';
import type { TimeAxis } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { clampRange } from '../time/range.ts';
import { formatSpan } from './format-span.ts';
import { LABEL_GAP, rulerTicks } from './ruler-ticks.ts';
import type { ShownWindow } from './shown-window.ts';
import type { TrackColours } from './track-colours.ts';
import { moveBy, moveToShow, zoomAbout } from './window-moves.ts';

/** Part of what is moved by which a key moves it, and by which Shift and a key extend a range. */
const STEP = 0.1;
const EXTENSION = 1 / 40;

/** The axis above the tracks: a slider whose value is the chosen range. */
export class Ruler {
  readonly root = element('div', 'ruler');
  readonly #context: ViewContext;
  readonly #window: ShownWindow;
  readonly #canvas = element('canvas');

  constructor(context: ViewContext, window: ShownWindow) {
    this.#context = context;
    this.#window = window;
    this.root.append(this.#canvas);
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'slider');
    this.root.setAttribute('aria-label', 'Time');
    this.root.setAttribute('aria-valuemin', '0');
    this.root.addEventListener('keydown', (event) => this.#followKey(event));
  }

  /** Keys that work everywhere in the page. */
  get keys(): readonly KeyBinding[] {
    const { store } = this.#context;
    return [
      { key: ',', does: 'move the range of time back', run: () => this.#move(-STEP) },
      { key: '.', does: 'move the range of time on', run: () => this.#move(STEP) },
      { key: '+', does: 'draw half as much time: zoom the ruler in', run: () => this.#zoom(0.5) },
      { key: '-', does: 'draw twice as much time', run: () => this.#zoom(2) },
      { key: '0', does: 'all of the time', run: () => store.change({ range: null, ruler: null }) },
      {
        key: 'ArrowLeft',
        does: 'ruler, with →: move the range; with Shift: extend it; Enter: zoom to it',
        run: null,
      },
    ];
  }

  /** `until`: what stands over the ruler from there on. */
  draw(axis: TimeAxis, range: Range | null, until: number, colours: TrackColours): void {
    const height = this.root.clientHeight;
    const context = fitCanvas(this.#canvas, axis.width, height);
    if (context === null) return;
    context.fillStyle = colours.text;
    context.font = `${Math.round(11 * fontScale())}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    for (const { x, text } of rulerTicks(
      axis,
      until,
      (label) => context.measureText(label).width,
    )) {
      context.fillRect(Math.round(x), 0, 1, text === '' ? height / 3 : height);
      context.fillText(text, x + LABEL_GAP, height / 2 + 0.5);
    }
    const { fromNs, toNs } = range ?? axis;
    this.root.setAttribute('aria-valuemax', seconds(this.#context.recording.endNs));
    this.root.setAttribute('aria-valuenow', seconds(fromNs));
    const drawn = `${formatSpan(axis)} drawn`;
    this.root.setAttribute(
      'aria-valuetext',
      range === null ? drawn : `${formatSpan({ fromNs, toNs })} chosen, ${drawn}`,
    );
  }

  #followKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.#actionOf(event);
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  #actionOf({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const { store, recording } = this.#context;
    const { range } = store.get();
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (shiftKey ? this.#extend(-EXTENSION) : this.#move(-STEP)),
      ArrowRight: () => (shiftKey ? this.#extend(EXTENSION) : this.#move(STEP)),
      '+': () => this.#zoom(0.5),
      '=': () => this.#zoom(0.5),
      '-': () => this.#zoom(2),
      Home: () => this.#moveNs(-recording.endNs),
      End: () => this.#moveNs(recording.endNs),
    };
    if (range !== null) {
      actions.Enter = () => this.#window.move(range);
      actions.Escape = () => store.change({ range: null });
    } else if (!this.#window.isWhole) {
      actions.Escape = () => store.change({ ruler: null });
    }
    return actions[key];
  }

  /** Moves the range, or what is drawn if none is chosen, by a part of its length. */
  #move(part: number): void {
    const { fromNs, toNs } = this.#context.store.get().range ?? this.#window.get();
    this.#moveNs(part * (toNs - fromNs));
  }

  #moveNs(byNs: number): void {
    const { store, recording } = this.#context;
    const { range } = store.get();
    if (range === null) {
      this.#window.move(moveBy(this.#window.get(), byNs, recording.endNs));
      return;
    }
    const moved = moveBy(range, byNs, recording.endNs);
    this.#choose(moved, byNs < 0 ? moved.fromNs : moved.toNs);
  }

  /** Moves the range's end by a part of what is drawn; without one it begins in the middle. */
  #extend(part: number): void {
    const { fromNs, toNs } = this.#window.get();
    const byNs = part * (toNs - fromNs);
    const middle = (fromNs + toNs) / 2;
    const begun = { fromNs: middle, toNs: middle };
    const range = this.#context.store.get().range ?? begun;
    const end = range === begun ? middle + Math.abs(byNs) : range.toNs + byNs;
    if (end > range.fromNs) this.#choose({ fromNs: range.fromNs, toNs: end }, end);
  }

  #choose({ fromNs, toNs }: Range, shownNs: number): void {
    const { store, recording } = this.#context;
    const window = this.#window.get();
    const next = moveToShow(window, shownNs, recording.endNs);
    if (next !== window) this.#window.move(next);
    store.change({ range: clampRange(fromNs, toNs, recording.endNs) }, 'adjust');
  }

  #zoom(factor: number): void {
    const { store, recording } = this.#context;
    const window = this.#window.get();
    const { fromNs, toNs } = store.get().range ?? window;
    const middle = Math.min(Math.max((fromNs + toNs) / 2, window.fromNs), window.toNs);
    this.#window.move(zoomAbout(window, middle, factor, recording.endNs));
  }
}

const seconds = (ns: number) => (ns / 1e9).toFixed(3);
