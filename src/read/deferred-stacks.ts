import type { Diagnostics } from '../base/diagnostics.ts';
import { GrowableInt32 } from '../base/growable-columns.ts';
import {
  type Cookie,
  DeferredCallchains,
  joinDeferred,
} from '../kernel/perf-event/deferred-callchain.ts';

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
 * of its own, CALLCHAIN_DEFERRED (perf-event/deferred-callchain.ts). Until then, or if it never
 * comes, they have the stack of the kernel part.
 *
 * The rows are in the sample table by then, so stacks are kept here and put in at the end.
 */
export class DeferredStacks {
  readonly #callchains: DeferredCallchains<PartialSample>;
  readonly #intern: InternCallchain;
  /** Rows that got their whole stack, and that stack. */
  readonly #rows = new GrowableInt32();
  readonly #stacks = new GrowableInt32();

  constructor(intern: InternCallchain, diagnostics: Diagnostics) {
    this.#intern = intern;
    this.#callchains = new DeferredCallchains((sample, userPart) => {
      if (userPart === null) countMissing(diagnostics, sample.tid);
      else this.#complete(sample, userPart);
    });
  }

  /** A sample came whose user part is in the record with this cookie. */
  add(sample: PartialSample, cookie: Cookie): void {
    this.#callchains.add(sample.tid, cookie, sample);
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came. */
  apply(tid: number, cookie: Cookie, callchain: Float64Array): void {
    this.#callchains.apply(tid, cookie, callchain);
  }

  /** No more records come. */
  finish(): void {
    this.#callchains.giveUp();
  }

  /** Puts the stacks into the finished column of the sample table. */
  fill(stack: Int32Array): void {
    const rows = this.#rows.array;
    const stacks = this.#stacks.array;
    for (let i = 0; i < this.#rows.length; i++) stack[rows[i]] = stacks[i];
  }

  /** The same of a part of the table; samples that still wait stay without their user part. */
  giveOut(stack: Int32Array): void {
    this.#callchains.giveUp();
    this.fill(stack);
    this.#rows.length = 0;
    this.#stacks.length = 0;
  }

  #complete({ pid, row, rows, kernelPart }: PartialSample, userPart: Float64Array): void {
    const stack = this.#intern(joinDeferred(kernelPart, userPart), pid);
    for (let i = 0; i < rows; i++) {
      this.#rows.push(row + i);
      this.#stacks.push(stack);
    }
  }
}

/** Says that a sample has the kernel part of its callchain alone. */
export function countMissing(diagnostics: Diagnostics, tid: number): void {
  diagnostics.count('the deferred user part of a callchain is missing', `thread ${tid}`);
}
