import type { Diagnostics } from '../../base/diagnostics.ts';
import { type Cookie, DeferredCallchains } from '../../kernel/perf-event/deferred-callchain.ts';
import { countMissing } from '../../read/deferred-stacks.ts';

/** A line of text of a sample that reads a group: one counter, and what it has counted. */
export type SampleLine = { readonly event: number; readonly period: number };

/** A sample that is kept until its callchain is complete. */
export type HeldSample = {
  /** The record, alone: the bytes that it was read from may be gone. */
  readonly view: DataView;
  readonly attrIndex: number;
  readonly tid: number;
  /** Of its thread when it was taken. */
  readonly comm: string;
  readonly lines: readonly SampleLine[] | null;
};

/** Told of a sample whose callchain is as complete as it gets; without user part null. */
type Deliver = (sample: HeldSample, userPart: Float64Array | null) => void;

/** Bytes of samples that are held; beyond them all are told as they are. */
const MOST_HELD_BYTES = 64 << 20;

/**
 * Holds samples until the record with the user part of their callchain, as perf does since 6.19. They
 * come out when that record comes, so behind samples of other threads that were taken later.
 */
export class DeferredSamples {
  readonly #callchains: DeferredCallchains<HeldSample>;
  readonly #mostBytes: number;
  #heldBytes = 0;

  constructor(deliver: Deliver, diagnostics: Diagnostics, mostBytes = MOST_HELD_BYTES) {
    this.#mostBytes = mostBytes;
    this.#callchains = new DeferredCallchains((sample, userPart) => {
      this.#heldBytes -= sample.view.byteLength;
      if (userPart === null) countMissing(diagnostics, sample.tid);
      deliver(sample, userPart);
    });
  }

  add(sample: HeldSample, cookie: Cookie): void {
    this.#heldBytes += sample.view.byteLength;
    this.#callchains.add(sample.tid, cookie, sample);
    if (this.#heldBytes > this.#mostBytes) this.#callchains.giveUp();
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came. */
  apply(tid: number, cookie: Cookie, callchain: Float64Array): void {
    this.#callchains.apply(tid, cookie, callchain);
  }

  /** No more records come. */
  finish(): void {
    this.#callchains.giveUp();
  }
}
