// Hot: once per sample.

import { NONE } from '../base/brand.ts';
import { knownCpu } from '../base/cpu-number.ts';
import type { JitCode } from '../code/jit/jit-code.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import {
  DeferredCallchains,
  type HeldSample,
  readCookie,
  type SettleSample,
} from '../kernel/perf-event/deferred-callchain.ts';
import type { LbrInnermost } from '../kernel/perf-event/lbr-callchain.ts';
import { newerFields } from '../kernel/perf-event/parse-info.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import { GroupReads, type MemberInstance } from './logs/group-reads.ts';
import { LbrStacks } from './unwind/lbr-stacks.ts';
import { completesStacks, NOT_UNWOUND, type StackUnwinder } from './unwind/unwind-stacks.ts';
import { placeWaiting } from './unwind/waiting-frames.ts';

/** How those who read samples complete them. */
export type CompletionOptions<Held> = {
  /** The entry that branch stacks have for the innermost user frame. */
  readonly innermost: LbrInnermost;
  /** Gets the samples that were held. */
  readonly settle: SettleSample<Held>;
  /** Bytes of samples that are held; beyond them all settle as they are. */
  readonly mostHeldBytes?: number;
};

/**
 * The steps that make a sample complete, the same for the profile and for `script`, so that both
 * name a frame alike:
 *
 *   decode ─▶ JIT code as of its time ─▶ put interpreted functions that wait at their bytecode ─▶ unwind its stack dump, or join its branch stack
 *          ─▶ hold it, if the user part of its callchain is in a CALLCHAIN_DEFERRED record to come
 *
 * `Held` stands for a sample that is held.
 */
export class SampleCompletion<Held extends HeldSample> {
  /** The sample that was decoded last. */
  readonly sample: SampleView;
  jit: JitCode | null = null;
  /** Null: stack dumps are not unwound. */
  unwinder: StackUnwinder | null = null;
  /** Whether other code came to some address since the sample before. */
  hasNewCode = false;
  /** Whether the user part of the callchain was unwound from its stack dump. */
  isUnwound = false;
  readonly #data: PerfData;
  readonly #attrCopiesStacks: Uint8Array;
  /** Events whose callchains are the kernel's alone. */
  readonly #attrIsWhole: Uint8Array;
  readonly #lbr: LbrStacks;
  readonly #groups = new GroupReads();
  readonly #deferred: DeferredCallchains<Held>;

  constructor(data: PerfData, { innermost, settle, mostHeldBytes }: CompletionOptions<Held>) {
    this.#data = data;
    this.sample = new SampleView(data.startTime);
    this.#attrCopiesStacks = Uint8Array.from(data.attrs, ({ attr }) =>
      completesStacks(attr) ? 1 : 0,
    );
    this.#attrIsWhole = Uint8Array.from(data.attrs, ({ attr, info }) =>
      completesStacks(attr) || info.hasLbrCallchain ? 0 : 1,
    );
    this.#lbr = new LbrStacks(data, innermost);
    this.#deferred = new DeferredCallchains(settle, data.diagnostics, mostHeldBytes);
  }

  /** Decodes a SAMPLE record into `sample`. False, and counted, if it can't be read. */
  decode(record: RecordView, attrIndex: number): boolean {
    this.hasNewCode = false;
    this.isUnwound = false;
    const { sample } = this;
    if (!decodeSample(record, this.#data.attrs[attrIndex].info, sample)) {
      this.#countUnreadable(attrIndex);
      return false;
    }
    if (sample.cpu !== knownCpu(sample.cpu)) this.#dropCpu();
    return true;
  }

  #dropCpu(): void {
    const { sample } = this;
    this.#data.diagnostics.count('number-out-of-range', `a sample of CPU ${sample.cpu}`);
    sample.cpu = NONE;
  }

  #countUnreadable(attrIndex: number): void {
    const { attrs, diagnostics } = this.#data;
    const newer = newerFields(attrs[attrIndex].attr);
    if (newer === null) diagnostics.count('sample-too-short');
    else diagnostics.count('sample-fields-newer', newer);
  }

  /**
   * Completes the callchain of `sample`. Returns why the stack ends (`STOP`, `LBR_…`), NOT_UNWOUND
   * where the callchain stays as it was recorded, or goes on by frame pointer.
   */
  complete(attrIndex: number): number {
    const { sample, unwinder } = this;
    if (this.jit !== null) {
      this.hasNewCode = this.jit.advance(sample.timeNs);
      placeWaiting(sample, this.jit);
    }
    if (this.#attrIsWhole[attrIndex] === 1) return NOT_UNWOUND;
    if (unwinder !== null && this.#attrCopiesStacks[attrIndex] === 1) {
      const stop = unwinder.complete(sample, attrIndex);
      this.isUnwound = unwinder.hasChanged;
      return stop;
    }
    const { hasLbrCallchain } = this.#data.attrs[attrIndex].info;
    return hasLbrCallchain ? this.#lbr.complete(sample) : NOT_UNWOUND;
  }

  /** The events that a counter read by `sample` has counted since the sample before of its instance. */
  readMember(attrIndex: number, member: number, id: number): MemberInstance {
    const { sample } = this;
    const { inherit } = this.#data.attrs[attrIndex].attr.flags;
    return this.#groups.read(sample, inherit, id, sample.readValues[member]);
  }

  /** Whether the user part of the callchain of `sample` comes in a record of its own. */
  get isDeferred(): boolean {
    return this.sample.deferredCookieOffset >= 0;
  }

  /** Keeps `held`, which stands for `sample`, until the user part of its callchain comes. */
  hold(held: Held): void {
    const { view, deferredCookieOffset } = this.sample;
    this.#deferred.add(held, readCookie(view, deferredCookieOffset, this.#data.littleEndian));
  }

  /** A CALLCHAIN_DEFERRED record of `tid` came: settles the samples that waited for it. */
  settle(tid: number, record: { readonly cookie: string; readonly callchain: Float64Array }): void {
    this.#deferred.apply(tid, record.cookie, record.callchain);
  }

  /** Settles the samples that are held without their user part. */
  settleAll(): void {
    this.#deferred.giveUp();
  }
}
