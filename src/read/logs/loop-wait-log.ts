// Hot: once per wait of an event loop.

import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { Spans } from '../../base/spans.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { readLoopWaitEvent } from '../../profile/loop-waits.ts';
import type { TurnTable } from '../../profile/turn-table.ts';
import { type LoopWaits, turnsBetween } from '../../profile/turns-between.ts';
import type { Profile } from '../../profile/types.ts';
import { findField, lower32, type RawField } from './raw-field.ts';

/** An event whose samples are begins of waits, with the field of the descriptor, or their ends. */
type WaitEvent = {
  readonly isRing: boolean;
  readonly isBegin: boolean;
  readonly fd: RawField | null;
};

/**
 * Collects the waits of threads for events, by tracepoints of system calls.
 *
 * A thread may wait within a turn of its loop by another loop: `execFileSync` of Node does. The loop of a thread is the one
 * with the lowest descriptor, which was opened first, of those that it waited for over half of the longest time and more;
 * waits of the others are parts of its turns.
 */
export class LoopWaitLog {
  readonly #littleEndian: boolean;
  /** Events by attr index; null: another one. */
  readonly #events: readonly (WaitEvent | null)[];
  readonly #threads = new Map<number, ThreadWaits>();

  constructor(data: PerfData) {
    this.#littleEndian = data.littleEndian;
    this.#events = data.attrs.map(({ name }, attrIndex) => {
      const event = readLoopWaitEvent(name);
      if (event === null) return null;
      const fd = event.isBegin ? findField(data, attrIndex, event.isRing ? 'fd' : 'epfd') : null;
      return { ...event, fd };
    });
  }

  isOf(attrIndex: number): boolean {
    return this.#events[attrIndex] !== null;
  }

  note(sample: SampleView, attrIndex: number): void {
    const { pid, tid, timeNs } = sample;
    const event = this.#events[attrIndex];
    if (event === null) return;
    const found = this.#threads.get(tid);
    // The number of a thread that has ended may be that of another process's later.
    const waits = found?.pid === pid ? found : new ThreadWaits(pid);
    this.#threads.set(tid, waits);
    if (event.isBegin) {
      const fd = lower32(sample, event.fd, this.#littleEndian) ?? 0;
      waits.begin(timeNs, event.isRing, fd);
    } else waits.end(timeNs, event.isRing);
  }

  /** The turns between the waits, of threads that are not `known` by another way. */
  turns(
    { threads, samples }: Pick<Profile, 'threads' | 'samples'>,
    known: ReadonlySet<number>,
  ): TurnTable | null {
    if (this.#threads.size === 0) return null;
    const threadOf = new Map(threads.map(({ pid, tid }, row) => [`${pid} ${tid}`, row]));
    const lastOfThread = new Float64Array(threads.length);
    for (let row = 0; row < samples.length; row++) {
      lastOfThread[samples.thread[row]] = samples.timeNs[row];
    }
    return turnsBetween(
      [...this.#threads].flatMap(([tid, waits]): LoopWaits[] => {
        const ofLoop = known.has(tid) ? null : waits.ofLoop();
        if (ofLoop === null || ofLoop.length === 0) return [];
        const thread = threadOf.get(`${waits.pid} ${tid}`) ?? NONE;
        const lastNs = waits.isWaiting || thread === NONE ? 0 : lastOfThread[thread];
        const loop = { thread, pid: waits.pid, tid, source: 'system calls' } as const;
        return [{ loop, waits: ofLoop, lastNs }];
      }),
    );
  }
}

/** The waits of a thread, in the order in which they ended. Records come in the order of time, but for late ones. */
class ThreadWaits {
  readonly pid: number;
  readonly #fd = new GrowableInt32(16);
  readonly #isRing = new GrowableUint8(16);
  readonly #fromNs = new GrowableFloat64(16);
  readonly #toNs = new GrowableFloat64(16);
  /** The wait that has not ended; NaN where there is none. */
  #begunNs = Number.NaN;
  #begunRing = false;
  #begunFd = 0;

  constructor(pid: number) {
    this.pid = pid;
  }

  get isWaiting(): boolean {
    return !Number.isNaN(this.#begunNs);
  }

  begin(timeNs: number, isRing: boolean, fd: number): void {
    this.#begunNs = timeNs;
    this.#begunRing = isRing;
    this.#begunFd = fd;
  }

  end(timeNs: number, isRing: boolean): void {
    if (!this.isWaiting || isRing !== this.#begunRing || timeNs < this.#begunNs) return;
    this.#add(timeNs);
    this.#begunNs = Number.NaN;
  }

  #add(toNs: number): void {
    this.#fd.push(this.#begunFd);
    this.#isRing.push(this.#begunRing ? 1 : 0);
    this.#fromNs.push(this.#begunNs);
    this.#toNs.push(toNs);
  }

  /** Waits of the thread's loop: by epoll where it has any, for libuv calls io_uring for other things, too. */
  ofLoop(): Spans {
    // A wait that has not ended is the end of the last turn.
    if (this.isWaiting) this.#add(this.#begunNs);
    const { length } = this.#fd;
    const isRing = this.#isRing.finish();
    const ring = isRing.includes(0) ? 0 : 1;
    const spans = new Map<number, { readonly first: number; last: number }>();
    for (let row = 0; row < length; row++) {
      if (isRing[row] !== ring) continue;
      const span = spans.get(this.#fd.array[row]) ?? { first: row, last: row };
      spans.set(this.#fd.array[row], span);
      span.last = row;
    }
    const spanNs = ({ first, last }: { first: number; last: number }) =>
      this.#toNs.array[last] - this.#fromNs.array[first];
    const longest = Math.max(...[...spans.values()].map(spanNs));
    const longLived = [...spans].filter(([, span]) => spanNs(span) >= longest / 2);
    const fd = Math.min(...longLived.map(([own]) => own));
    const waits = new Spans();
    for (let row = 0; row < length; row++) {
      if (isRing[row] !== ring || this.#fd.array[row] !== fd) continue;
      waits.add(this.#fromNs.array[row], this.#toNs.array[row]);
    }
    return waits;
  }
}
