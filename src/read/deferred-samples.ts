import type { Diagnostics } from '../base/diagnostics.ts';
import { type Cookie, DeferredCallchains } from '../kernel/perf-event/deferred-callchain.ts';

/** A sample whose callchain is not complete yet. */
export type HeldSample = {
  readonly tid: number;
  /** Bytes of memory that it keeps. */
  readonly byteLength: number;
};

/** Gets a sample whose callchain is as complete as it gets; `userPart` null: that part never came. */
export type SettleSample<Held> = (sample: Held, userPart: Float64Array | null) => void;

/**
 * Holds samples until the record with the user part of their callchain, and counts those that never
 * get one. They settle when that record comes, so behind samples of other threads that were taken
 * later. Beyond `mostBytes` all that are held settle as they are.
 */
export class DeferredSamples<Held extends HeldSample> {
  readonly #callchains: DeferredCallchains<Held>;
  readonly #mostBytes: number;
  #heldBytes = 0;

  constructor(
    settle: SettleSample<Held>,
    diagnostics: Diagnostics,
    mostBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#mostBytes = mostBytes;
    this.#callchains = new DeferredCallchains((sample, userPart) => {
      this.#heldBytes -= sample.byteLength;
      if (userPart === null) {
        diagnostics.count('callchain-user-part-missing', `thread ${sample.tid}`);
      }
      settle(sample, userPart);
    });
  }

  /** A sample came whose user part is in the record with this cookie. */
  add(sample: Held, cookie: Cookie): void {
    this.#heldBytes += sample.byteLength;
    this.#callchains.add(sample.tid, cookie, sample);
    if (this.#heldBytes > this.#mostBytes) this.#callchains.giveUp();
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came. */
  apply(tid: number, cookie: Cookie, callchain: Float64Array): void {
    this.#callchains.apply(tid, cookie, callchain);
  }

  /** Settles all as they are: no more records come, or what is there is handed out. */
  giveUp(): void {
    this.#callchains.giveUp();
  }
}
