import { describeError } from '../../../base/system-error.ts';
import { callAfter } from '../../../system/time/long-timer.ts';
import type { EncodedProfile, EncodedWindow } from '../encode/encoded-window.ts';
import type { Sink, SinkAnswer } from '../sinks/sink.ts';
import { type QueuedWindow, WindowQueue, type WindowQueueOptions } from './window-queue.ts';

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 300_000;
const MOST_ASKED_PAUSE_MS = 3_600_000;
/** So many windows wait where a sink is slower than they come: then so many requests are under way at one time. */
const MANY_WINDOWS = 4;
const AT_ONE_TIME = 4;
/** A window that fails so often is taken apart; where nothing of it is taken, it waits behind the others. */
const MOST_FAILURES = 8;
const MOST_KNOWN_SERVICES = 100;

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

/** Sends the windows of one sink, one after the other, and tries again for as long as it has to. */
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
  /** Failures of windows that the sink can't work on, and the requests that it had taken at the last one. */
  readonly #failing = new Map<string, { readonly failures: number; readonly taken: number }>();
  /** Services whose profiles the sink could not work on while it took others. */
  readonly #refusedServices = new Set<string>();
  /** The token when the sink was last tried. */
  #tokenStamp = '';
  #isStopping = false;
  #isRunning = false;
  /** True once windows that were not sent are reported as lost: none of them goes out any more. */
  #isOver = false;
  #isNoteRefused = false;
  #done: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  /** The windows of which this object has sent requests. */
  readonly #noted = new Set<string>();

  /** Throws `FailedError` where the spool cannot be used. */
  constructor(sink: Sink, { directory, maxBytes, notify, firstPauseMs }: DeliveryOptions) {
    this.sink = sink;
    this.#firstPauseMs = firstPauseMs ?? FIRST_PAUSE_MS;
    this.#notify = (notice) => notify(`${sink.name}: ${notice}`);
    this.queue = new WindowQueue({
      directory,
      format: sink.format,
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
    // The file of the token is looked at only while the sink is in trouble.
    const isNewToken = () => (this.sink.tokenStamp?.() ?? '') !== this.#tokenStamp;
    if (this.trouble !== '' && isNewToken()) this.retry();
    else this.#start();
  }

  /** Something has changed: what waits is tried now. */
  retry(): void {
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
    this.#isOver = true;
    // The disk may have room again.
    this.queue.store();
    const { inMemory } = this.queue;
    const underWay = this.#isRunning ? ', but for a request that is under way' : '';
    if (inMemory > 0) {
      this.#notify(`${inMemory} windows that only were in memory are lost${underWay}`);
    }
    this.counts.dropped += inMemory;
  }

  #start(): void {
    if (this.#isRunning || this.queue.length === 0) return;
    this.#isRunning = true;
    this.#done = this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      const first = this.queue.oldest();
      if (first === null || this.#isOver) return;
      // Before it is read: one that changes meanwhile is tried.
      this.#tokenStamp = this.sink.tokenStamp?.() ?? '';
      const takenBefore = this.counts.requests;
      const answer = await this.#sendWindow(first);
      if (this.#isOver) return;
      if (answer.kind === 'taken') {
        if (this.trouble !== '') this.#notify('takes windows again');
        this.trouble = '';
        this.#failuresInRow = 0;
        continue;
      }
      if (this.trouble === '') this.#notify(`${answer.why}; windows wait`);
      this.trouble = answer.why;
      if (this.#isStopping) return;
      const isTaking = this.counts.requests > takenBefore;
      if (isOfRequest(answer) && this.#defer(first.window.id, isTaking)) continue;
      await this.#pause(answer.kind === 'later' ? answer.afterMs : null);
      if (this.#isStopping) return;
    }
  }

  /** Lets the window behind it have its turn, where this one has failed too often, or while the sink takes others. */
  #defer(id: string, isTaking: boolean): boolean {
    const failures = (this.#failing.get(id)?.failures ?? 0) + 1;
    this.#failing.set(id, { failures, taken: this.counts.requests });
    return (isTaking || failures % MOST_FAILURES === 0) && this.queue.defer(id);
  }

  /** It is the time to take the window apart: it has failed so often, or the sink takes others meanwhile. */
  #isSuspect(id: string): boolean {
    const { failures, taken } = this.#failing.get(id) ?? { failures: 0, taken: 0 };
    if ((failures + 1) % MOST_FAILURES === 0) return true;
    return failures >= MOST_FAILURES && this.counts.requests > taken;
  }

  /** Sends the requests that are `open`. `taken` also where some were refused: they are not tried again. */
  async #sendWindow({ window, open }: QueuedWindow): Promise<Sent> {
    const { sink, queue, counts } = this;
    const requests = sink.requestsOf(window);
    const all = [...(open ?? requests.keys())];
    // What is noted here has not come back: the agent ended meanwhile.
    if (all.length < requests.length && !this.#noted.has(window.id)) counts.unconfirmed++;
    this.#noted.add(window.id);
    const isBehind = !sink.isRepeatable && queue.length >= MANY_WINDOWS;
    const atOnce = isBehind ? AT_ONE_TIME : 1;
    const isSuspect = this.#isSuspect(window.id);
    const takenBefore = this.#failing.get(window.id)?.taken ?? counts.requests;
    // The reason why these failed is in themselves, if the sink takes others.
    const suspects: number[] = [];
    let reason: Failure | null = null;
    for (let at = 0; at < all.length; at += atOnce) {
      if (this.#isOver) return ENDED;
      const rows = all.slice(at, at + atOnce);
      const behind = all.slice(at + atOnce);
      this.#note(window.id, [...suspects, ...behind]);
      const answers = await Promise.all(rows.map((row) => this.#sendOne(requests[row], window)));
      const failures = answers.filter(isFailure);
      const [answer] = failures;
      if (answer === undefined) continue;
      counts.failures += failures.length;
      const isOfRequests = failures.every(isOfRequest);
      const failed: number[] = [];
      for (const row of rows.filter((_, i) => isFailure(answers[i]))) {
        const isApart = isOfRequests && (await this.#takeApart(requests[row], window, isSuspect));
        if (!isApart) failed.push(row);
      }
      if (isOfRequests && failed.every((row) => isSuspect || this.#isKnown(requests[row]))) {
        suspects.push(...failed);
        reason = answer;
        continue;
      }
      this.#note(window.id, [...suspects, ...failed, ...behind]);
      return answer;
    }
    if (reason !== null && suspects.length > 0) {
      if (counts.requests === takenBefore) {
        this.#note(window.id, suspects);
        return reason;
      }
      for (const row of suspects) this.#refuse(requests[row], reason.why);
    }
    queue.remove(window.id);
    this.#failing.delete(window.id);
    this.#noted.delete(window.id);
    counts.windows++;
    return { kind: 'taken' };
  }

  #isKnown(profiles: readonly EncodedProfile[]): boolean {
    return profiles.every(({ service }) => this.#refusedServices.has(service?.name ?? ''));
  }

  /**
   * Sends the profiles of a request each by itself, or all but those of services that are known, and those alone.
   * True where some were taken: the others are lost. Otherwise none was.
   */
  async #takeApart(
    profiles: readonly EncodedProfile[],
    window: EncodedWindow,
    isSuspect: boolean,
  ): Promise<boolean> {
    const alone = isSuspect ? profiles : profiles.filter((profile) => this.#isKnown([profile]));
    if (profiles.length === 1 || alone.length === 0) return false;
    const others = profiles.filter((profile) => !alone.includes(profile));
    if (others.length > 0 && isFailure(await this.#sendOne(others, window))) return false;
    const failed: EncodedProfile[] = [];
    let why = '';
    for (const profile of alone) {
      const answer = await this.#sendOne([profile], window);
      if (!isFailure(answer)) continue;
      failed.push(profile);
      why = answer.why;
    }
    if (failed.length === profiles.length) return false;
    this.#refuse(failed, why);
    return true;
  }

  /** Gives up profiles that the sink cannot work on. */
  #refuse(profiles: readonly EncodedProfile[], why: string): void {
    if (profiles.length > 0) this.#countRefused(profiles.length, why);
    if (this.#refusedServices.size > MOST_KNOWN_SERVICES) this.#refusedServices.clear();
    for (const { service } of profiles) this.#refusedServices.add(service?.name ?? '');
  }

  #countRefused(profiles: number, why: string): void {
    if (this.counts.refused === 0) this.#notify(`refused a profile: ${why}`);
    this.counts.refused += profiles;
  }

  async #sendOne(profiles: readonly EncodedProfile[], window: EncodedWindow): Promise<SinkAnswer> {
    const { sink, counts } = this;
    // One that is taken apart is many requests.
    if (this.#isOver) return ENDED;
    try {
      const answer = await sink.send(profiles, window);
      if (isFailure(answer)) return answer;
      counts.requests++;
      if (answer.kind === 'refused') {
        this.#countRefused(profiles.length, answer.why);
        counts.failures++;
      } else {
        for (const { bytes, service } of profiles) {
          counts.bytes += bytes.length;
          this.#refusedServices.delete(service?.name ?? '');
        }
      }
      return answer;
    } catch (error) {
      return { kind: 'later', why: describeError(error), afterMs: null };
    }
  }

  #note(id: string, open: readonly number[]): void {
    if (this.sink.isRepeatable) return;
    try {
      this.queue.note(id, open);
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

type Failure = Extract<SinkAnswer, { kind: 'later' | 'shut' }>;
type Sent = { readonly kind: 'taken' } | Failure;

const ENDED: Failure = { kind: 'later', why: 'the agent has ended', afterMs: null };

function isFailure(answer: SinkAnswer): answer is Failure {
  return answer.kind === 'later' || answer.kind === 'shut';
}

function isOfRequest(answer: Failure): boolean {
  return answer.kind === 'later' && answer.isOfRequest === true;
}
