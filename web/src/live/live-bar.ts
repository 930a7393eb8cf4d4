import { element, pushButton, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { LiveFeed } from './live-feed.ts';
import { slide } from './sliding-window.ts';
import './live.css';

/** The controls of a live page: pause, how much of the end is shown, and in words what goes on. */
export class LiveBar {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #feed: LiveFeed;
  readonly #pause = pushButton('', '', () => this.#feed.togglePause());
  readonly #windows = element('div');
  readonly #status = element('span', 'live-status');

  constructor(context: ViewContext, feed: LiveFeed) {
    this.#context = context;
    this.#feed = feed;
    this.#status.setAttribute('role', 'status');
    this.root = element('div', 'live', this.#pause, this.#windows, this.#status);
    feed.onChange(() => this.#draw());
    context.store.subscribe((state) => this.#follow(state));
    this.#windows.append(this.#renderWindows());
    this.#follow(context.store.get());
  }

  get keys(): readonly KeyBinding[] {
    return [{ key: 'l', does: 'live: pause or continue', run: () => this.#feed.togglePause() }];
  }

  #renderWindows(): HTMLElement {
    const { store } = this.#context;
    return switcher(
      'Time shown while recording',
      [
        { value: '10s', label: '10 s', hint: 'The last 10 seconds' },
        { value: '60s', label: '60 s', hint: 'The last 60 seconds' },
        { value: 'all', label: 'all', hint: 'All since the recording began' },
      ],
      store.get().window,
      (window) => this.#choose(window),
    );
  }

  #choose(window: ViewState['window']): void {
    const { store, recording } = this.#context;
    const chosen = { ...store.get(), window, range: null };
    store.change({ window, range: slide(chosen, recording.endNs) });
  }

  /** The back button leads to a window at the time when it was left. */
  #follow(state: ViewState): void {
    this.#draw();
    const { store, recording } = this.#context;
    const range = slide(state, recording.endNs);
    if (range?.toNs === state.range?.toNs) return;
    queueMicrotask(() => store.change({ window: state.window, range }, 'adjust'));
  }

  #draw(): void {
    const { state, isPaused, hasMore } = this.#feed;
    const { window, range } = this.#context.store.get();
    const isByHand = window === 'all' && range !== null;
    for (const button of this.#windows.querySelectorAll('button')) {
      const isPressed = button.dataset.value === window && !isByHand;
      button.setAttribute('aria-pressed', String(isPressed));
    }
    this.root.dataset.state = isPaused && state === 'recording' ? 'paused' : state;
    this.#pause.textContent = isPaused ? 'Continue' : 'Pause';
    this.#pause.disabled = state === 'gone' || (state === 'ended' && !hasMore);
    this.#status.textContent = describe(this.#feed, this.#context.store.get());
    this.#status.title = this.#status.textContent;
  }
}

function describe(
  { state, problem, isPaused, hasMore }: LiveFeed,
  { window, range }: ViewState,
): string {
  const more = isPaused && hasMore ? ' The page is paused, and there is more.' : '';
  if (state === 'ended') return `The recording has ended.${more}`;
  if (state === 'gone') return `${problem} This page keeps what it shows.`;
  if (isPaused) return hasMore ? 'Paused, and there is more.' : 'Paused.';
  if (window !== 'all') return `Recording; the last ${window.replace('s', ' s')} are shown.`;
  return range === null ? 'Recording.' : 'Recording; the range that was taken stands still.';
}
