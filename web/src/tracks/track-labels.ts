import { formatCount } from '../ask/format.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Track, TracksResult } from '../worker/messages/track-messages.ts';
import { describeTrack, shortNames, type TrackScale } from './track-names.ts';

/**
 * The names of the tracks, one below the other. They are one stop of the Tab key, arrow keys go from
 * one to another. Pressed, a name shows its thread only; with Ctrl or Shift it adds its thread to
 * those shown or takes it away. That of the other threads opens or closes the list of all.
 */
export class TrackLabels {
  readonly root = element('div', 'track-labels');
  readonly #context: ViewContext;
  #names: ReturnType<typeof shortNames>;
  readonly #onExpand: () => void;
  #isExpanded = false;

  constructor(context: ViewContext, onExpand: () => void) {
    this.#context = context;
    this.#names = shortNames(context.recording.threads);
    this.#onExpand = onExpand;
    context.onReplaced(() => {
      this.#names = shortNames(context.recording.threads);
    });
    this.root.setAttribute('role', 'toolbar');
    this.root.setAttribute('aria-orientation', 'vertical');
    this.root.setAttribute('aria-label', 'Threads');
    this.root.addEventListener('keydown', (event) => this.#followKey(event));
    this.root.addEventListener('focusin', (event) => this.#stopAt(event.target as HTMLElement));
  }

  draw(result: TracksResult, scale: TrackScale, isExpanded: boolean): void {
    this.#isExpanded = isExpanded;
    const focused = this.#buttons().find((button) => button === document.activeElement);
    const key = focused?.dataset.key;
    const labels = result.tracks.map((track) =>
      this.#createLabel(track, result, scale, isExpanded),
    );
    replaceKeepingFocus(this.root, ...labels);
    const stop = labels.find((label) => label.dataset.key === key) ?? labels[0];
    if (stop !== undefined) this.#stopAt(stop);
    this.mark(this.#context.store.get());
  }

  /** Marks the threads that are chosen. */
  mark({ threads }: ViewState): void {
    for (const button of this.#buttons()) {
      if (button.dataset.key === MERGED) continue;
      const isChosen = threads.includes(Number(button.dataset.key));
      button.setAttribute('aria-pressed', String(isChosen));
    }
  }

  #createLabel(
    track: Track,
    result: TracksResult,
    scale: TrackScale,
    isExpanded: boolean,
  ): HTMLElement {
    const label = pushButton('track-label', '', () => {});
    const text = describeTrack(track, result, scale, this.#context.recording);
    const figure = element('span', 'track-figure', ` · ${scale.figureOf(track)}`);
    const { name, which } = this.#nameOf(track);
    label.append(
      element('span', 'track-name', name),
      element('span', 'track-figure', which),
      figure,
    );
    if (track.kind === 'merged') {
      label.append(element('span', 'track-more', isExpanded ? ' ▾' : ' ▸'));
      label.dataset.key = MERGED;
      label.setAttribute('aria-expanded', String(isExpanded));
      label.addEventListener('click', this.#onExpand);
      label.title = `${text}. Click to ${isExpanded ? 'close' : 'open'} the list of all threads.`;
    } else {
      label.dataset.key = String(track.thread);
      label.addEventListener('click', ({ ctrlKey, metaKey, shiftKey }) =>
        this.#choose(track.thread, ctrlKey || metaKey || shiftKey),
      );
      label.title = `${text}. Click to show this thread only; Ctrl or Shift adds it.`;
    }
    // What is read begins with what is seen: those who speak to the page say that.
    label.setAttribute('aria-label', `${name}${which} · ${scale.figureOf(track)}: ${text}`);
    return label;
  }

  #nameOf({ kind, thread, threads }: Track): { name: string; which: string } {
    if (kind === 'idle') return { name: 'idle', which: '' };
    if (kind === 'merged') return { name: `${formatCount(threads)} more`, which: '' };
    return this.#names[thread] ?? { name: '[unknown]', which: '' };
  }

  #choose(thread: number, isAdding: boolean): void {
    if (thread < 0) return;
    const { threads } = this.#context.store.get();
    const isChosen = threads.includes(thread);
    const others = isAdding ? threads.filter((other) => other !== thread) : [];
    const isBack = isChosen && (isAdding || threads.length === 1);
    const next = isBack ? others : [...others, thread].sort((a, b) => a - b);
    this.#context.store.change({ threads: next, zoom: [] });
  }

  #followKey(event: KeyboardEvent): void {
    const buttons = this.#buttons();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) buttons[to]?.focus();
    else if (event.key === 'Enter' && (event.ctrlKey || event.shiftKey)) {
      // The click that a key makes says nothing of Ctrl and Shift.
      const thread = Number(buttons[at]?.dataset.key);
      if (!Number.isNaN(thread)) this.#choose(thread, true);
    } else if (event.key === 'Escape' && this.#canShowAll()) {
      this.#context.store.change({ threads: [], zoom: [] });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The list of all threads is closed first. */
  #canShowAll(): boolean {
    return !this.#isExpanded && this.#context.store.get().threads.length > 0;
  }

  #stopAt(stop: HTMLElement): void {
    const buttons = this.#buttons();
    if (!buttons.includes(stop as HTMLButtonElement)) return;
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.root.querySelectorAll('button')];
  }
}

/** The key of the label of several threads. */
const MERGED = 'merged';
