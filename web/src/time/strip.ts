import { askLatest } from '../ask.ts';
import { element, emptyState, onWidthChange, pushButton } from '../dom.ts';
import { formatCount, formatShare, formatShortWeight, formatWeight } from '../format.ts';
import type { ViewState } from '../state.ts';
import type { Store } from '../store.ts';
import { onColoursChange } from '../theme.ts';
import type { ViewContext } from '../view-context.ts';
import type { OpenResult } from '../worker/messages.ts';
import type { TimelineParams, TimelineResult } from '../worker/time-messages.ts';
import { mark, readColours } from './marks.ts';
import { clampRange, formatRange } from './range.ts';
import { sum, unitOf, weightName } from './shown-weight.ts';
import { AXIS_WIDTH, StripPlot, stripHeight } from './strip-plot.ts';
import { timeFilterOf, wholeGrid } from './time-filter.ts';
import { timeProblem } from './time-problem.ts';

const CELL_PIXELS = 3;

/**
 * The whole recording over time, above every view: the chosen weight, and stacked on it what was
 * lost. Dragging takes the range that all views show.
 */
export class Strip {
  readonly root = element('section', 'strip');
  readonly #store: Store;
  readonly #recording: OpenResult;
  readonly #box = element('div', 'strip-plot');
  readonly #readout = element('output', 'strip-readout');
  readonly #clear = pushButton('', 'All of the time', () => this.#store.change({ range: null }));
  readonly #ask: (params: TimelineParams) => boolean;
  #result: TimelineResult | null = null;
  #plot: StripPlot | null = null;

  constructor({ store, ask, recording }: ViewContext) {
    this.#store = store;
    this.#recording = recording;
    this.root.setAttribute('aria-label', 'Weight over time');
    this.#ask = askLatest(
      ask,
      'timeline',
      (result) => {
        this.#result = result;
        whenIdle(() => this.#draw());
      },
      (problem) => {
        this.#readout.textContent = problem;
      },
    );
    const problem = timeProblem(recording);
    if (problem === null) this.#assemble();
    else this.root.append(emptyState(problem));
  }

  #assemble(): void {
    // The views below it are as high as the window leaves room, so it must not grow later.
    this.#box.style.minHeight = `${stripHeight()}px`;
    this.#box.setAttribute('role', 'img');
    this.root.append(this.#box, element('div', 'strip-foot', this.#readout, this.#clear));
    this.#store.subscribe((state) => this.#show(state));
    onColoursChange(window, this.#store, () => this.#draw());
    onWidthChange(this.#box, () => {
      this.#request();
      this.#draw();
    });
  }

  #show(state: ViewState): void {
    // The open view asks first: it is what the person waits for.
    setTimeout(() => this.#request(), 0);
    this.#plot?.showRange(state.range);
    this.#describe(state);
  }

  #request(): void {
    const width = this.#box.clientWidth;
    if (width === 0) return;
    const length = Math.max(20, Math.floor((width - AXIS_WIDTH) / CELL_PIXELS));
    const grid = wholeGrid(this.#recording, length);
    this.#ask({ ...timeFilterOf(this.#store.get()), grid, lanes: 0 });
  }

  #draw(): void {
    if (this.#result === null || this.#box.clientWidth === 0) return;
    const state = this.#store.get();
    const unit = unitOf(this.#recording, state);
    this.#plot?.destroy();
    this.#plot = new StripPlot(this.#box, {
      result: this.#result,
      range: state.range,
      colours: readColours(this.root),
      formatValue: (value) => formatShortWeight(value, unit),
      onSelect: (fromNs, toNs) =>
        this.#store.change({ range: clampRange(fromNs, toNs, this.#recording.endNs) }),
    });
    this.#describe(state);
  }

  #describe(state: ViewState): void {
    const { range } = state;
    this.#clear.hidden = range === null;
    if (this.#result === null) return;
    const marks = renderMarks(this.#result, this.#recording, state);
    if (range !== null) marks.unshift(element('span', '', `Shown: ${formatRange(range)}, of`));
    this.#readout.replaceChildren(...marks);
    this.#box.setAttribute('aria-label', `${weightName(this.#recording, state)} over time`);
  }
}

/** Once the answer to a click is on the screen, but half a second later at most. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: 500 });
  else setTimeout(act, 0);
}

/** In words what the picture shows, each beside its colour: the legend, too. */
function renderMarks(
  result: TimelineResult,
  recording: OpenResult,
  state: ViewState,
): HTMLElement[] {
  const { samples, weight, ramp, lost, throttled } = result.all;
  const all = sum(samples);
  const unit = unitOf(recording, state);
  const total = unit === 'samples' ? '' : `${formatWeight(sum(weight), unit)} in `;
  const marks = [mark('samples', `${total}${formatCount(all)} samples`)];
  if (sum(ramp) > 0) marks.push(mark('ramp', `${formatShare(sum(ramp) / all)} of them in ramps`));
  const lostHere = Math.round(sum(lost));
  if (lostHere > 0) marks.push(mark('lost', `${formatCount(lostHere)} lost`));
  if (result.lostSometime > 0) {
    const text = `${formatCount(result.lostSometime)} lost, nobody knows when`;
    marks.push(element('span', 'legend-entry', text));
  }
  if (sum(throttled) > 0) marks.push(mark('throttled', 'paused by the kernel at times'));
  return marks;
}
