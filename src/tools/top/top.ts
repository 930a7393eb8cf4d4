import { constants } from 'node:os';
import { Deferred } from '../../base/deferred.ts';
import { AbortError, errorText } from '../../base/errors.ts';
import { lostSamplesOfAll } from '../../base/lost-samples.ts';
import { CLOCK_IDS } from '../../kernel/perf-event/clock-ids.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding, SamplerEvent, SamplerTotals } from '../../native/types.ts';
import type { TopOptions } from '../../options/top.ts';
import type { Profile } from '../../profile/types.ts';
import { describeExisting } from '../../record/existing/existing-state.ts';
import { takeJitAttachments, watchJitFiles } from '../../record/jit-maps/jit-attachments.ts';
import { dropsCopies, recordsStacks } from '../../record/plan/call-graph.ts';
import { giveNotice } from '../../record/plan/notices.ts';
import {
  explainNativeError,
  type PreparedRecording,
  prepareRecording,
} from '../../record/prepare-recording.ts';
import type { CommandExit } from '../../record/recording.ts';
import { explainExecFailure } from '../../system/launch/start-failure.ts';
import { endCommand } from '../../system/launch/started-command.ts';
import { callAfter } from '../../system/time/long-timer.ts';
import { joinCores, shownEvents } from '../live-profile/core-join.ts';
import { openLiveHead } from '../live-profile/live-head.ts';
import { LiveProfile } from '../live-profile/live-profile.ts';
import { EventTables } from './event-tables.ts';
import { levelsOfSlice } from './slice-tables.ts';
import { checkTopOptions, type TopReport } from './top-options.ts';

const DEFAULT_INTERVAL_MS = 1000;
/** Longest time that a record waits in its ring: seldom, so that waking costs little. */
const LATENCY_MS = 250;
const LEAST_CPU_SECONDS = 0.04;
const CHUNK_BYTES = 1 << 20;
const MAX_CHUNKS = 32;

/** Something that is sampled, with a report at every interval. */
export type RunningTop = {
  /** Names of the events as opened. */
  readonly events: readonly string[];
  /** Whether samples have stacks, so that totals stand beside what functions took themselves. */
  readonly hasStacks: boolean;
  /** A report at each interval, the last when the target has ended or after `stop`. Once. */
  reports(): AsyncGenerator<TopReport, void, void>;
  /** Tables begin anew. */
  reset(): void;
  /**
   * Reports have the callers of this function of one event from now on: by DSO and name, as rows of the
   * table `sym` have them. Null: of none.
   */
  watchCallers(event: number, names: readonly string[] | null): void;
  /** Pid of the command, −1 without one. */
  readonly childPid: number;
  /** Ends the sampling; the command runs on. */
  stop(): void;
  /** Somebody called `stop`, or the time of `durationMs` is over. */
  readonly wasStopped: boolean;
  /** Sends a signal to the command; false if it is gone. */
  kill(signal: number): boolean;
  /** Settles when the command has ended; null at once where there is none. */
  readonly exited: Promise<CommandExit | null>;
  /** Ends the sampling and a command that still runs, by SIGTERM and 2 s later by SIGKILL, and waits until both have ended. */
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Samples running code and sums it up by name while it runs. Nothing is written.
 * Throws as `record` does. Once `signal` is aborted the command gets SIGTERM, and `reports` throws
 * `AbortError`.
 *
 * @example
 * ```ts
 * import { startTop, type TopOptions } from 'perf-ts';
 *
 * const options: TopOptions = { command: ['node', 'app.js'], intervalMs: 500 };
 * for await (const { events, samples } of startTop(options).reports()) {
 *   console.log(samples, events[0].name);
 * }
 * ```
 */
export function startTop(options: TopOptions, binding: NativeBinding = loadBinding()): RunningTop {
  checkTopOptions(options);
  if (options.signal?.aborted) throw new AbortError(options.signal);
  const isUnwound = dropsCopies(options.callGraph);
  if (isUnwound) {
    giveNotice(options, 'stacks by frame pointer: copies are unwound where a file is written');
  }
  const given = { ...options, ...(isUnwound && { callGraph: 'fp' as const }) };
  const latencyMs = Math.min(LATENCY_MS, (options.intervalMs ?? DEFAULT_INTERVAL_MS) / 2);
  const session = prepareRecording(given, binding, Math.max(1, Math.floor(latencyMs)));
  try {
    return Top.start(options, session, binding);
  } catch (error) {
    session.sampler.close();
    throw explainNativeError(error, session);
  }
}

class Top implements RunningTop {
  readonly events: readonly string[];
  readonly hasStacks: boolean;
  wasStopped = false;
  readonly #options: TopOptions;
  readonly #session: PreparedRecording;
  readonly #exited = new Deferred<CommandExit | null>();
  /** When the events were enabled: what was done before, on a machine of many processes for seconds, is in no report. */
  #startMs = performance.now();
  readonly #cleanUp: () => void;
  #tables: EventTables[];
  #resetMs = this.#startMs;
  #reportMs = this.#startMs;
  #cpuUs = cpuTimeUs();
  #ownCpu = 0;
  #totals: SamplerTotals;
  #profile: LiveProfile | null = null;
  /** Slices whose tables had to be made anew before the interval was over. */
  #slices: Profile[] = [];
  /** Records of the tasks that were there before; empty until the start. */
  #existing: Uint8Array = new Uint8Array(0);
  #hasEnded = false;
  #isRead = false;
  #failure: Error | null = null;
  #wake = (): void => {};

  private constructor(options: TopOptions, session: PreparedRecording, cleanUp: () => void) {
    this.#options = options;
    this.#session = session;
    this.#cleanUp = cleanUp;
    this.events = shownEvents(session.plan);
    this.hasStacks = recordsStacks(session.plan.events);
    this.#tables = this.#emptyTables();
    this.#totals = session.sampler.totals();
  }

  static start(options: TopOptions, session: PreparedRecording, binding: NativeBinding): Top {
    const readClocks = () => binding.readClockPair(CLOCK_IDS.monotonic);
    const top = new Top(options, session, nodeCleanUp(session, readClocks));
    top.#start();
    return top;
  }

  #start(): void {
    const { sampler, plan, target, notices } = this.#session;
    const { durationMs, signal } = this.#options;
    this.#existing = describeExisting(target, sampler.opened, plan, (notice) =>
      notices.push(notice),
    );
    if (sampler.opened.childPid < 0) this.#exited.settle(null);
    sampler.startLive({ maxChunks: MAX_CHUNKS, chunkBytes: CHUNK_BYTES }, (event) => {
      try {
        this.#take(event);
      } catch (error) {
        this.#failure ??= error as Error;
        sampler.stop();
      }
      if (this.#hasEnded || this.#failure !== null) this.#wake();
    });
    this.#startMs = this.#resetMs = this.#reportMs = performance.now();
    this.#cpuUs = cpuTimeUs();
    if (durationMs !== undefined) callAfter(durationMs, () => this.stop(), { unref: true });
    if (signal === undefined) return;
    const abort = (): void => {
      this.#failure ??= new AbortError(signal);
      this.kill(constants.signals.SIGTERM);
      this.stop();
      this.#wake();
    };
    signal.addEventListener('abort', abort, { once: true });
    void this.#exited.promise.then(() => signal.removeEventListener('abort', abort));
  }

  get childPid(): number {
    return this.#session.sampler.opened.childPid;
  }

  get exited(): Promise<CommandExit | null> {
    return this.#exited.promise;
  }

  async *reports(): AsyncGenerator<TopReport, void, void> {
    this.#isRead = true;
    const { intervalMs = DEFAULT_INTERVAL_MS } = this.#options;
    let nextMs = this.#startMs + intervalMs;
    try {
      while (!this.#hasEnded && this.#failure === null) {
        await this.#until(nextMs);
        if (this.#hasEnded || this.#failure !== null) break;
        // Where a report took longer than its interval, the next one waits for a whole one again.
        nextMs = Math.max(nextMs + intervalMs, performance.now() + intervalMs / 2);
        yield this.#report(false);
      }
      if (this.#failure !== null) throw this.#failure;
      this.#profile?.finish();
      yield this.#report(true);
    } finally {
      this.stop();
      while (!this.#hasEnded) await this.#until(Number.POSITIVE_INFINITY);
      this.#cleanUp();
      // Until then the sampler tells how the command ends, and its Node processes use their maps.
      void this.exited.then(() => {
        this.#cleanUp();
        this.#session.sampler.close();
      });
    }
  }

  reset(): void {
    this.#tables = this.#emptyTables();
    this.#resetMs = performance.now();
  }

  watchCallers(event: number, names: readonly string[] | null): void {
    this.#tables[event]?.watchCallers(names);
  }

  stop(): void {
    this.wasStopped = true;
    this.#session.sampler.stop();
  }

  kill(signal: number): boolean {
    return this.#session.sampler.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const end = endCommand(this);
    if (this.#isRead) this.stop();
    // Nobody reads the reports, whose end lets go of the events.
    else for await (const _ of this.reports()) break;
    await end;
  }

  #take(event: SamplerEvent): void {
    const { sampler, target } = this.#session;
    if (event.kind === 'child-exited') {
      this.#exited.settle({ status: event.status, signal: event.signal });
    } else if (event.kind === 'exec-failed') {
      const command = 'command' in target ? target.command : null;
      const failure = explainExecFailure(command, event.step, event.code);
      // An exec can take longer than anybody watched.
      const isLate = this.#hasEnded;
      if (isLate) giveNotice(this.#options, errorText(failure).message);
      else this.#failure = failure;
      this.#exited.settle(isLate ? { status: failure.exitStatus, signal: 0 } : null);
    }
    for (let chunk = sampler.takeChunk(); chunk !== null; chunk = sampler.takeChunk()) {
      this.#feed(chunk);
    }
    if (event.kind === 'recording-ended') this.#hasEnded = true;
  }

  #feed(chunk: Uint8Array): void {
    const { plan, sampler, target } = this.#session;
    if (this.#profile?.isFull) {
      this.#profile.finish();
      this.#slices.push(joinCores(this.#profile.takeSlice(), plan));
      this.#profile = null;
      this.#existing = describeExisting(target, sampler.opened, plan, () => {}, true);
    }
    if (this.#profile === null) {
      const { mostRows } = this.#options;
      const head = openLiveHead(this.#session, chunk);
      this.#profile = new LiveProfile(head, {
        ...(mostRows !== undefined && { mostRows }),
        ...('command' in target && { directory: process.cwd() }),
      });
      this.#profile.feed(this.#existing);
      this.#existing = new Uint8Array();
    }
    this.#profile.feed(chunk);
  }

  #report(isLast: boolean): TopReport {
    const nowMs = performance.now();
    // At the same moment: what this report takes belongs to the next one's time.
    const cpuUs = cpuTimeUs();
    const { windowMs } = this.#options;
    const { plan } = this.#session;
    if (this.#profile !== null) {
      this.#slices.push(joinCores(this.#profile.takeSlice(), plan));
    }
    const slices = this.#slices.map((slice) => levelsOfSlice(slice));
    this.#slices = [];
    const seconds = Math.max(1e-3, (nowMs - this.#reportMs) / 1000);
    const events = this.#tables.map((tables) => tables.add(slices, nowMs));
    const totals = this.#session.sampler.totals();
    const before = this.#totals;
    const lost = lostSamplesOfAll(totals, plan.events.length);
    // The kernel counts CPU time by ticks: of an instant, as the last one may be, it says nothing.
    if (seconds > LEAST_CPU_SECONDS) {
      this.#ownCpu = (cpuUs - this.#cpuUs) / 1e6 / seconds;
      this.#cpuUs = cpuUs;
    }
    this.#totals = totals;
    this.#reportMs = nowMs;
    return {
      elapsedMs: nowMs - this.#startMs,
      shownMs: Math.min(nowMs - this.#resetMs, windowMs ?? Number.POSITIVE_INFINITY),
      isWindow: windowMs !== undefined,
      cpus: plan.cpus.length,
      events,
      samples: totals.samples,
      lost,
      lostSideband: totals.lostSideband,
      lostNow: Math.max(0, lost - lostSamplesOfAll(before, plan.events.length)),
      throttles: totals.throttles,
      ownCpu: this.#ownCpu,
      isLast,
    };
  }

  #emptyTables(): EventTables[] {
    return this.events.map((name, event) => new EventTables(name, event, this.#options));
  }

  /** Until `deadlineMs` or the end. */
  #until(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const isBounded = deadlineMs !== Number.POSITIVE_INFINITY;
      const timer = isBounded ? callAfter(deadlineMs - performance.now(), resolve) : null;
      this.#wake = () => {
        timer?.cancel();
        resolve();
      };
    });
  }
}

function cpuTimeUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Makes a function that removes what JITs wrote because of flags that we gave them. Call this before
 * anything runs, and the function when sampling is over: each call removes the files of processes that
 * have ended by then.
 */
function nodeCleanUp(
  session: PreparedRecording,
  readClock: Parameters<typeof watchJitFiles>[1],
): () => void {
  if (!session.causesMaps && session.dumpsIn === null) return () => {};
  const { maps, dumps, notes } = watchJitFiles(session, readClock, Date.now());
  // It only has to know what was there before; the maps themselves are read by `LiveJit`.
  maps.start();
  maps.stop();
  dumps.start();
  let left: ReturnType<typeof takeJitAttachments> | null = null;
  return () => {
    if (left === null) {
      dumps.stop();
      left = takeJitAttachments(
        maps,
        () => [],
        dumps,
        true,
        () => {},
        notes,
      );
    }
    dumps.remove();
    maps.removeMaps(left.startedPids);
    left.remove();
  };
}
