import type { Diagnostics } from '../../base/diagnostics.ts';
import { joinFloats } from '../../base/join-bytes.ts';
import { isContextMarker } from './callchain.ts';
import { PERF_CONTEXT } from './constants.ts';

// With `attr.defer_callchain` the kernel leaves the user part of a callchain to the task's return
// to user space, where pages may be faulted in. The sample's callchain then ends with
//
//   … kernel entries  PERF_CONTEXT_USER_DEFERRED  cookie
//
// and one PERF_RECORD_CALLCHAIN_DEFERRED with the same cookie follows, for all samples that the
// task got on this visit to the kernel. Its chain has the addresses of user space alone, no marker
// in front: the one in front of the cookie states whose they are. Early patches of the kernel wrote
// PERF_CONTEXT_USER first.

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

/** A sample whose callchain is not complete yet. */
export type HeldSample = {
  readonly tid: number;
  /** Bytes of memory that it keeps. */
  readonly byteLength: number;
};

/** Takes a sample with its user part, marker in front, or null: that part never came. */
export type SettleSample<Held> = (sample: Held, userPart: Float64Array | null) => void;

/**
 * Holds samples until the record with the user part of their callchain, and counts those that never get one. What
 * stands for a sample is up to the caller. They settle when that record comes, so behind samples of other threads
 * that were taken later. Beyond `mostBytes` all that are held settle as they are.
 *
 *     SAMPLE              tid 12   cookie 5     ─┐ held
 *     SAMPLE              tid 12   cookie 5     ─┤ held
 *     CALLCHAIN_DEFERRED  tid 12   cookie 5      ◀ settles both
 *     SAMPLE              tid 12   cookie 5      ◀ on the way out, settled at once
 *
 * The kernel unwinds once per visit (`unwind_deferred_request`): a sample between the record and
 * the return to user space names the record that is there already. A thread has one cookie at a
 * time: when a record with another one comes, or the thread takes another one, the samples that are
 * held never get theirs.
 */
export class DeferredCallchains<Held extends HeldSample> {
  readonly #settle: SettleSample<Held>;
  readonly #diagnostics: Diagnostics;
  readonly #mostBytes: number;
  /** Indexed by tid. */
  readonly #held = new Map<number, { cookie: Cookie; samples: Held[] }>();
  /** The user part that came last, by tid. */
  readonly #latest = new Map<number, { cookie: Cookie; userPart: Float64Array | null }>();
  #heldBytes = 0;

  constructor(
    settle: SettleSample<Held>,
    diagnostics: Diagnostics,
    mostBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#settle = settle;
    this.#diagnostics = diagnostics;
    this.#mostBytes = mostBytes;
  }

  /** A sample came whose user part is in the record with this cookie. */
  add(sample: Held, cookie: Cookie): void {
    const { tid } = sample;
    const latest = this.#latest.get(tid);
    if (latest?.cookie === cookie) {
      this.#settleOne(sample, latest.userPart);
      return;
    }
    let held = this.#held.get(tid);
    if (held !== undefined && held.cookie !== cookie) {
      this.#release(tid, null);
      held = undefined;
    }
    if (held === undefined) this.#held.set(tid, { cookie, samples: [sample] });
    else held.samples.push(sample);
    this.#heldBytes += sample.byteLength;
    if (this.#heldBytes > this.#mostBytes) this.giveUp();
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came. Several events may report one. */
  apply(tid: number, cookie: Cookie, callchain: Float64Array): void {
    if (this.#latest.get(tid)?.cookie === cookie) return;
    const userPart = callchain.every(isContextMarker) ? null : withMarker(callchain);
    this.#latest.set(tid, { cookie, userPart });
    this.#release(tid, this.#held.get(tid)?.cookie === cookie ? userPart : null);
  }

  /** Settles all that are held as they are: no more records come, or there is no room for more. */
  giveUp(): void {
    for (const tid of [...this.#held.keys()]) this.#release(tid, null);
  }

  #release(tid: number, userPart: Float64Array | null): void {
    const held = this.#held.get(tid);
    if (held === undefined) return;
    this.#held.delete(tid);
    for (const sample of held.samples) {
      this.#heldBytes -= sample.byteLength;
      this.#settleOne(sample, userPart);
    }
  }

  #settleOne(sample: Held, userPart: Float64Array | null): void {
    if (userPart === null) {
      this.#diagnostics.count('callchain-user-part-missing', `thread ${sample.tid}`);
    }
    this.#settle(sample, userPart);
  }
}

const USER_MARKER = Float64Array.of(PERF_CONTEXT.USER);

function withMarker(callchain: Float64Array): Float64Array {
  const isMarked = isContextMarker(callchain[0]);
  return isMarked ? callchain : joinFloats(USER_MARKER, callchain);
}
