import { Spans } from '../base/spans.ts';

/** Spans of time by thread, by which samples are selected: turns of event loops, marks of programs. */
export class SpansOfThreads {
  /** Nanoseconds since the recording's start. */
  readonly #byThread = new Map<number, Spans>();

  /** Spans of a thread come in the order of their begins. */
  add(thread: number, fromNs: number, toNs: number): void {
    const own = this.#byThread.get(thread) ?? new Spans();
    this.#byThread.set(thread, own);
    own.add(fromNs, toNs);
  }

  get isEmpty(): boolean {
    return this.#byThread.size === 0;
  }

  /** Whether a span of the thread has the moment, or a part of what lasts from then on. */
  has(thread: number, timeNs: number, lengthNs = 0): boolean {
    const spans = this.#byThread.get(thread);
    if (spans === undefined) return false;
    const last = spans.rowAt(timeNs + lengthNs);
    return last >= 0 && spans.to.array[last] > timeNs;
  }

  /** The spans that lie in these and in `others`. */
  within(others: SpansOfThreads): SpansOfThreads {
    const both = new SpansOfThreads();
    for (const [thread, spans] of this.#byThread) {
      const other = others.#byThread.get(thread);
      const add = (fromNs: number, toNs: number) => both.add(thread, fromNs, toNs);
      if (other !== undefined) spans.each((fromNs, toNs) => other.eachPart(fromNs, toNs, add));
    }
    return both;
  }

  /** The part of a span that lies in those of the thread. */
  partOf(thread: number, fromNs: number, toNs: number): number {
    let part = 0;
    this.#byThread.get(thread)?.eachPart(fromNs, toNs, (from, to) => {
      part += to - from;
    });
    return part;
  }
}
