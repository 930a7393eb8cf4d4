import { PERF_CONTEXT } from './constants.ts';

// With `attr.defer_callchain` the kernel leaves the user part of a callchain to the task's return to
// user space, where pages may be faulted in. The sample's callchain then ends with
//
//   … kernel entries  PERF_CONTEXT_USER_DEFERRED  cookie
//
// and one PERF_RECORD_CALLCHAIN_DEFERRED with the same cookie follows, for all samples that the task
// got on this visit to the kernel. Its chain begins with PERF_CONTEXT_USER.

/** A cookie has all 64 bits, CPU and count; as text it is exact and can be a key. */
export type Cookie = string;

/** The cookie at `offset` of `view`. */
export function readCookie(view: DataView, offset: number, littleEndian: boolean): Cookie {
  return `0x${view.getBigUint64(offset, littleEndian).toString(16)}`;
}

/** Whether a callchain of `length` entries waits for its user part. */
export function isDeferred(callchain: Float64Array, length: number): boolean {
  return length >= 2 && callchain[length - 2] === PERF_CONTEXT.USER_DEFERRED;
}

/**
 * The whole callchain: `kernelPart` (without marker and cookie) and the chain of the record that
 * has its cookie.
 */
export function joinDeferred(kernelPart: Float64Array, userPart: Float64Array): Float64Array {
  const joined = new Float64Array(kernelPart.length + userPart.length);
  joined.set(kernelPart);
  joined.set(userPart, kernelPart.length);
  return joined;
}

/**
 * Samples that wait for the user part of their callchain. What stands for a sample is up to the
 * caller. A thread has at most one cookie at a time: when a record with another one comes, or
 * the thread takes another one, the samples that still wait will never get theirs.
 */
export class DeferredSamples<T> {
  readonly #byThread = new Map<number, { cookie: Cookie; samples: T[] }>();

  /** How many samples wait. */
  get size(): number {
    let size = 0;
    for (const { samples } of this.#byThread.values()) size += samples.length;
    return size;
  }

  /** Notes a sample of `tid`. Returns those of the thread that wait in vain now. */
  add(tid: number, cookie: Cookie, sample: T): T[] {
    const waiting = this.#byThread.get(tid);
    if (waiting?.cookie === cookie) {
      waiting.samples.push(sample);
      return [];
    }
    this.#byThread.set(tid, { cookie, samples: [sample] });
    return waiting?.samples ?? [];
  }

  /** Takes out the samples of `tid` when its chain comes; `isComplete` if they have its cookie. */
  take(tid: number, cookie: Cookie): { readonly samples: T[]; readonly isComplete: boolean } {
    const waiting = this.#byThread.get(tid);
    if (waiting === undefined) return { samples: [], isComplete: false };
    this.#byThread.delete(tid);
    return { samples: waiting.samples, isComplete: waiting.cookie === cookie };
  }

  /** Takes out all that still wait, at the end of the recording. */
  drain(): T[] {
    const samples = [...this.#byThread.values()].flatMap((waiting) => waiting.samples);
    this.#byThread.clear();
    return samples;
  }
}
