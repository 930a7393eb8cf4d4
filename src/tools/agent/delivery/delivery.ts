import { describeError } from '../../../base/system-error.ts';
import { callAfter } from '../../../system/time/long-timer.ts';
import type { EncodedWindow } from '../encode/encoded-window.ts';
import type { Sink, SinkAnswer } from '../sinks/sink.ts';
import { WindowQueue, type WindowQueueOptions } from './window-queue.ts';

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 300_000;
const MOST_ASKED_PAUSE_MS = 3_600_000;
/** A token may be exchanged while it is asked; then it is left to somebody to change the configuration. */
const MOST_SHUT = 5;

/** Counts of the windows of a sink since the start, by what became of them. */
export type DeliveryCounts = {
  windows: number;
  requests: number;
  bytes: number;
  failures: number;
  /** Profiles that the sink refused. */
  refused: number;
  /** Windows that were given up without being sent. */
  dropped: number;
  /** Requests that were under way when an agent ended, and may have arrived. */
  unconfirmed: number;
};

export type DeliveryOptions = Pick<WindowQueueOptions, 'directory' | 'maxBytes'> & {
  readonly notify: (notice: string) => void;
  /** The first pause after a failure; each one after it may be twice as long. Default 1000. */
  readonly firstPauseMs?: number;
};

/** Sends the windows of one sink, one request at a time, and tries again where it has to. */
export class Delivery {
  readonly sink: Sink;
  readonly queue: WindowQueue;
  readonly counts: DeliveryCounts = {
    windows: 0,
    requests: 0,
    bytes: 0,
    failures: 0,
    refused: 0,
    dropped: 0,
    unconfirmed: 0,
  };
  /** The reason why nothing is sent; empty while the sink takes what it gets. */
  trouble = '';
  readonly #notify: (notice: string) => void;
  readonly #firstPauseMs: number;
  #failuresInRow = 0;
  #shutInRow = 0;
  #isShut = false;
  /** The token when the sink was last tried. */
  #tokenStamp = '';
  #isStopping = false;
  #isRunning = false;
  #isNoteRefused = false;
  #done: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  /** The window whose requests this object has sent. */
  #noted = '';

  /** Throws `FailedError` where the spool cannot be used. */
  constructor(sink: Sink, { directory, maxBytes, notify, firstPauseMs }: DeliveryOptions) {
    this.sink = sink;
    this.#firstPauseMs = firstPauseMs ?? FIRST_PAUSE_MS;
    this.#notify = (notice) => notify(`${sink.name}: ${notice}`);
    this.queue = new WindowQueue({
      directory,
      maxBytes,
      notify: this.#notify,
      drop: (reason) => {
        if (this.counts.dropped++ === 0) {
          this.#notify(
            reason === 'full'
              ? 'the spool is full: the oldest windows are given up'
              : 'a window in the spool is damaged and was left out',
          );
        }
      },
    });
    this.#start();
  }

  /** Takes a window of the sink's format. */
  add(window: EncodedWindow): void {
    this.queue.add(window);
    if (this.#isShut && (this.sink.tokenStamp?.() ?? '') !== this.#tokenStamp) this.retry();
    else this.#start();
  }

  /** Something has changed: what waits is tried now. */
  retry(): void {
    this.#isShut = false;
    this.#shutInRow = 0;
    this.#failuresInRow = 0;
    this.#wake();
    this.#start();
  }

  /** Sends what waits, without waiting for a sink that does not take it; not longer than `ms`. */
  async stop(ms: number): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    const timer = new Promise<void>((resolve) => {
      callAfter(ms, resolve, { unref: true });
    });
    await Promise.race([this.#done, timer]);
    // The disk may have room again.
    this.queue.store();
    const { inMemory } = this.queue;
    if (inMemory > 0) this.#notify(`${inMemory} windows that only were in memory are lost`);
    this.counts.dropped += inMemory;
  }

  #start(): void {
    if (this.#isRunning || this.#isShut || this.queue.length === 0) return;
    this.#isRunning = true;
    this.#done = this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      const first = this.queue.oldest();
      if (first === null) return;
      // Before it is read: one that changes meanwhile is tried.
      const stamp = this.sink.tokenStamp?.() ?? '';
      const answer = await this.#sendWindow(first.window, first.next);
      if (answer.kind === 'taken') {
        if (this.trouble !== '') this.#notify('takes windows again');
        this.trouble = '';
        this.#failuresInRow = 0;
        this.#shutInRow = 0;
        continue;
      }
      this.counts.failures++;
      if (this.trouble === '') this.#notify(`${answer.why}; windows wait`);
      this.trouble = answer.why;
      if (answer.kind === 'shut' && ++this.#shutInRow >= MOST_SHUT) {
        this.#isShut = true;
        this.#tokenStamp = stamp;
        this.#notify(`${answer.why}; not tried again until the configuration or the token changes`);
        return;
      }
      if (this.#isStopping) return;
      await this.#pause(answer.kind === 'later' ? answer.afterMs : null);
      if (this.#isStopping) return;
    }
  }

  /** Sends from the request `next` on. `taken` also where some were refused: they are not tried again. */
  async #sendWindow(window: EncodedWindow, next: number): Promise<SinkAnswer> {
    const { sink, queue, counts } = this;
    const requests = sink.requestsOf(window);
    // What is noted here has not come back: the agent ended meanwhile.
    if (next > 0 && this.#noted !== window.id) counts.unconfirmed++;
    this.#noted = window.id;
    for (let row = next; row < requests.length; row++) {
      const profiles = requests[row];
      const answer = await this.#sendOne(window, row);
      if (answer.kind === 'later' || answer.kind === 'shut') {
        this.#note(window.id, row);
        return answer;
      }
      counts.requests++;
      if (answer.kind === 'refused') {
        if (counts.refused === 0) this.#notify(`refused a profile: ${answer.why}`);
        counts.refused += profiles.length;
        counts.failures++;
      } else {
        for (const { bytes } of profiles) counts.bytes += bytes.length;
      }
    }
    queue.remove(window.id);
    counts.windows++;
    return { kind: 'taken' };
  }

  async #sendOne(window: EncodedWindow, row: number): Promise<SinkAnswer> {
    const { sink } = this;
    try {
      if (!sink.isRepeatable) this.#note(window.id, row + 1);
      return await sink.send(sink.requestsOf(window)[row], window);
    } catch (error) {
      return { kind: 'later', why: describeError(error), afterMs: null };
    }
  }

  #note(id: string, next: number): void {
    if (this.sink.isRepeatable) return;
    try {
      this.queue.note(id, next);
      this.#isNoteRefused = false;
    } catch (error) {
      // A full disk: a window that is sent twice after a kill is better than none.
      if (!this.#isNoteRefused) {
        this.#notify(
          `a request may go out twice where the agent is killed now: ${describeError(error)}`,
        );
      }
      this.#isNoteRefused = true;
    }
  }

  /** Longer from failure to failure, and of a random length, so that machines do not come back in step. */
  #pause(askedMs: number | null): Promise<void> {
    const doubled = this.#firstPauseMs * 2 ** Math.min(20, this.#failuresInRow++);
    const most = Math.min(MOST_PAUSE_MS, doubled);
    const ownMs = most * (0.5 + Math.random() / 2);
    const ms = askedMs === null ? ownMs : Math.max(ownMs, Math.min(askedMs, MOST_ASKED_PAUSE_MS));
    return new Promise((resolve) => {
      const timer = callAfter(ms, resolve, { unref: true });
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
