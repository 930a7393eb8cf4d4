import { messageOf } from '../../../src/base/errors.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { followGrowth } from './growth-events.ts';

export type FeedOptions = {
  readonly page: Document;
  /** `PageSetup.live`. */
  readonly address: string;
  /** Fetches and opens the latest state. Rejects where the server is gone. */
  readonly open: () => Promise<OpenResult>;
};

/** Gone: perf-ts ended before it said that the recording had, or could not give more of it. */
export type FeedState = 'recording' | 'ended' | 'gone';

/** How often it is looked whether the pointer is released, milliseconds. */
const RELEASE_MS = 100;

/**
 * Feeds a page with the states of a live recording, one at a time: what comes while one is fetched is
 * fetched after it. Waits while the pointer is pressed, so that nothing moves below it, and while the
 * feed is paused.
 */
export class LiveFeed {
  /** Why nothing more comes, as a sentence; empty while more may. */
  problem = '';
  readonly #options: FeedOptions;
  readonly #listeners = new Set<() => void>();
  #show: (recording: OpenResult) => void = () => {};
  #state: FeedState = 'recording';
  #isPaused = false;
  /** There is more than the page shows. */
  #hasMore = false;
  #isFetching = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get state(): FeedState {
    return this.#state;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Calls `act` when any of the above has changed. */
  onChange(act: () => void): void {
    this.#listeners.add(act);
  }

  /** Begins to follow; `show` gets each new state. */
  start(show: (recording: OpenResult) => void): void {
    this.#show = show;
    followGrowth(this.#options.page, this.#options.address, {
      onGrowth: () => {
        this.#hasMore = true;
        this.#report();
        void this.#fetch();
      },
      onEnd: () => this.#end('ended'),
      onGone: () => {
        this.problem = 'perf-ts no longer answers.';
        this.#end('gone');
      },
    });
  }

  togglePause(): void {
    this.#isPaused = !this.#isPaused;
    this.#report();
    void this.#fetch();
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    try {
      while (this.#hasMore && !this.#isPaused && this.#state !== 'gone') {
        this.#hasMore = false;
        const recording = await this.#options.open();
        await released(this.#options.page);
        this.#show(recording);
        this.#report();
      }
    } catch (error) {
      this.#hasMore = true;
      this.problem = messageOf(error);
      this.#end('gone');
    } finally {
      this.#isFetching = false;
    }
  }

  #end(state: 'ended' | 'gone'): void {
    this.#state = state;
    this.#report();
  }

  #report(): void {
    for (const act of [...this.#listeners]) act();
  }
}

/** Resolves when no pointer is pressed. */
async function released(page: Document): Promise<void> {
  while (page.querySelector(':active') !== null) {
    await new Promise((resolve) => setTimeout(resolve, RELEASE_MS));
  }
}
