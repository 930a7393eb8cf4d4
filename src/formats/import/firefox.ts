import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PerfDataError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { EventUnit } from '../../profile/types.ts';
import { FirefoxStacks } from './firefox-stacks.ts';
import { countedUnit, type ImportedProfile, ImportedProfileBuilder } from './imported-profile.ts';
import { asArray, asNumber, asObject, asText, parseJson } from './json-text.ts';

/**
 * A processed profile of profiler.firefox.com, as samply, Firefox and `perf-ts export` write it
 * (github.com/firefox-devtools/profiler, docs-developer/processed-profile-format.md). Tables of stacks, frames,
 * functions and strings are of each thread, or, in later versions, shared by all.
 *
 *   { "meta": { "interval": ms, "preprocessedProfileVersion", "sampleUnits": { "threadCPUDelta": "ns" } },
 *     "threads": [{ "name", "pid", "tid",
 *                   "samples": { "stack": [row], "time": [ms] or "timeDeltas": [ms], "weight": [n] or null,
 *                                "weightType": "samples", "threadCPUDelta": [n] } }] }
 *
 * Each sample has its weight as an event, and the CPU time since the sample before as another, where the file has it.
 * Samples that contradict the file are left out and counted; throws `PerfDataError` where nothing is left.
 */
export function importFirefox(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  const file = asObject(parseJson(source, builder.limits.checkJson));
  const meta = asObject(file?.meta);
  if (file === null || meta === null || !Array.isArray(file.threads)) {
    throw new PerfDataError('firefox-malformed', 'it has no "meta" with "threads" of a profile');
  }
  if (typeof meta.preprocessedProfileVersion !== 'number') {
    throw new PerfDataError(
      'firefox-malformed',
      'it is a profile as Firefox hands it over: the one that profiler.firefox.com saves of it is read',
    );
  }
  return new FirefoxReader(file, meta, builder).read();
}

type Json = Readonly<Record<string, unknown>>;

const MILLISECOND = 1e6;
/** Nanoseconds of the units of CPU time; others are cycles of a CPU that changes its speed. */
const CPU_UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['µs', 1e3],
  ['us', 1e3],
]);
const CPU_EVENT = 'cpu';
const TIME_EVENT = 'time';
/** The event and the size of a unit of each type of weight. */
const WEIGHTS: ReadonlyMap<string, { readonly name: string; readonly scale: number }> = new Map([
  ['samples', { name: 'samples', scale: 1 }],
  ['tracing-ms', { name: TIME_EVENT, scale: MILLISECOND }],
  ['bytes', { name: 'bytes', scale: 1 }],
]);
/** The name that `writeFirefox` gives a thread. */
const OWN_NAME = /^(?<comm>.*) \((?<event>.*), (?<unit>\w+)\)$/s;
/** Times are 64 bits wide: some centuries. */
const MOST = 2 ** 63;

class FirefoxReader {
  readonly #file: Json;
  readonly #builder: ImportedProfileBuilder;
  readonly #frequencyHz: number | null;
  /** Nanoseconds of a unit of CPU time; null where the file has none. */
  readonly #cpuUnit: number | null;
  readonly #isOwn: boolean;
  readonly #product: string;
  #added = 0;
  #leftOut = 0;

  constructor(file: Json, meta: Json, builder: ImportedProfileBuilder) {
    this.#file = file;
    this.#builder = builder;
    const interval = asNumber(meta.interval, 0);
    this.#frequencyHz = interval > 0 ? Math.round(1000 / interval) || null : null;
    const unit = asText(asObject(meta.sampleUnits)?.threadCPUDelta);
    this.#isOwn = /^perf-ts\b/.test(asText(meta.importedFrom));
    // Ours has what samples weigh in other events, not what a thread ran.
    this.#cpuUnit = this.#isOwn ? null : (CPU_UNITS.get(unit) ?? null);
    this.#product = printable(asText(meta.product));
  }

  read(): ImportedProfile {
    const threads = asArray(this.#file.threads);
    this.#builder.limits.checkThreads(threads.length);
    // CPU time is what a recording has: it comes first where each thread has it.
    if (this.#cpuUnit !== null && threads.every(hasCpuTime)) this.#event(CPU_EVENT, 'nanoseconds');
    for (const value of threads) {
      const thread = asObject(value);
      if (thread !== null) this.#addThread(thread);
    }
    if (this.#added === 0 && this.#leftOut > 0) {
      throw new PerfDataError('firefox-malformed', 'each of its samples contradicts the file');
    }
    return this.#builder.finish('firefox', { notes: this.#notes(), clock: 'monotonic' });
  }

  #addThread(thread: Json): void {
    const stacks = new FirefoxStacks(this.#file, thread, this.#builder);
    const samples = asObject(thread.samples);
    const own = this.#isOwn ? OWN_NAME.exec(asText(thread.name))?.groups : undefined;
    const type = WEIGHTS.get(asText(samples?.weightType)) ?? { name: 'samples', scale: 1 };
    // Weights of ours are times in ms where what is counted is time.
    const scale = own?.unit === 'nanoseconds' ? MILLISECOND : type.scale;
    const isTime = type.name === TIME_EVENT || own?.unit === 'nanoseconds';
    const unit = isTime ? 'nanoseconds' : countedUnit(own?.unit ?? type.name);
    const event = this.#event(own?.event ?? type.name, unit);
    const ofThread = {
      comm: own?.comm ?? nameOf(thread),
      pid: idOf(thread.pid),
      tid: idOf(thread.tid),
      cpu: NONE,
    };
    const weights = asArray(samples?.weight);
    const cpu = this.#cpuUnit === null ? [] : asArray(samples?.threadCPUDelta);
    const times = timesOf(samples);
    for (const [row, value] of asArray(samples?.stack).entries()) {
      const stack = value === null ? NONE : stacks.at(value);
      const weight = weights.length === 0 ? 1 : asNumber(weights[row], Number.NaN);
      const ns = (times[row] ?? Number.NaN) * MILLISECOND;
      if (stack === null || !(weight >= 0) || !(Math.abs(ns) < MOST)) {
        this.#leftOut++;
        continue;
      }
      this.#added++;
      const time = BigInt(Math.round(ns));
      this.#builder.addSample({ ...ofThread, time, event, period: weight * scale }, stack);
      const ran = asNumber(cpu[row], 0) * (this.#cpuUnit ?? 0);
      if (ran > 0) {
        const cpuEvent = this.#event(CPU_EVENT, 'nanoseconds');
        this.#builder.addSample({ ...ofThread, time, event: cpuEvent, period: ran }, stack);
      }
    }
  }

  #event(name: string, unit: EventUnit): number {
    return this.#builder.event(name, unit, this.#frequencyHz);
  }

  #notes(): string[] {
    return [
      'read from a profile of profiler.firefox.com: losses and CPUs are not known, markers are passed over',
      ...(this.#product === '' ? [] : [`it is of ${this.#product}`]),
      ...(this.#leftOut === 0
        ? []
        : [
            `${formatCount(this.#leftOut)} ${this.#leftOut === 1 ? 'sample that contradicts the file was' : 'samples that contradict the file were'} left out`,
          ]),
    ];
  }
}

function hasCpuTime(thread: unknown): boolean {
  const samples = asObject(asObject(thread)?.samples);
  return asArray(samples?.threadCPUDelta).some((delta) => asNumber(delta, 0) > 0);
}

/** Milliseconds since the start of the profile, of each sample. */
function timesOf(samples: Json | null): number[] {
  if (Array.isArray(samples?.time)) return samples.time.map((time) => asNumber(time, Number.NaN));
  let time = 0;
  return asArray(samples?.timeDeltas).map((delta) => {
    time += asNumber(delta, Number.NaN);
    return time;
  });
}

function nameOf(thread: Json): string {
  return asText(thread.name) || asText(thread.processName) || 'thread';
}

/** Ids are numbers, or texts that begin with one: later words tell those apart that the file has twice. */
function idOf(value: unknown): number {
  const id = typeof value === 'number' ? value : Number(/^\d+/.exec(asText(value))?.[0] ?? NONE);
  return Number.isInteger(id) && id >= 0 && id < 2 ** 31 ? id : NONE;
}
