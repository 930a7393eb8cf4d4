import { askLatest } from '../ask.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom.ts';
import { formatCount, formatWeight } from '../format.ts';
import type { Range } from '../state.ts';
import { onColoursChange } from '../theme.ts';
import type { ViewContext } from '../view-context.ts';
import type { TimeLane, TimelineParams, TimelineResult } from '../worker/time-messages.ts';
import { drawLanes } from './lane-picture.ts';
import { readColours } from './marks.ts';
import { renderNoSamples } from './no-samples.ts';
import { clampRange } from './range.ts';
import { sum, unitOf, weightName } from './shown-weight.ts';
import { timeFilterOf, wholeGrid } from './time-filter.ts';

const CELL_PIXELS = 2;
const MAX_LANES = 60;
/** Part of the recording; what is dragged over less of it is a click. */
const LEAST_DRAGGED = 1 / 500;

/** One row per thread, the stronger its colour the more weight; dragging takes a range of time. */
export class Lanes {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #note = element('p', 'quiet-text');
  readonly #none = element('div');
  readonly #labels = element('div', 'lane-labels');
  readonly #canvas = element('canvas');
  readonly #plot = element('div', 'lane-plot', this.#canvas);
  readonly #more = element('p', 'quiet-text');
  readonly #ask: (params: TimelineParams) => boolean;
  #result: TimelineResult | null = null;
  /** Null while nothing is dragged. Its range is null until the pointer moves. */
  #drag: { readonly startNs: number; readonly range: Range | null } | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#canvas.setAttribute('role', 'img');
    this.root = element(
      'section',
      '',
      element('h2', '', 'Threads over time'),
      this.#note,
      this.#none,
      element('div', 'lanes', this.#labels, this.#plot),
      this.#more,
    );
    this.#ask = askLatest(
      context.ask,
      'timeline',
      (result) => {
        this.#result = result;
        this.#describe(result);
        this.#draw();
      },
      (problem) => {
        this.#more.textContent = problem;
      },
    );
    this.#canvas.addEventListener('pointerdown', (event) => this.#beginDrag(event));
    this.#canvas.addEventListener('pointermove', (event) => this.#goOnDragging(event));
    this.#canvas.addEventListener('pointerup', (event) => this.#endDrag(event));
    onColoursChange(window, context.store, () => this.#draw());
    new ResizeObserver(() => {
      this.#request();
      this.#draw();
    }).observe(this.#plot);
  }

  show(): void {
    this.#request();
    if (this.#result !== null) this.#describe(this.#result);
    this.#draw();
  }

  #request(): void {
    const { store, recording } = this.#context;
    const width = this.#plot.clientWidth;
    if (width === 0) return;
    const grid = wholeGrid(recording, Math.max(20, Math.floor(width / CELL_PIXELS)));
    this.#ask({ ...timeFilterOf(store.get()), grid, lanes: MAX_LANES });
  }

  #describe({ lanes, otherThreads, otherSamples }: TimelineResult): void {
    const { store, recording } = this.#context;
    const state = store.get();
    const unit = unitOf(recording, state);
    const texts = lanes.map((lane) => {
      const samples = `${formatCount(lane.total)} samples`;
      const weight = unit === 'samples' ? '' : `${formatWeight(sum(lane.weight), unit)} in `;
      return `${lane.label}: ${weight}${samples}`;
    });
    this.#none.replaceChildren(
      ...(lanes.length > 0 ? [] : [renderNoSamples(this.#context, state)]),
    );
    this.#note.textContent = `The stronger the colour, the more ${weightName(recording, state)}. Drag to take a range.`;
    replaceKeepingFocus(
      this.#labels,
      ...lanes.map((lane, index) => this.#createLabel(lane, texts[index])),
    );
    this.#more.textContent =
      otherThreads === 0
        ? ''
        : `${formatCount(otherThreads)} more threads with ${formatCount(otherSamples)} samples are not drawn.`;
    this.#canvas.setAttribute('aria-label', texts.join('; '));
  }

  #createLabel({ thread, label }: TimeLane, text: string): HTMLElement {
    const { store } = this.#context;
    const button = pushButton('lane-label', label, () =>
      store.change({ thread: store.get().thread === thread ? null : thread }),
    );
    button.dataset.key = String(thread);
    button.title = `${text}. Click to see this thread only.`;
    button.setAttribute('aria-pressed', String(store.get().thread === thread));
    return button;
  }

  #draw(): void {
    if (this.#result === null || this.#plot.clientWidth === 0) return;
    const laneHeight = drawLanes(this.#canvas, {
      result: this.#result,
      range: this.#drag?.range ?? this.#context.store.get().range,
      width: this.#plot.clientWidth,
      colours: readColours(this.root),
    });
    this.#labels.style.setProperty('--lane', `${laneHeight}px`);
  }

  #beginDrag(event: PointerEvent): void {
    this.#drag = { startNs: this.#timeAt(event), range: null };
    this.#canvas.setPointerCapture(event.pointerId);
  }

  #goOnDragging(event: PointerEvent): void {
    if (this.#drag === null) return;
    const { startNs } = this.#drag;
    this.#drag = { startNs, range: this.#rangeTo(startNs, event) };
    this.#draw();
  }

  #endDrag(event: PointerEvent): void {
    if (this.#drag === null) return;
    const { store, recording } = this.#context;
    const range = this.#rangeTo(this.#drag.startNs, event);
    const isClick =
      range === null || range.toNs - range.fromNs < (recording.endNs + 1) * LEAST_DRAGGED;
    this.#drag = null;
    store.change({ range: isClick ? null : range });
    this.#draw();
  }

  #rangeTo(startNs: number, event: PointerEvent): Range | null {
    return clampRange(startNs, this.#timeAt(event), this.#context.recording.endNs);
  }

  #timeAt(event: PointerEvent): number {
    const { left, width } = this.#canvas.getBoundingClientRect();
    return ((event.clientX - left) / width) * (this.#context.recording.endNs + 1);
  }
}
