import { unsampledWithin } from '../../../src/profile/sampled-time.ts';
import { askLatest } from '../ask/ask.ts';
import { frameActions } from '../controls/frame-actions.ts';
import { showMenu } from '../controls/frame-menu.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { element, onWidthChange, type PlaceInWindow } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { Tooltip } from '../dom/tooltip.ts';
import { onColoursChange } from '../shell/theme.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import { windowOf } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { clampRange } from '../time/range.ts';
import { describeLanesAt, laneRemark } from '../tracks/lane-words.ts';
import { ShownWindow } from '../tracks/shown-window.ts';
import { changeToSpan, moveBy, zoomAbout } from '../tracks/window-moves.ts';
import type { ChartParams, ChartResult } from '../worker/messages/chart-messages.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import { type BoxDirection, boxAt, boxBeside, depthOfBox, middleOfBox } from './box-search.ts';
import { describeBox, describeChart, nameOfBox, speakBox } from './box-words.ts';
import { ChartBox } from './chart-box.ts';
import { chartKeys, runChartKey } from './chart-keys.ts';
import { type ChartPlace, listenToPointer } from './chart-pointer.ts';
import { chosenThread, threadTitle } from './chosen-thread.ts';
import { ThreadChooser } from './thread-chooser.ts';

/** Pixels beside a box at which it is still meant: some are one pixel wide. */
const REACH = 2;

/** The chart of what one thread did, in the order of time. */
export class TimeChart {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #chooser: ThreadChooser;
  readonly #note = element('p', 'chart-note');
  readonly #none = element('div');
  readonly #box = new ChartBox();
  readonly #readout = element('output', 'chart-readout');
  readonly #tooltip = new Tooltip();
  readonly #ask: (params: ChartParams) => boolean;
  readonly #window: ShownWindow;
  #result: ChartResult | null = null;
  /** The box with the cursor, by what stays when the window changes. */
  #cursor: { readonly depth: number; readonly atNs: number } | null = null;
  /** The views shown before each zoom to a box, the last one last. */
  #before: Pick<ViewState, 'ruler' | 'range'>[] = [];

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#context = context;
    this.#chooser = new ThreadChooser(store);
    this.#readout.ariaLive = 'polite';
    this.root = element(
      'section',
      'flame-chart',
      this.#note,
      this.#none,
      this.#box.root,
      this.#readout,
    );
    this.root.setAttribute('aria-label', 'Flame chart');
    this.#ask = askLatest(
      ask,
      'chart',
      (result) => this.#draw(result),
      (problem) => this.#fail(problem),
    );
    this.#window = new ShownWindow(context, () => this.#follow());
    this.#listen();
    const recolour = () => {
      this.#box.forgetColours();
      this.#redraw();
    };
    onColoursChange(window, store, recolour);
    window.matchMedia('(forced-colors: active)').addEventListener('change', recolour);
    onWidthChange(this.#box.area, () => this.show(store.get()));
    new ResizeObserver(() => this.#redraw()).observe(this.#box.area);
  }

  /** The choice of the thread, for the line above the chart. */
  get chooser(): HTMLElement {
    return this.#chooser.root;
  }

  get keys(): readonly KeyBinding[] {
    return chartKeys;
  }

  show(state: ViewState): void {
    const pixels = this.#box.width;
    if (pixels === 0) return;
    const isNew = this.#ask({
      ...selectionOf(state),
      ...windowOf(this.#context.recording, state),
      thread: chosenThread(state),
      pixels,
    });
    if (isNew) this.#box.setBusy();
    else this.#redraw();
  }

  hide(): void {
    this.#tooltip.hide();
  }

  #draw(answer: ChartResult): void {
    const { store, recording } = this.#context;
    const result = { ...answer, window: this.#window.get() };
    this.#result = result;
    this.#tooltip.hide();
    this.#chooser.show(store, recording, result.thread);
    const isEmpty = result.thread < 0;
    this.#box.root.hidden = isEmpty;
    this.#none.replaceChildren(...(isEmpty ? [renderNoSamples(this.#context, store.get())] : []));
    const { threads } = store.get();
    this.#note.textContent = isEmpty
      ? ''
      : describeChart(result, threads.length, recording.meta.sampled);
    this.#note.title = this.#note.textContent;
    const thread = recording.threads[result.thread];
    this.#box.describe(thread === undefined ? '' : threadTitle(thread), result.lanes);
    this.#redraw();
  }

  #fail(problem: string): void {
    this.#result = null;
    this.#box.root.hidden = true;
    this.#none.replaceChildren(element('p', 'problem', problem));
  }

  #redraw(): void {
    if (this.#result === null || this.#box.width === 0) return;
    const { store, recording } = this.#context;
    this.#box.draw(this.#result, {
      range: store.get().range,
      unsampled: unsampledWithin(recording.meta.sampled, this.#result.window),
      func: store.get().func,
      cursor: this.#cursorBox(),
    });
  }

  #listen(): void {
    const { scroll, lanes } = this.#box;
    scroll.addEventListener('scroll', () => this.#redraw());
    scroll.addEventListener('keydown', (event) => this.#followKey(event));
    lanes.addEventListener('pointermove', (event) => this.#hoverLane(event));
    lanes.addEventListener('pointerleave', () => this.#tooltip.hide());
    listenToPointer(scroll, {
      hover: (place, event) => this.#hover(place, { x: event.clientX, y: event.clientY }),
      leave: () => this.#tooltip.hide(),
      click: (place) => this.#choose(this.#boxAt(place)),
      doubleClick: (place) => this.#zoomToBox(this.#boxAt(place)),
      menu: (place, event) =>
        this.#openMenu(this.#boxAt(place), { x: event.clientX, y: event.clientY }),
      dragOver: (edges) => this.#box.showDragged(edges),
      select: (from, to) => this.#takeRange(this.#timeAt(from), this.#timeAt(to)),
      pan: (moved) => this.#pan(moved),
      zoom: (x, factor) => this.#zoomAt(x, factor),
    });
  }

  #followKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isKnown = runChartKey(event.key, {
      move: (direction) => this.#moveCursor(direction),
      enter: () => this.#zoomToBox(this.#cursorBox()),
      back: () => this.#goBack(),
      menu: () => this.#openMenu(this.#cursorBox(), this.#cursorPlace()),
      choose: () => this.#choose(this.#cursorBox()),
    });
    if (isKnown) event.preventDefault();
  }

  #hover(place: ChartPlace, at: PlaceInWindow): void {
    const box = this.#boxAt(place);
    if (this.#result === null || box < 0) this.#tooltip.hide();
    else this.#tooltip.showAt(nameOfBox(this.#result, box), describeBox(this.#result, box), at);
  }

  #hoverLane({ offsetX, offsetY, clientX, clientY }: PointerEvent): void {
    const lane = this.#result?.lanes[this.#box.laneAt(offsetY)];
    const shown =
      lane === undefined ? [] : describeLanesAt([lane], this.#timeAt(offsetX), this.#nsOf(REACH));
    if (lane === undefined || shown.length === 0) this.#tooltip.hide();
    else {
      const lines = [{ term: '', text: laneRemark(lane) }];
      this.#tooltip.showAt(shown[0], lines, { x: clientX, y: clientY });
    }
  }

  /** Selects a box's function, and puts the cursor there. */
  #choose(box: number): void {
    if (this.#result === null || box < 0) return;
    const { store } = this.#context;
    this.#putCursor(box);
    const { labels, boxes } = this.#result;
    const func = funcOf(labels.key[boxes.label[box]]);
    if (func >= 0) store.change({ func });
  }

  #openMenu(box: number, at: PlaceInWindow): void {
    if (this.#result === null || box < 0) return;
    this.#tooltip.hide();
    const { store } = this.#context;
    const { labels, boxes } = this.#result;
    const label = boxes.label[box];
    showMenu(labels.name[label], frameActions(store, labels, label), at);
  }

  #moveCursor(direction: BoxDirection): void {
    const result = this.#result;
    if (result === null) return;
    const from = this.#cursorBox();
    // The first step puts the cursor on the outermost frame.
    const first = result.boxes.label.length > 0 ? 0 : -1;
    const to = from < 0 ? first : boxBeside(result.boxes, from, direction, result.window);
    if (to >= 0) this.#putCursor(to);
  }

  #putCursor(box: number): void {
    const result = this.#result;
    if (result === null) return;
    const depth = depthOfBox(result.boxes, box);
    const atNs = middleOfBox(result.boxes, box, result.window);
    this.#cursor = { depth, atNs };
    this.#box.scrollToRow(depth);
    const lanes = describeLanesAt(result.lanes, atNs, 0);
    this.#readout.textContent = [speakBox(result, box), ...lanes].join('; ');
    this.#redraw();
  }

  #cursorBox(): number {
    if (this.#result === null || this.#cursor === null) return -1;
    const { depth, atNs } = this.#cursor;
    return boxAt(this.#result.boxes, depth, atNs, this.#nsOf(REACH));
  }

  /** The place in the window below the cursor's box. */
  #cursorPlace(): PlaceInWindow {
    const { left, top } = this.#box.scroll.getBoundingClientRect();
    const { depth = 0, atNs = 0 } = this.#cursor ?? {};
    const from = this.#result?.window.fromNs ?? 0;
    return { x: left + (atNs - from) / this.#nsOf(1), y: top + this.#box.bottomOfRow(depth) };
  }

  #zoomToBox(box: number): void {
    if (this.#result === null || box < 0) return;
    const { fromNs, toNs } = this.#result.boxes;
    this.#zoomTo(fromNs[box], toNs[box]);
  }

  /** Makes the axis span a time, which all views then show. */
  #zoomTo(fromNs: number, toNs: number): void {
    const { store, recording } = this.#context;
    const { ruler, range } = store.get();
    this.#before = [...this.#before, { ruler, range }];
    store.change(changeToSpan({ fromNs, toNs }, recording.endNs));
  }

  #goBack(): void {
    const before = this.#before.at(-1) ?? { ruler: null, range: null };
    this.#before = this.#before.slice(0, -1);
    this.#context.store.change(before);
  }

  #takeRange(from: number, to: number): void {
    const { store, recording } = this.#context;
    store.change({ range: clampRange(from, to, recording.endNs) });
  }

  #pan(moved: number): void {
    if (this.#result === null) return;
    const { endNs } = this.#context.recording;
    this.#window.move(moveBy(this.#window.get(), -moved * this.#nsOf(1), endNs));
  }

  #zoomAt(x: number, factor: number): void {
    if (this.#result === null) return;
    const { endNs } = this.#context.recording;
    this.#window.move(zoomAbout(this.#window.get(), this.#timeAt(x), factor, endNs));
  }

  /** Draws the boxes that are there in the window that is wanted; the worker is asked when it stays. */
  #follow(): void {
    if (this.#result === null) return;
    this.#tooltip.hide();
    this.#result = { ...this.#result, window: this.#window.get() };
    this.#redraw();
  }

  #boxAt({ x, y }: ChartPlace): number {
    if (this.#result === null) return -1;
    const depth = this.#box.rowAt(y);
    return boxAt(this.#result.boxes, depth, this.#timeAt(x), this.#nsOf(REACH));
  }

  #timeAt(x: number): number {
    return (this.#result?.window.fromNs ?? 0) + x * this.#nsOf(1);
  }

  /** Nanoseconds that so many pixels are. */
  #nsOf(pixels: number): number {
    const { fromNs = 0, toNs = 0 } = this.#result?.window ?? {};
    return (pixels * (toNs - fromNs)) / Math.max(1, this.#box.width);
  }
}
