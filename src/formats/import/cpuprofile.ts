import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { PerfDataError } from '../../base/errors.ts';
import type { ProfileEvent } from '../../profile/types.ts';
import { addCallFrame, nameOfFrame } from './call-frame.ts';
import { importHeapProfile } from './heapprofile.ts';
import { type ImportedProfile, ImportedProfileBuilder, importedEvent } from './imported-profile.ts';
import { asArray, asNumber, asObject, asText, parseJson } from './json-text.ts';
import { listTraceProfiles, traceEventsOf } from './trace-profiles.ts';
import { isTreeProfile, listTreeProfile } from './tree-profile.ts';

/** A profile of V8's or JavaScriptCore's own profiler, or of ours in its format; or those of a trace. */
export function importDevTools(
  source: ByteSource,
  builder = new ImportedProfileBuilder(),
): ImportedProfile {
  const value = parseJson(source, builder.limits.checkJson);
  const file = asObject(value);
  const traceEvents = traceEventsOf(value);
  if (traceEvents !== null) return importTrace(traceEvents, builder);
  if (file !== null && isTreeProfile(file)) {
    return new CpuProfileReader(listTreeProfile(file), builder).read();
  }
  if (file !== null && asObject(file.head) !== null) return importHeapProfile(file, builder);
  if (file === null || !Array.isArray(file.nodes)) {
    throw new PerfDataError('devtools-profile', 'it has neither "nodes" nor "head" of a profile');
  }
  return new CpuProfileReader(file, builder).read();
}

function importTrace(
  traceEvents: readonly unknown[],
  builder: ImportedProfileBuilder,
): ImportedProfile {
  const profiles = listTraceProfiles(traceEvents, (what) => builder.skipLine(what));
  if (profiles.length === 0) {
    throw new PerfDataError(
      'devtools-profile',
      'it is a trace without a CPU profile: one recorded with the category disabled-by-default-v8.cpu_profiler has it',
    );
  }
  builder.limits.checkThreads(profiles.length);
  const readers = profiles.map(({ file, thread }) => new CpuProfileReader(file, builder, thread));
  const timed = readers.map((reader) => reader.add());
  // Threads are sampled alike; one that has few samples shows it least.
  const usual = timed.toSorted((a, b) => b.samples - a.samples)[0].usualNs;
  const hasWaits = timed.some((each) => each.hasWaits);
  const notes = [
    'read from a trace: each of its CPU profiles is a thread; losses and CPUs are not known',
    SPANS_NOTE,
  ];
  const events = listEvents(TIME_EVENT, { hasTimes: true, hasWaits, usualNs: usual });
  return builder.finish('cpuprofile', { notes, clock: 'monotonic' }, events);
}

/** The event of what samples weigh, and that of the time in which their threads had nothing to do. */
function listEvents(
  name: string,
  { hasTimes, hasWaits, usualNs }: Omit<AddedSamples, 'samples'>,
): ProfileEvent[] {
  const frequencyHz = usualNs > 0 ? Math.round(1e9 / usualNs) : null;
  const events = [{ ...importedEvent(name, hasTimes ? 'nanoseconds' : 'events'), frequencyHz }];
  return hasWaits ? [...events, importedEvent(IDLE_EVENT, 'nanoseconds')] : events;
}

/** The samples that a profile has, and what they are of. */
type AddedSamples = {
  readonly samples: number;
  readonly hasTimes: boolean;
  readonly hasWaits: boolean;
  /** The median time between samples; 0 where it is not known. */
  readonly usualNs: number;
};

type Json = Readonly<Record<string, unknown>>;

const SPANS_NOTE =
  'a sample weighs the time until the next one, also where the thread waited in a function';
/** The event of the time in which the thread had nothing to do, as recordings name it. */
const IDLE_EVENT = 'off-cpu';
const IDLE = '(idle)';
/** Time without samples in our exports: they were left out, or no event was enabled. */
const WITHOUT_SAMPLES: readonly string[] = ['(not selected)', '(not sampled)'];
/** Nodes that only V8 writes: it samples whatever the thread does. */
const META = new Set(['(program)', IDLE]);
/** Usual spans in the longest that counts as run, where only running JavaScript is sampled. */
const MAX_SPAN = 10;
const NANOSECONDS = 1000;

/** `Profiler.Profile` of the DevTools protocol; `writeCpuProfile` draws it. */
class CpuProfileReader {
  readonly #file: Json;
  readonly #builder: ImportedProfileBuilder;
  readonly #nodes: readonly unknown[];
  readonly #rowOfId = new Map<number, number>();
  /** Indexed by row of `nodes`. */
  readonly #stacks: Int32Array;
  readonly #isIdle: Uint8Array;
  readonly #hasNoSamples: Uint8Array;
  readonly #own: Json | null;
  readonly #thread: Json | null;
  #cut = 0;
  #hasWaits = false;
  /** The median time between samples; 0 where it is not known. */
  #usualNs = 0;

  /** `thread`: whose profile it is, where the file does not have it. */
  constructor(file: Json, builder: ImportedProfileBuilder, thread: Json | null = null) {
    this.#file = file;
    this.#builder = builder;
    this.#nodes = asArray(file.nodes);
    this.#stacks = new Int32Array(this.#nodes.length);
    this.#isIdle = new Uint8Array(this.#nodes.length);
    this.#hasNoSamples = new Uint8Array(this.#nodes.length);
    this.#own = asObject(file['perf-ts']);
    this.#thread = thread ?? asObject(this.#own?.thread);
  }

  read(): ImportedProfile {
    const added = this.add();
    const { hasTimes } = added;
    const events = listEvents(asText(this.#own?.event) || TIME_EVENT, added);
    const meta = { notes: this.#notes(hasTimes), ...(hasTimes && { clock: 'monotonic' as const }) };
    return this.#builder.finish('cpuprofile', meta, events);
  }

  /** Adds the samples of event 0, and the waits of event 1. */
  add(): AddedSamples {
    for (const [row, node] of this.#nodes.entries()) {
      const id = asObject(node)?.id;
      if (typeof id === 'number') this.#rowOfId.set(id, row);
    }
    this.#addStacks(this.#parents());
    const isTimed = this.#own === null || this.#own.unit === 'nanoseconds';
    const samples = asArray(this.#file.samples);
    if (samples.length === 0) this.#addHits();
    else this.#addSamples(samples, isTimed);
    return {
      samples: samples.length,
      hasTimes: samples.length > 0 && isTimed,
      hasWaits: this.#hasWaits,
      usualNs: this.#usualNs,
    };
  }

  #rowOf(id: unknown): number | undefined {
    return typeof id === 'number' ? this.#rowOfId.get(id) : undefined;
  }

  /** The row of the caller by row of `nodes`, −1 for the root. Files have `children` or `parent`. */
  #parents(): Int32Array {
    const parents = new Int32Array(this.#nodes.length).fill(NONE);
    for (const [row, value] of this.#nodes.entries()) {
      const node = asObject(value);
      const parent = this.#rowOf(node?.parent);
      if (parent !== undefined) parents[row] = parent;
      for (const id of asArray(node?.children)) {
        const child = this.#rowOf(id);
        if (child !== undefined) parents[child] = row;
      }
    }
    return parents;
  }

  /** Callers first, whatever the order of the file. Throws where nodes call each other in a circle. */
  #addStacks(parents: Int32Array): void {
    const isDone = new Uint8Array(parents.length);
    const pending: number[] = [];
    for (let first = 0; first < parents.length; first++) {
      for (let row = first; row !== NONE && isDone[row] === 0; row = parents[row]) {
        if (pending.length === parents.length) {
          throw new PerfDataError('devtools-profile', 'its nodes are their own callers');
        }
        pending.push(row);
      }
      for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
        const frame = asObject(this.#nodes[row])?.callFrame;
        const parent = parents[row];
        const prefix = parent === NONE ? NONE : this.#stacks[parent];
        this.#stacks[row] = addCallFrame(this.#builder, prefix, frame);
        const name = nameOfFrame(frame);
        this.#isIdle[row] = name === IDLE ? 1 : 0;
        this.#hasNoSamples[row] = this.#own !== null && WITHOUT_SAMPLES.includes(name) ? 1 : 0;
        isDone[row] = 1;
      }
    }
  }

  /** A sample lasts until the next one, the last until the end; engines write some out of order. */
  #addSamples(samples: readonly unknown[], isTimed: boolean): void {
    const { startTime, endTime, timeDeltas } = this.#file;
    const deltas = asArray(timeDeltas);
    const times = new Float64Array(samples.length);
    let time = clampTime(asNumber(startTime, 0));
    if (isTimed && typeof startTime === 'number') {
      this.#builder.beginAt(BigInt(Math.round(time * NANOSECONDS)));
    }
    for (let i = 0; i < samples.length; i++) {
      time = clampTime(time + asNumber(deltas[i], 0));
      times[i] = time;
    }
    const order = Uint32Array.from(samples, (_, i) => i);
    order.sort((a, b) => times[a] - times[b] || a - b);
    const end = clampTime(asNumber(endTime, time));
    const spans = Float64Array.from(order, (row, i) =>
      Math.max(0, (i + 1 < order.length ? times[order[i + 1]] : end) - times[row]),
    );
    const usual = spans.toSorted()[spans.length >> 1] ?? 0;
    if (isTimed) this.#usualNs = usual * NANOSECONDS;
    const most =
      isTimed && this.#samplesOnlyRunning() ? MAX_SPAN * usual : Number.POSITIVE_INFINITY;
    for (let i = 0; i < order.length; i++) {
      const row = this.#rowOf(samples[order[i]]);
      if (row === undefined) this.#builder.skipLine(`a sample of node ${samples[order[i]]}`);
      else if (isTimed) this.#addSpan(row, times[order[i]], spans[i], most);
      else if (this.#isIdle[row] === 0) this.#add(row, 0, null, spans[i]);
    }
  }

  /** A sample stands at the end of what ran, and at the begin of what waited, as in a recording. */
  #addSpan(row: number, begin: number, span: number, most: number): void {
    if (this.#hasNoSamples[row] === 1) return;
    if (this.#isIdle[row] === 1) {
      if (span <= 0) return;
      this.#hasWaits = true;
      this.#add(row, 1, begin, span);
      return;
    }
    const ran = span > most ? most / MAX_SPAN : span;
    if (ran < span) this.#cut++;
    this.#add(row, 0, begin + ran, ran);
  }

  /**
   * JavaScriptCore samples while JavaScript runs, and writes no node for the time between: a sample before a
   * timer would last until the timer.
   */
  #samplesOnlyRunning(): boolean {
    const isMeta = (node: unknown) => META.has(nameOfFrame(asObject(node)?.callFrame));
    return this.#own === null && !this.#nodes.some(isMeta);
  }

  /** Microseconds of time, or events. */
  #add(row: number, event: number, at: number | null, span: number): void {
    this.#builder.addSample(
      {
        comm: asText(this.#thread?.comm) || UNKNOWN_COMM,
        pid: idOrNone(this.#thread?.pid),
        tid: idOrNone(this.#thread?.tid),
        cpu: NONE,
        time: at === null ? null : BigInt(Math.round(at * NANOSECONDS)),
        event,
        period: at === null ? span : span * NANOSECONDS,
      },
      this.#stacks[row],
    );
  }

  /** Files without a timeline: each node has a number of samples. */
  #addHits(): void {
    for (const [row, node] of this.#nodes.entries()) {
      const hits = asNumber(asObject(node)?.hitCount, 0);
      if (hits > 0 && this.#isIdle[row] === 0) this.#add(row, 0, null, hits);
    }
  }

  #notes(hasTimes: boolean): string[] {
    if (this.#own !== null)
      return ['read from a .cpuprofile of perf-ts: one thread of a recording'];
    return [
      'read from a .cpuprofile: one thread, frames of JavaScript; losses and CPUs are not known',
      hasTimes ? SPANS_NOTE : 'there are no samples with times: the numbers of hits are taken',
      ...(this.#cut > 0
        ? [
            `${this.#cut} samples were followed by none for more than ${MAX_SPAN} usual intervals: ` +
              'they are taken for one interval, since this engine samples running JavaScript only',
          ]
        : []),
    ];
  }
}

/** The name of the thread is not in the file; what it ran is known. */
const UNKNOWN_COMM = 'JavaScript';

function idOrNone(value: unknown): number {
  const number = asNumber(value, NONE);
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? number : NONE;
}

/** A hundred and forty years in microseconds: engines count from the boot, or from 1970. */
const MAX_MICROSECONDS = 2 ** 52;

/** Within so much of 0, also where a file has sums that are no number. */
function clampTime(microseconds: number): number {
  return Math.min(Math.max(microseconds, -MAX_MICROSECONDS), MAX_MICROSECONDS);
}

/** The event of time that an engine's own profiler measured. */
const TIME_EVENT = 'time';
