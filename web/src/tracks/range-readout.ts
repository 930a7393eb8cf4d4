import { isWaitEvent } from '../../../src/profile/wait-event.ts';
import { askLatest } from '../ask/ask.ts';
import { formatNanos, formatWeight } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import { selectionOf } from '../state/selection.ts';
import type { Range, ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { unitOf } from '../time/shown-weight.ts';
import type { SpanParams, SpanResult } from '../worker/messages/track-messages.ts';
import { timeOption } from './clock-time.ts';
import { formatSpan } from './format-span.ts';

/** The readout of what is in the chosen range, or in the part of the recording that is drawn; empty of the whole. */
export class RangeReadout {
  readonly root = element('div', 'range-readout');
  readonly #context: ViewContext;
  readonly #text = element('output', 'range-text');
  readonly #copy = pushButton('range-button', '--time', () => void this.#copyOption());
  readonly #clear: HTMLButtonElement;
  readonly #ask: (params: SpanParams | null) => boolean;
  #shown: Range | null = null;

  constructor(context: ViewContext, onClear: () => void) {
    this.#context = context;
    this.#clear = pushButton('range-button', '×', onClear);
    this.#clear.title = 'All of the time';
    this.#clear.setAttribute('aria-label', 'All of the time');
    this.root.append(this.#text, this.#copy, this.#clear);
    this.root.hidden = true;
    this.#ask = askLatest(
      context.ask,
      'span',
      (result, params) => this.#draw(params, result),
      (problem) => {
        this.#text.textContent = problem;
      },
    );
  }

  /** `range` is what is chosen or being chosen, `window` what is drawn. */
  show(state: ViewState, range: Range | null, window: Range, isWhole: boolean): void {
    const shown = range ?? (isWhole ? null : window);
    this.root.hidden = shown === null;
    this.#shown = shown;
    if (shown === null) {
      this.#ask(null);
      return;
    }
    this.#clear.hidden = range === null && isWhole;
    const { fromNs, toNs } = { fromNs: Math.round(shown.fromNs), toNs: Math.round(shown.toNs) };
    const params = { ...selectionOf(state), fromNs, toNs };
    if (this.#ask(params)) this.#draw(params, null);
    const option = timeOption(shown, this.#context.recording.meta.startTime);
    this.#copy.title = `Copy ${option}: what perf-ts report calls this time`;
    this.#copy.setAttribute('aria-label', `Copy ${option}`);
  }

  /** How wide it is: labels of the ruler stop before it. */
  get width(): number {
    return this.root.hidden ? 0 : this.root.offsetWidth;
  }

  /** Null: the answer is on its way. */
  #draw(span: Range, result: SpanResult | null): void {
    const wall = `${formatSpan(span)} (${formatNanos(span.toNs - span.fromNs)} wall)`;
    this.#text.textContent =
      result === null ? `${wall} …` : `${wall}: ${this.#describeWeight(result)}`;
  }

  #describeWeight({ samples, weight, unit }: SpanResult): string {
    const { store, recording } = this.#context;
    const state = store.get();
    const count = formatWeight(samples, 'samples');
    if (unitOf(recording, state) === 'samples') return count;
    const event = recording.events[state.event];
    const isWait = event !== undefined && isWaitEvent(event);
    const of = unit === 'nanoseconds' ? (isWait ? ' off the CPU' : ' CPU') : ` of ${event?.name}`;
    return `${formatWeight(weight, unit)}${of}, ${count}`;
  }

  async #copyOption(): Promise<void> {
    if (this.#shown === null) return;
    const option = timeOption(this.#shown, this.#context.recording.meta.startTime);
    try {
      await navigator.clipboard.writeText(option);
      this.#copy.textContent = 'copied';
    } catch {
      // A page from a file may not write there: the text can be marked and copied by hand.
      this.#text.textContent = option;
    }
    setTimeout(() => {
      this.#copy.textContent = '--time';
    }, 1500);
  }
}
