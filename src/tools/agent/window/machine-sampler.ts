import { Deferred } from '../../../base/deferred.ts';
import { lostSamplesOfAll } from '../../../base/lost-samples.ts';
import { closeLoaded, type LoadedSymbols } from '../../../code/symbols/symbolizer.ts';
import { CLOCK_IDS } from '../../../kernel/perf-event/clock-ids.ts';
import type { NativeBinding, SamplerEvent, SamplerTotals } from '../../../native/types.ts';
import type { Profile, ProfileThread, Weights } from '../../../profile/types.ts';
import { describeExisting } from '../../../record/existing/existing-state.ts';
import {
  explainNativeError,
  type PreparedRecording,
  prepareRecording,
} from '../../../record/prepare-recording.ts';
import { BufferGarbage } from '../../../system/buffer-garbage.ts';
import { detectKernelFeatures } from '../../../system/kernel/kernel-features.ts';
import { readPageBytes } from '../../../system/kernel/page-bytes.ts';
import { uidOfProcess } from '../../../system/processes/processes-of-user.ts';
import { UserRooms } from '../../../system/strangers/user-rooms.ts';
import { joinCores } from '../../live-profile/core-join.ts';
import { openLiveHead } from '../../live-profile/live-head.ts';
import { LiveProfile, type LiveProfileOptions } from '../../live-profile/live-profile.ts';
import type { SamplingConfig } from '../config/agent-config.ts';
import { RegisteredCode } from './registered-code.ts';
import type { TurnCounts } from './turn-counts.ts';
import { WindowWeights } from './window-weights.ts';

/** Longest time that a record waits in its ring: a process of a second has to be asked who it is. */
const LATENCY_MS = 200;
const CHUNK_BYTES = 256 << 10;
const MAX_CHUNKS = 32;
/** 512 KiB a CPU: minutes of samples at 19 Hz. */
const RING_BYTES = 512 << 10;
/** Time for reading symbols, after which what has come meanwhile is looked at. */
const MOST_NAMING_MS = 50;
/** Buffers that came since V8 looked for those that are garbage: what reading the symbols of one large program leaves. */
const MOST_GARBAGE_BYTES = 12 << 20;
/** Rows of tables after which they are made anew. */
const MOST_ROWS = 200_000;
/** Bytes kept of the code that processes of one user name: 26 000 functions. */
const MOST_CODE_OF_USER = 6 << 20;
const MOST_CODE_OF_ALL = 128 << 20;

/** Samples between two looks. */
export type MachineWindow = {
  /** Counts from 0 since the start. */
  readonly sequence: number;
  /**
   * When it began and ended: nanoseconds since 1970, by the clock as it is set at its end. The time between is by the
   * monotonic clock, so that a clock that is set makes no window longer, shorter or negative.
   */
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** When the times of `profile` are 0, by the same clock. */
  readonly zeroNs: bigint;
  /** Only what the samples refer to. */
  readonly profile: Profile;
  readonly weights: Weights;
  /** Turns of event loops that ended in about this time, by pid: of processes that report theirs. */
  readonly turns: ReadonlyMap<number, TurnCounts>;
  /** Losses in this window, of the whole machine. */
  readonly losses: WindowLosses;
};

/** Counts of what did not arrive in a window. */
export type WindowLosses = {
  /** Samples that the kernel could not write. */
  readonly samples: number;
  /** Forks, execs and mappings. */
  readonly sideband: number;
  readonly throttles: number;
};

/** Sums since the start, and what the counters had counted when sampling ended. */
export type MachineTotals = {
  /** Final values of the counters of all CPUs together; null where sampling has not ended in order. */
  readonly counted: number | null;
  /** Σ of all weights and losses in windows. */
  readonly weighed: number;
  readonly samples: number;
  readonly lost: number;
};

export type MachineSamplerOptions = SamplingConfig & {
  readonly onNotice: (notice: string) => void;
  /** Told the threads that were sampled in the window so far, soon after each sample. */
  readonly onSampled?: (threads: readonly ProfileThread[]) => void;
} & Pick<LiveProfileOptions, 'mostRows' | 'onBegun'>;

/**
 * Samples all CPUs without an end, and hands out what came as windows. Unwinding, mappings and symbols stay
 * from window to window; processes that have ended are forgotten, and what only grows is made anew from
 * `/proc` when it has grown so much (symbols of files are handed on).
 */
export class MachineSampler {
  readonly #session: PreparedRecording;
  readonly #options: MachineSamplerOptions;
  readonly #binding: NativeBinding;
  readonly #weights = new WindowWeights();
  readonly #garbage = new BufferGarbage(MOST_GARBAGE_BYTES);
  readonly #rooms = new UserRooms({
    mostOfUser: MOST_CODE_OF_USER,
    mostOfAll: MOST_CODE_OF_ALL,
    uidOf: uidOfProcess,
  });
  readonly #code: RegisteredCode;
  readonly #ended = new Deferred<void>();
  /** Records of the tasks that were there before; empty once they were fed. */
  #existing: Uint8Array = new Uint8Array(0);
  #profile: LiveProfile | null = null;
  /** Symbols loaded for the object before `#profile`, until that is made. */
  #loadedSymbols: LoadedSymbols | null = null;
  #totals: SamplerTotals;
  #counted: number | null = null;
  /** When the window that has begun did, by the monotonic clock. */
  #startClockNs: bigint;
  /** When sampling began again last. */
  #sampledFromNs = 0n;
  #naming: NodeJS.Immediate | undefined;
  #sequence = 0;
  #renewals = 0;
  #failure: Error | null = null;

  /** Throws as `record` does. */
  static start(options: MachineSamplerOptions, binding: NativeBinding): MachineSampler {
    const { event, hz, period, callGraph, cpus, onNotice } = options;
    const session = prepareRecording(
      {
        systemWide: true,
        events: [event],
        ...(period === null ? { freq: hz } : { count: period }),
        callGraph,
        ...(cpus !== null && { cpus }),
        counts: true,
        // A process that is gone has no other fact of its container left.
        cgroups: detectKernelFeatures(binding.probeEvent).cgroups,
        ringPages: Math.max(1, RING_BYTES / readPageBytes()),
        // The kernel marks the records of other sessions as if they had build IDs too, and perf 6.1 ends with an assertion.
        // A machine that is always sampled must not do that to it; files are told apart by device and inode.
        buildIds: false,
        onNotice,
      },
      binding,
      LATENCY_MS,
    );
    try {
      return new MachineSampler(session, options, binding);
    } catch (error) {
      session.sampler.close();
      throw explainNativeError(error, session);
    }
  }

  private constructor(
    session: PreparedRecording,
    options: MachineSamplerOptions,
    binding: NativeBinding,
  ) {
    this.#session = session;
    this.#options = options;
    this.#binding = binding;
    this.#totals = session.sampler.totals();
    this.#code = new RegisteredCode(binding.peerOf, this.#rooms, options.onNotice);
    const { sampler, plan, target } = session;
    this.#existing = describeExisting(target, sampler.opened, plan, options.onNotice);
    this.#startClockNs = this.#clock().clockNs;
    sampler.startLive({ maxChunks: MAX_CHUNKS, chunkBytes: CHUNK_BYTES }, (event) => {
      try {
        this.#take(event);
      } catch (error) {
        this.#failure ??= error as Error;
        sampler.stop();
      }
    });
  }

  /** Settles when sampling has ended, also by itself. Rejects with why. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** How often tables were made anew. */
  get renewals(): number {
    return this.#renewals;
  }

  /** Pid of the process that has started `pid`; −1 where no record said it. */
  parentOf(pid: number): number {
    return this.#profile?.parentOf(pid) ?? -1;
  }

  /** The comm with which a process began, as far as it is known; '' otherwise. */
  nameOf(pid: number): string {
    return this.#profile?.nameOf(pid) ?? '';
  }

  /** The path of the control group in which a process was sampled last; '' where that is not known. */
  cgroupOf(pid: number): string {
    return this.#profile?.cgroupOf(pid) ?? '';
  }

  get totals(): MachineTotals {
    const { samples } = this.#totals;
    const events = this.#session.plan.events.length;
    const lost = lostSamplesOfAll(this.#totals, events);
    return { counted: this.#counted, weighed: this.#weights.total, samples, lost };
  }

  /** Attaches, once, to a Node of which code was sampled and that has not imported `perf-ts/register`. */
  attach(pid: number): void {
    this.#code.attach(pid);
  }

  /** The reasons why processes that run could not be attached to, a sentence each. */
  get unattached(): readonly string[] {
    return this.#code.unattached;
  }

  /** Samples from now on, or samples nothing; what the machine runs is followed all the time. */
  sample(isOn: boolean): void {
    if (isOn) this.#sampledFromNs = this.#clock().clockNs;
    const { sampler } = this.#session;
    if (isOn) sampler.enable();
    else sampler.disable();
  }

  /** Takes the samples since the window before; null where there are none. */
  takeWindow(): MachineWindow | null {
    const live = this.#profile;
    if (live === null) return null;
    const isFull = live.isFull;
    if (isFull) live.finish();
    const profile = joinCores(live.takeSlice(), this.#session.plan);
    const weights = this.#weights.compute(profile, live.lossGaps);
    if (this.#counted !== null) {
      const endNs = Number(this.#clock().clockNs - BigInt(profile.meta.startTime));
      this.#weights.addTail(profile, weights.values, this.#counted, endNs);
    }
    if (isFull) this.#renew(live);
    // What was sampled until now may still be on its way: the next window begins where the last one ended.
    if (profile.samples.length === 0) return null;
    const { clockNs, wallNs } = this.#clock();
    const last = profile.samples.timeNs[profile.samples.length - 1];
    // Samples that still wait for their order belong to the next window.
    const endClockNs = BigInt(profile.meta.startTime) + BigInt(Math.round(last));
    const starts = [this.#startClockNs, this.#sampledFromNs].filter((ns) => ns < endClockNs);
    const startClockNs =
      starts.reduce((latest, ns) => (ns > latest ? ns : latest), 0n) || endClockNs;
    this.#startClockNs = endClockNs;
    const wallOf = (ns: bigint): bigint => wallNs - clockNs + ns;
    const before = this.#totals;
    this.#totals = this.#session.sampler.totals();
    const events = this.#session.plan.events.length;
    return {
      sequence: this.#sequence++,
      startNs: sinceEpoch(wallOf(startClockNs)),
      endNs: sinceEpoch(wallOf(endClockNs)),
      zeroNs: wallOf(BigInt(profile.meta.startTime)),
      profile,
      weights,
      turns: this.#code.takeTurns(),
      losses: {
        samples: Math.max(
          0,
          lostSamplesOfAll(this.#totals, events) - lostSamplesOfAll(before, events),
        ),
        sideband: this.#totals.lostSideband - before.lostSideband,
        throttles: this.#totals.throttles - before.throttles,
      },
    };
  }

  /** Ends the sampling. `takeWindow` has what was left then. */
  async stop(): Promise<void> {
    this.#session.sampler.stop();
    await this.#ended.promise.catch(() => {});
    this.#code.close();
    this.#session.sampler.close();
    if (this.#failure !== null) throw this.#failure;
  }

  /** After the last window. */
  close(): void {
    clearImmediate(this.#naming);
    this.#profile?.close();
    closeLoaded(this.#loadedSymbols ?? new Map());
  }

  #take(event: SamplerEvent): void {
    const { sampler } = this.#session;
    for (let chunk = sampler.takeChunk(); chunk !== null; chunk = sampler.takeChunk()) {
      this.#feed(chunk);
    }
    if (this.#profile !== null) {
      this.#options.onSampled?.(this.#profile.sampledThreads());
      this.#nameFiles();
    }
    if (event.kind !== 'recording-ended') return;
    this.#profile?.finish();
    this.#counted = event.finals.reduce((sum, { value }) => sum + Number(value), 0);
    this.#ended.settle(this.#failure === null ? undefined : Promise.reject(this.#failure));
  }

  /** One file after the other: all that runs at the start would be seconds in which nothing else is answered. */
  #nameFiles(): void {
    clearImmediate(this.#naming);
    const isDone = this.#profile?.nameFiles(MOST_NAMING_MS) ?? true;
    this.#garbage.bound();
    this.#naming = isDone ? undefined : setImmediate(() => this.#nameFiles());
  }

  #feed(chunk: Uint8Array): void {
    if (this.#profile === null) {
      this.#profile = new LiveProfile(openLiveHead(this.#session, chunk), {
        mostRows: this.#options.mostRows ?? MOST_ROWS,
        hasSmallSlices: true,
        holdsFiles: true,
        rooms: this.#rooms,
        ...(this.#options.onBegun && { onBegun: this.#options.onBegun }),
        ...(this.#options.asksRegistered && { liveCode: this.#code }),
        ...(this.#loadedSymbols !== null && { loadedSymbols: this.#loadedSymbols }),
      });
      this.#loadedSymbols = null;
      this.#profile.feed(this.#existing);
      this.#existing = new Uint8Array();
    }
    this.#profile.feed(chunk);
  }

  /** Tables that have grown too large are made anew, with what runs now. */
  #renew(full: LiveProfile): void {
    const { plan, sampler, target } = this.#session;
    this.#renewals++;
    this.#profile = null;
    this.#loadedSymbols = full.handOver();
    this.#existing = describeExisting(target, sampler.opened, plan, () => {}, true);
  }

  #clock(): { readonly wallNs: bigint; readonly clockNs: bigint } {
    return this.#binding.readClockPair(CLOCK_IDS.monotonic);
  }
}

/** Formats have no times before 1970, which a clock can be set back to by less than a window. */
function sinceEpoch(wallNs: bigint): bigint {
  return wallNs > 0n ? wallNs : 0n;
}
