import { constants } from 'node:os';
import { NONE } from '../base/brand.ts';
import { Deferred } from '../base/deferred.ts';
import { Diagnostics } from '../base/diagnostics.ts';
import { AbortError } from '../base/errors.ts';
import { GrowableFloat64, GrowableInt32 } from '../base/growable-columns.ts';
import { type RawTime, readHigh32, readLow32 } from '../base/u64.ts';
import { PERF_RECORD } from '../kernel/perf-event/constants.ts';
import { EventLookup, UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { joinLbrCallchain } from '../kernel/perf-event/lbr-callchain.ts';
import { computeParseInfo, recordTimeOffset } from '../kernel/perf-event/parse-info.ts';
import { decodeRecord, type KernelRecord } from '../kernel/perf-event/record.ts';
import { RECORD_HEADER_SIZE, RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import { loadBinding } from '../native/binding.ts';
import type { NativeBinding, SamplerEvent, SamplerTotals } from '../native/types.ts';
import { checkOptions } from '../options/check.ts';
import { LIVE, type LiveOptions } from '../options/live.ts';
import { endCommand, reapLater } from '../system/launch/started-command.ts';
import { callAfter, type LongTimer } from '../system/time/long-timer.ts';
import { dropsCopies } from './plan/call-graph.ts';
import { prepareRecording } from './prepare-recording.ts';

/**
 * Samples as columns, one row each, in the order of the rings (within one CPU that is time order).
 * The arrays belong to the batch.
 */
export type LiveBatch = {
  readonly length: number;
  /** Index into `events`. */
  readonly event: Int32Array;
  /** Names of the events as opened. */
  readonly events: readonly string[];
  readonly pid: Int32Array;
  readonly tid: Int32Array;
  readonly cpu: Int32Array;
  /** Nanoseconds since the session's first sample. */
  readonly timeNs: Float64Array;
  /** Instruction pointer; kernel addresses are negative, see docs/numbers.md. */
  readonly ip: Float64Array;
  readonly periodEvents: Float64Array;
  /** The counter's value, NaN without `counts`. */
  readonly count: Float64Array;
  /** Callchain of row i: `callchain[callchainStart[i] … callchainStart[i + 1])`, leaf first. */
  readonly callchain: Float64Array;
  /** One more than there are rows. */
  readonly callchainStart: Int32Array;
  /** Forks, execs, mappings, losses … that came with these samples. */
  readonly records: readonly KernelRecord[];
  readonly totals: SamplerTotals;
};

const DEFAULT_LATENCY_MS = 20;
const CHUNK_BYTES = 1 << 20;
const MAX_CHUNKS = 16;

/**
 * Records without a file: batches of samples as they come, until the target ends or the loop is
 * left, which ends the command too. A loop that is slow loses nothing that it was given: what the queue has no
 * room for stays in the rings, and what then does not fit is in the kernel's own loss count
 * (`totals`).
 *
 * Throws as `record` does: `AbortError` once `signal` is aborted, and the command gets SIGTERM. A
 * batch that was on its way when the signal came is handed out; the next call throws.
 *
 * @example
 * ```ts
 * import { type LiveOptions, live } from 'perf-ts';
 *
 * const options: LiveOptions = { command: ['node', 'app.js'], events: ['cpu-clock'], freq: 997 };
 * let samples = 0;
 * for await (const batch of live(options)) samples += batch.length;
 * console.log(samples);
 * ```
 */
export async function* live(
  options: LiveOptions,
  binding: NativeBinding = loadBinding(),
): AsyncGenerator<LiveBatch, void, void> {
  checkOptions(LIVE, options, 'live');
  yield* sampleLive(options, binding);
}

async function* sampleLive(
  { latencyMs = DEFAULT_LATENCY_MS, ...options }: LiveOptions,
  binding: NativeBinding,
): AsyncGenerator<LiveBatch, void, void> {
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(signal);
  // Nothing is unwound here, so copied stacks would only take room.
  const { callGraph: asked = 'none' } = options;
  const callGraph = dropsCopies(asked) ? 'fp' : asked;
  // Addresses are not named here either, so Node needs no flags, and nobody who did not ask has use for stacks.
  const plain = { nodeFlags: false, ...options, callGraph };
  const session = prepareRecording(plain, binding, latencyMs);
  const { sampler, plan } = session;
  const decoder = new LiveDecoder(
    [...plan.events.map(({ attr }) => attr), plan.sideband].map((attr, index) => ({
      attr,
      info: computeParseInfo(attr, true),
      ids: [...(sampler.opened.ids[index] ?? sampler.opened.sidebandIds)].map(Number),
    })),
    plan.events.map(({ name }) => name),
  );
  let wake: () => void = () => {};
  let ended = false;
  const exited = new Deferred<void>();
  const onEvent = (event: SamplerEvent): void => {
    if (event.kind === 'recording-ended') ended = true;
    else if (event.kind === 'child-exited') exited.settle();
    wake();
  };
  const stop = (): void => sampler.stop();
  const abort = (): void => {
    sampler.kill(constants.signals.SIGTERM);
    stop();
    wake();
  };
  signal?.addEventListener('abort', abort, { once: true });
  const timers: LongTimer[] = [];
  try {
    sampler.startLive({ maxChunks: MAX_CHUNKS, chunkBytes: CHUNK_BYTES }, onEvent);
    if (options.delayMs !== undefined) {
      timers.push(callAfter(options.delayMs, () => sampler.enable()));
    }
    if (options.durationMs !== undefined) {
      timers.push(callAfter(options.durationMs + (options.delayMs ?? 0), stop));
    }
    for (;;) {
      if (signal?.aborted) throw new AbortError(signal);
      const chunk = sampler.takeChunk();
      if (chunk !== null) {
        yield decoder.decode(chunk, sampler.totals());
        continue;
      }
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    for (const timer of timers) timer.cancel();
    signal?.removeEventListener('abort', abort);
    // The loop was left early: what it has started ends with it.
    if (!ended && sampler.opened.childPid > 0) {
      await endCommand({ kill: (number) => sampler.kill(number), exited: exited.promise });
    }
    sampler.close();
    // A command that has only been sampled for a time runs on.
    if (sampler.opened.childPid > 0) reapLater(binding);
  }
}

/** Turns chunks of whole records into batches. */
class LiveDecoder {
  readonly diagnostics = new Diagnostics();
  readonly #events: ConstructorParameters<typeof EventLookup>[0];
  readonly #names: readonly string[];
  readonly #lookup: EventLookup;
  readonly #record = new RecordView();
  #sample: SampleView | null = null;

  constructor(events: ConstructorParameters<typeof EventLookup>[0], names: readonly string[]) {
    this.#events = events;
    this.#names = names;
    this.#lookup = new EventLookup(events);
  }

  decode(chunk: Uint8Array, totals: SamplerTotals): LiveBatch {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const event = new GrowableInt32();
    const pid = new GrowableInt32();
    const tid = new GrowableInt32();
    const cpu = new GrowableInt32();
    const timeNs = new GrowableFloat64();
    const ip = new GrowableFloat64();
    const periodEvents = new GrowableFloat64();
    const count = new GrowableFloat64();
    const callchain = new GrowableFloat64();
    const callchainStart = new GrowableInt32();
    const records: KernelRecord[] = [];
    const record = this.#record;
    let offset = 0;
    while (offset + RECORD_HEADER_SIZE <= chunk.length) {
      const { type, size } = record.moveTo(view, offset, true);
      if (size < RECORD_HEADER_SIZE || offset + size > chunk.length) break;
      const index = this.#lookup.attrIndexOf(record);
      const info = index === UNKNOWN_EVENT ? undefined : this.#events[index]?.info;
      if (info !== undefined && type === PERF_RECORD.SAMPLE) {
        this.#sample ??= new SampleView(startOf(view, recordTimeOffset(info, record)));
        const sample = this.#sample;
        if (decodeSample(record, info, sample)) {
          if (info.hasLbrCallchain) joinLbrCallchain(sample, true, 'ip');
          event.push(index);
          pid.push(sample.pid);
          tid.push(sample.tid);
          cpu.push(sample.cpu);
          timeNs.push(sample.timeNs);
          ip.push(sample.ip);
          periodEvents.push(sample.period);
          count.push(sample.readCount > 0 ? sample.readValues[0] : Number.NaN);
          callchainStart.push(callchain.length);
          for (let i = 0; i < sample.callchainLength; i++) {
            callchain.push(sample.callchain[i]);
          }
        }
      } else if (info !== undefined && type !== PERF_RECORD.FINISHED_ROUND) {
        records.push(decodeRecord(record, info));
      }
      offset += size;
    }
    callchainStart.push(callchain.length);
    return {
      length: event.length,
      event: event.finish(),
      events: this.#names,
      pid: pid.finish(),
      tid: tid.finish(),
      cpu: cpu.finish(),
      timeNs: timeNs.finish(),
      ip: ip.finish(),
      periodEvents: periodEvents.finish(),
      count: count.finish(),
      callchain: callchain.finish(),
      callchainStart: callchainStart.finish(),
      records,
      totals,
    };
  }
}

/** The raw time at `at`, which the session counts from. */
function startOf(view: DataView, at: number): RawTime {
  if (at === NONE) return { high: 0, low: 0 };
  return { high: readHigh32(view, at, true), low: readLow32(view, at, true) };
}
