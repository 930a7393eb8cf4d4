import type { Diagnostics } from '../base/diagnostics.ts';
import { GrowableInt32 } from '../base/growable-columns.ts';
import { isContextMarker } from '../perf-event/callchain.ts';
import { PERF_CONTEXT } from '../perf-event/constants.ts';
import { type Cookie, DeferredSamples, joinDeferred } from '../perf-event/deferred-callchain.ts';

/** A sample of which only the kernel part of the callchain is known. */
export type PartialSample = {
  readonly pid: number;
  readonly tid: number;
  /** Its row in the sample table, and the number of rows with its stack: those of a group follow. */
  readonly row: number;
  readonly rows: number;
  /** Without the marker and the cookie. */
  readonly kernelPart: Float64Array;
};

/** Interns a callchain of the process `pid`; returns the stack. */
type InternCallchain = (callchain: Float64Array, pid: number) => number;

/**
 * Gives samples the stack with both parts of their callchain where the user part comes in a record
 * of its own, CALLCHAIN_DEFERRED. Until then, or if it never comes, they have the stack of the
 * kernel part.
 *
 *     SAMPLE              tid 12   cookie 5      row 0   ─┐
 *     SAMPLE              tid 12   cookie 5      row 1   ─┤
 *     CALLCHAIN_DEFERRED  tid 12   cookie 5               ◀ completes rows 0 and 1
 *     SAMPLE              tid 12   cookie 5      row 2    ◀ on the way out, complete at once
 *
 * The kernel unwinds once per visit (`unwind_deferred_request`): a sample between the record and the
 * return to user space names the record that is there already.
 *
 * The rows are in the sample table by then, so stacks are kept here and put in at the end.
 */
export class DeferredStacks {
  readonly #waiting = new DeferredSamples<PartialSample>();
  /** By tid: the last user part that came. */
  readonly #latest = new Map<
    number,
    { readonly cookie: Cookie; readonly userPart: Float64Array }
  >();
  readonly #intern: InternCallchain;
  readonly #diagnostics: Diagnostics;
  /** Rows that got their whole stack, and that stack. */
  readonly #rows = new GrowableInt32();
  readonly #stacks = new GrowableInt32();

  constructor(intern: InternCallchain, diagnostics: Diagnostics) {
    this.#intern = intern;
    this.#diagnostics = diagnostics;
  }

  /** A sample came whose user part is in the record with this cookie. */
  add(sample: PartialSample, cookie: Cookie): void {
    const latest = this.#latest.get(sample.tid);
    if (latest?.cookie === cookie) this.#complete([sample], latest.userPart);
    else this.#giveUp(this.#waiting.add(sample.tid, cookie, sample));
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came. Several events may report one. */
  apply(tid: number, cookie: Cookie, callchain: Float64Array): void {
    if (this.#latest.get(tid)?.cookie === cookie) return;
    const userPart = withMarker(callchain);
    this.#latest.set(tid, { cookie, userPart });
    const { samples, isComplete } = this.#waiting.take(tid, cookie);
    if (isComplete) this.#complete(samples, userPart);
    else this.#giveUp(samples);
  }

  /** No more records come. */
  finish(): void {
    this.#giveUp(this.#waiting.drain());
    this.#latest.clear();
  }

  /** Puts the stacks into the finished column of the sample table. */
  fill(stack: Int32Array): void {
    const rows = this.#rows.array;
    const stacks = this.#stacks.array;
    for (let i = 0; i < this.#rows.length; i++) stack[rows[i] as number] = stacks[i] as number;
  }

  #complete(samples: readonly PartialSample[], userPart: Float64Array): void {
    if (userPart.every(isContextMarker)) {
      this.#giveUp(samples);
      return;
    }
    for (const { pid, row, rows, kernelPart } of samples) {
      const stack = this.#intern(joinDeferred(kernelPart, userPart), pid);
      for (let i = 0; i < rows; i++) {
        this.#rows.push(row + i);
        this.#stacks.push(stack);
      }
    }
  }

  #giveUp(samples: readonly PartialSample[]): void {
    for (const { tid } of samples) {
      this.#diagnostics.count('the deferred user part of a callchain is missing', `thread ${tid}`);
    }
  }
}

const USER_MARKER = Float64Array.of(PERF_CONTEXT.USER);

/**
 * The user part with its marker. Kernels write the addresses alone, since the marker in front of the
 * cookie says whose they are; early patches of the kernel put PERF_CONTEXT_USER first.
 */
function withMarker(callchain: Float64Array): Float64Array {
  const isMarked = callchain.length > 0 && isContextMarker(callchain[0] as number);
  return isMarked ? callchain : joinDeferred(USER_MARKER, callchain);
}
