import { firstNotBelow } from '../base/bisect.ts';
import { NONE } from '../base/brand.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../base/growable-columns.ts';
import { finish } from '../base/slices.ts';
import { groupSamples } from '../profile/analysis/select/filter.ts';
import { MARK_KINDS, type MarkTable, NO_REQUEST } from '../profile/mark-table.ts';
import { SpansOfThreads } from '../profile/spans-of-threads.ts';
import type { Profile } from '../profile/types.ts';
import { REQUEST, type SampleOwners } from './request-owners.ts';

/**
 * The times of requests from their begins to their ends, by what their servers' threads did: they ran for the request,
 * collected garbage for it, waited within a turn of the loop for it (for a file, a child process, a CPU that others had), or did
 * any of that for others. `untoldNs` is what they did for it or for others, and `loopNs` the rest, in which the loop waited for
 * events: for answers of other servers, timers, the pool.
 */
export const REQUEST_TIMES = {
  cpuNs: 'on CPU',
  gcNs: 'in GC',
  waitsNs: 'waited',
  othersNs: 'others',
  loopNs: 'loop waited',
  untoldNs: 'not told',
} as const;
type Column = keyof typeof REQUEST_TIMES;
const COLUMNS = Object.keys(REQUEST_TIMES) as Column[];

/**
 * Sums of these times, of one request or of several. They add up to its length; since a sample stands for the time before it, `loopNs` and
 * `waitsNs` may be below zero by the time between two samples.
 */
export type RequestTimes = Readonly<Record<Column, number>>;

/** Columns by row of the marks; NaN where it is no request, or one that has not ended. */
export type RequestTimeTable = Readonly<Record<Column, Float64Array>>;

/** A turn that is shorter than this many samples may have none, though its thread ran. */
const LEAST_SAMPLES = 2;
const GC = MARK_KINDS.indexOf('gc');

/** All samples of the event that `weights` has nanoseconds of. */
type Sampled = {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
  readonly owners: SampleOwners;
};

/** Splits the length of each request. `waits`: samples of the event of waits, where the recording has it. */
export function timesOfRequests(
  { samples, threads, turns }: Profile,
  marks: MarkTable,
  sampled: Sampled,
  waits: Omit<Sampled, 'weights'> | null = null,
): RequestTimeTable {
  const table = Object.fromEntries(
    COLUMNS.map((column) => [column, new Float64Array(marks.length).fill(Number.NaN)]),
  ) as Record<Column, Float64Array>;
  const threadOf = ({ loops, loop }: Pick<MarkTable, 'loops' | 'loop'>, row: number) =>
    loops[loop[row]].thread;
  const collections = new SpansOfThreads();
  const requestsOf = new Map<number, number[]>();
  for (let row = 0; row < marks.length; row++) {
    const thread = threadOf(marks, row);
    if (marks.kind[row] === GC) collections.add(thread, marks.fromNs[row], marks.toNs[row]);
    if (marks.kind[row] !== REQUEST || marks.isOpen[row] === 1 || thread === NONE) continue;
    const requests = requestsOf.get(thread) ?? [];
    requestsOf.set(thread, requests);
    requests.push(row);
    for (const column of COLUMNS) table[column][row] = 0;
  }
  const turnsOf = new Map([...requestsOf.keys()].map((thread) => [thread, [] as number[]]));
  for (let row = 0; turns !== undefined && row < turns.length; row++) {
    turnsOf.get(threadOf(turns, row))?.push(row);
  }
  const { rows } = sampled;
  const { starts, samples: sorted } = finish(groupSamples(rows, samples.thread, threads.length));
  for (const [thread, requests] of requestsOf) {
    const own = sorted.subarray(starts[thread], starts[thread + 1]);
    const time = new ThreadTime(samples, marks, { ...sampled, rows: own }, (timeNs) =>
      collections.has(thread, timeNs),
    );
    if (waits !== null) time.takeWaits(samples, waits, thread);
    for (const row of turnsOf.get(thread) ?? []) {
      if (turns !== undefined) time.addTurn(turns.fromNs[row], turns.toNs[row]);
    }
    time.split(requests, table);
  }
  return table;
}

/** Any number below that of no request. */
const UNTOLD = NO_REQUEST - 1;

/**
 * The time of a server's thread as pieces: when, how long, and for which request. Between two samples in a turn the thread ran
 * for the weight of the second one, and waited for the rest:
 *
 *     turn   │────────┬──╌╌╌╌╌╌╌╌──┬────│
 *     sample          p            q      waited: q − p − weight of q
 *
 * The stack of a wait that was recorded by itself shows for whom it was; such waits are a part of that time.
 */
class ThreadTime {
  readonly #timeNs: Float64Array;
  readonly #ranNs: Float64Array;
  readonly #owner: Int32Array;
  readonly #marks: MarkTable;
  readonly #leastTurnNs: number;
  readonly #atNs = new GrowableFloat64();
  readonly #ns = new GrowableFloat64();
  readonly #ofRequest = new GrowableInt32();
  readonly #column = new GrowableUint8();
  #waitNs = new Float64Array();
  #waits: readonly { readonly endNs: number; readonly owner: number; readonly isSure: boolean }[] =
    [];

  constructor(
    samples: Profile['samples'],
    marks: MarkTable,
    { rows, weights, owners }: Sampled,
    isCollecting: (timeNs: number) => boolean,
  ) {
    this.#marks = marks;
    this.#timeNs = Float64Array.from(rows, (row) => samples.timeNs[row]);
    this.#ranNs = Float64Array.from(rows, (row) => weights[row]);
    this.#owner = Int32Array.from(rows, (row) => owners.owner[row]);
    const allNs = this.#ranNs.reduce((sum, ns) => sum + ns, 0);
    this.#leastTurnNs = (LEAST_SAMPLES * allNs) / Math.max(rows.length, 1);
    for (let i = 0; i < rows.length; i++) {
      const column = isCollecting(this.#timeNs[i]) ? 'gcNs' : 'cpuNs';
      this.#add(this.#timeNs[i], this.#ranNs[i], this.#owner[i], column);
    }
  }

  #add(atNs: number, ns: number, request: number, column: Column): void {
    this.#atNs.push(atNs);
    this.#ns.push(ns);
    this.#ofRequest.push(request);
    this.#column.push(COLUMNS.indexOf(column));
  }

  takeWaits(samples: Profile['samples'], { rows, owners }: Omit<Sampled, 'weights'>, of: number) {
    const own = rows.filter((row) => samples.thread[row] === of);
    this.#waitNs = Float64Array.from(own, (row) => samples.timeNs[row]);
    this.#waits = Array.from(own, (row) => ({
      endNs: samples.timeNs[row] + samples.periodEvents[row],
      owner: owners.owner[row],
      isSure: owners.isCertain[row] === 1,
    }));
  }

  /** Adds the recorded waits that begin in a part of a turn, between samples of `before` and `behind`, and returns how long they are. */
  #addRecorded(fromNs: number, toNs: number, before: number, behind: number): number {
    let sumNs = 0;
    for (let i = firstNotBelow(this.#waitNs, fromNs); this.#waitNs[i] < toNs; i++) {
      const { endNs, owner, isSure } = this.#waits[i];
      const ns = Math.min(endNs, toNs) - this.#waitNs[i];
      this.#add(
        this.#waitNs[i] + ns / 2,
        ns,
        isSure || before !== behind ? owner : behind,
        'waitsNs',
      );
      sumNs += ns;
    }
    return sumNs;
  }

  /** Adds what the thread waited within a turn. */
  addTurn(fromNs: number, toNs: number): void {
    if (toNs - fromNs < this.#leastTurnNs) return;
    const first = firstNotBelow(this.#timeNs, fromNs);
    const last = firstNotBelow(this.#timeNs, toNs) - 1;
    if (last < first) {
      const knownNs = this.#addRecorded(fromNs, toNs, UNTOLD, NO_REQUEST);
      this.#add((fromNs + toNs) / 2, toNs - fromNs - knownNs, UNTOLD, 'waitsNs');
      return;
    }
    // The first sample may stand for time of the turn before: both ends are one wait, at the longer one.
    const [firstNs, lastNs] = [this.#timeNs[first], this.#timeNs[last]];
    const isAtBegin = firstNs - fromNs >= toNs - lastNs;
    const middleNs = (isAtBegin ? fromNs + firstNs : lastNs + toNs) / 2;
    const [begin, end] = [this.#owner[first], this.#owner[last]];
    const knownNs =
      this.#addRecorded(fromNs, firstNs, begin, end) + this.#addRecorded(lastNs, toNs, begin, end);
    this.#addWait(middleNs, firstNs - fromNs + toNs - lastNs - knownNs, first, end, fromNs);
    for (let i = first + 1; i <= last; i++) {
      const [beforeNs, timeNs] = [this.#timeNs[i - 1], this.#timeNs[i]];
      const before = this.#owner[i - 1];
      const ns = timeNs - beforeNs - this.#addRecorded(beforeNs, timeNs, before, this.#owner[i]);
      this.#addWait((beforeNs + timeNs) / 2, ns, i, before, beforeNs);
    }
  }

  /**
   * Adds the part of `ns` that sample `i` does not stand for: it is the request's that both the sample and `other` are of. A request that
   * began behind `sinceNs` waited at least from then on, but for what it ran.
   */
  #addWait(atNs: number, ns: number, i: number, other: number, sinceNs: number): void {
    const request = this.#owner[i];
    const waitedNs = ns - this.#ranNs[i];
    if (request === other) {
      this.#add(atNs, waitedNs, request, 'waitsNs');
      return;
    }
    const begunNs = request < 0 ? sinceNs : this.#marks.fromNs[request];
    const behindNs = this.#timeNs[i] - begunNs - this.#ranNs[i];
    const sureNs = begunNs > sinceNs ? Math.max(0, Math.min(behindNs, waitedNs)) : 0;
    this.#add(atNs, waitedNs - sureNs, UNTOLD, 'waitsNs');
    if (sureNs > 0) this.#add((begunNs + this.#timeNs[i]) / 2, sureNs, request, 'waitsNs');
  }

  /** Fills the rows of the thread's requests. */
  split(requests: readonly number[], table: Record<Column, Float64Array>): void {
    const { fromNs, toNs } = this.#marks;
    const { length } = this.#atNs;
    const order = Uint32Array.from({ length }, (_, piece) => piece);
    order.sort((a, b) => this.#atNs.array[a] - this.#atNs.array[b]);
    const atNs = Float64Array.from(order, (piece) => this.#atNs.array[piece]);
    // Sums of the pieces before each, of those with a known owner and of others.
    const known = new Float64Array(length + 1);
    const unknown = new Float64Array(length + 1);
    for (let i = 0; i < length; i++) {
      const ns = this.#ns.array[order[i]];
      const request = this.#ofRequest.array[order[i]];
      known[i + 1] = known[i] + (request >= NO_REQUEST ? ns : 0);
      unknown[i + 1] = unknown[i] + (request >= NO_REQUEST ? 0 : ns);
      if (request < 0 || atNs[i] < fromNs[request] || atNs[i] >= toNs[request]) continue;
      const column = table[COLUMNS[this.#column.array[order[i]]]];
      column[request] = column[request] + ns;
    }
    const { cpuNs, gcNs, waitsNs, othersNs, untoldNs, loopNs } = table;
    for (const row of requests) {
      const first = firstNotBelow(atNs, fromNs[row]);
      const end = firstNotBelow(atNs, toNs[row]);
      const knownNs = known[end] - known[first];
      othersNs[row] = knownNs - cpuNs[row] - gcNs[row] - waitsNs[row];
      untoldNs[row] = unknown[end] - unknown[first];
      loopNs[row] = toNs[row] - fromNs[row] - knownNs - untoldNs[row];
    }
  }
}
