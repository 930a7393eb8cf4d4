import { lastAtMost } from '../base/bisect.ts';
import { GrowableFloat64 } from '../base/growable-columns.ts';

/** Begins and ends of spans of one thread, nanoseconds since the recording's start, in time order; they do not overlap. */
type Spans = { readonly fromNs: GrowableFloat64; readonly toNs: GrowableFloat64 };

/** Spans of time by thread, by which samples are selected: turns of event loops, marks of programs. */
export class SpansOfThreads {
  readonly #byThread = new Map<number, Spans>();

  /** Spans of a thread come in the order of their begins. */
  add(thread: number, fromNs: number, toNs: number): void {
    const own = this.#byThread.get(thread) ?? {
      fromNs: new GrowableFloat64(16),
      toNs: new GrowableFloat64(16),
    };
    this.#byThread.set(thread, own);
    const last = own.toNs.length - 1;
    if (last >= 0 && own.toNs.array[last] >= fromNs) {
      own.toNs.array[last] = Math.max(own.toNs.array[last], toNs);
      return;
    }
    own.fromNs.push(fromNs);
    own.toNs.push(toNs);
  }

  get isEmpty(): boolean {
    return this.#byThread.size === 0;
  }

  /** Whether a span of the thread has the moment, or a part of what lasts from then on. */
  has(thread: number, timeNs: number, lengthNs = 0): boolean {
    const spans = this.#byThread.get(thread);
    if (spans === undefined) return false;
    const { fromNs, toNs } = spans;
    const last = lastAtMost(fromNs.array, timeNs + lengthNs, fromNs.length);
    return last >= 0 && toNs.array[last] > timeNs;
  }

  /** The spans that lie in these and in `others`. */
  within(others: SpansOfThreads): SpansOfThreads {
    const both = new SpansOfThreads();
    for (const [thread, { fromNs, toNs }] of this.#byThread) {
      for (let row = 0; row < fromNs.length; row++) {
        others.#eachPart(thread, fromNs.array[row], toNs.array[row], (from, to) =>
          both.add(thread, from, to),
        );
      }
    }
    return both;
  }

  /** The part of a span that lies in those of the thread. */
  partOf(thread: number, spanFromNs: number, spanToNs: number): number {
    let part = 0;
    this.#eachPart(thread, spanFromNs, spanToNs, (from, to) => {
      part += to - from;
    });
    return part;
  }

  #eachPart(
    thread: number,
    spanFromNs: number,
    spanToNs: number,
    visit: (fromNs: number, toNs: number) => void,
  ): void {
    const spans = this.#byThread.get(thread);
    if (spans === undefined) return;
    const { fromNs, toNs } = spans;
    let row = Math.max(0, lastAtMost(fromNs.array, spanFromNs, fromNs.length));
    for (; row < fromNs.length && fromNs.array[row] < spanToNs; row++) {
      const from = Math.max(spanFromNs, fromNs.array[row]);
      const to = Math.min(spanToNs, toNs.array[row]);
      if (to > from) visit(from, to);
    }
  }
}
