// Hot: once per sample.

import { type RawTime, writeAddress } from '../base/u64.ts';
import { MOST_FRAMES } from '../code/unwind/unwinder.ts';
import { firstUserEntry } from '../kernel/perf-event/callchain.ts';
import { PERF_FORMAT, PERF_RECORD_MISC, PERF_SAMPLE } from '../kernel/perf-event/constants.ts';
import type { ParseInfo } from '../kernel/perf-event/parse-info.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import type { StackUnwinder } from '../read/unwind/unwind-stacks.ts';
import {
  isContextMarkerAt,
  isKernelAddressAt,
  type KernelAddresses,
  writeMarker,
} from './kernel-marker.ts';
import type { RawCleaner } from './raw-cleaner.ts';
import type { RecordBuffer } from './record-buffer.ts';

const BRANCH_ENTRY_SIZE = 24;
/** Maximum growth of a callchain: two entries a frame. */
const MOST_CHAIN_BYTES = 16 * MOST_FRAMES + 16;
/** Fields of 8 bytes between PHYS_ADDR and AUX. */
const BEHIND_PHYS_ADDR = [
  PERF_SAMPLE.CGROUP,
  PERF_SAMPLE.DATA_PAGE_SIZE,
  PERF_SAMPLE.CODE_PAGE_SIZE,
] as const;

// Low halves of the context markers below which the entries are the kernel's, and the user's.
const KERNEL_CONTEXTS = new Set([-32, -128, -2176].map((marker) => marker >>> 0));
const DEFERRED_CONTEXT = -640 >>> 0;

/** Unwinds the samples of one event before their stacks go; times of code begin at `startTime`. */
export type Unwinding = {
  readonly unwinder: StackUnwinder;
  readonly attrIndex: number;
  readonly startTime: RawTime;
};

/**
 * Writes samples of one event without the fields in `removed`, and without kernel addresses if
 * `kernel` is given. A field that goes leaves no gap: positions behind it move.
 */
export class SampleRewriter {
  readonly #info: ParseInfo;
  readonly #removed: number;
  readonly #kernel: KernelAddresses | null;
  readonly #raw: RawCleaner | null;
  readonly #unwinding: Unwinding | null;
  readonly #sample: SampleView;
  // The sample being written: where it is read up to, and where it is written to.
  #in: DataView = new DataView(new ArrayBuffer(0));
  #from = 0;
  #out: RecordBuffer | null = null;

  constructor(
    info: ParseInfo,
    removed: number,
    kernel: KernelAddresses | null,
    raw: RawCleaner | null,
    unwinding: Unwinding | null = null,
  ) {
    this.#info = info;
    this.#removed = removed;
    this.#kernel = kernel;
    this.#raw = raw;
    this.#unwinding = unwinding;
    this.#sample = new SampleView(unwinding?.startTime ?? { high: 0, low: 0 });
  }

  /** Appends the sample to `out`. False, and nothing is written, if it can't be taken apart. */
  rewrite(record: RecordView, out: RecordBuffer): boolean {
    const sample = this.#sample;
    if (!decodeSample(record, this.#info, sample)) return false;
    const { view, offset, end, misc } = record;
    const { sampleType, littleEndian } = this.#info;
    const removed = this.#removed;
    const isUnwound = this.#unwind();
    out.begin(record.size + 8 + MOST_CHAIN_BYTES);
    this.#in = view;
    this.#from = offset;
    this.#out = out;
    if (this.#kernel !== null) this.#stripHead(offset, misc, this.#kernel);
    if (isUnwound) {
      this.#writeCallchain(this.#callchainOffset(offset));
    } else if (this.#kernel !== null && sampleType & PERF_SAMPLE.CALLCHAIN) {
      this.#stripCallchain(this.#callchainOffset(offset), misc, this.#kernel);
    }
    if (this.#raw !== null && sample.rawOffset >= 0) {
      this.#copyUntil(sample.rawOffset);
      const at = out.position;
      this.#copyUntil(sample.rawOffset + sample.rawLength);
      this.#raw.clean(out.view, at, sample.rawLength);
    }
    if (this.#kernel !== null && sample.branchCount > 0) this.#stripBranches(this.#kernel);
    if (removed & PERF_SAMPLE.REGS_USER) {
      this.#remove(sample.userRegsOffset - 8, 8 + 8 * sample.userRegsCount);
    }
    if (removed & PERF_SAMPLE.STACK_USER) {
      const { stackSize } = sample;
      this.#remove(sample.stackOffset - 8, stackSize === 0 ? 8 : stackSize + 16);
    }
    if (removed & PERF_SAMPLE.REGS_INTR) {
      this.#remove(sample.interruptRegsOffset - 8, 8 + 8 * sample.interruptRegsCount);
    }
    const auxOffset = sampleType & PERF_SAMPLE.AUX ? sample.auxOffset - 8 : end;
    if (removed & PERF_SAMPLE.PHYS_ADDR) {
      let behind = 8;
      for (let i = 0; i < BEHIND_PHYS_ADDR.length; i++) {
        if (sampleType & BEHIND_PHYS_ADDR[i]) behind += 8;
      }
      this.#remove(auxOffset - behind, 8);
    }
    if (removed & PERF_SAMPLE.AUX) this.#remove(auxOffset, 8 + sample.auxSize);
    this.#copyUntil(end);
    out.end(littleEndian);
    return true;
  }

  /** True if the callchain to be written is that of the decoded sample, not that of the input. */
  #unwind(): boolean {
    const unwinding = this.#unwinding;
    if (unwinding === null) return false;
    unwinding.unwinder.complete(this.#sample, unwinding.attrIndex);
    const isAdded = (this.#info.sampleType & PERF_SAMPLE.CALLCHAIN) === 0;
    return unwinding.unwinder.hasChanged || isAdded;
  }

  /**
   * struct { u64 nr; u64 ips[nr]; }, in place of the input's if it has one. With `kernel` the entries
   * before the user part become one marker.
   */
  #writeCallchain(chainOffset: number): void {
    const { littleEndian, sampleType } = this.#info;
    const { callchain, callchainLength } = this.#sample;
    const out = this.#out as RecordBuffer;
    this.#copyUntil(chainOffset);
    if (sampleType & PERF_SAMPLE.CALLCHAIN) {
      const low = chainOffset + (littleEndian ? 0 : 4);
      this.#from = chainOffset + 8 + 8 * this.#in.getUint32(low, littleEndian);
    }
    const countAt = out.take(8);
    let first = 0;
    let written = 0;
    const userPart = firstUserEntry(callchain, callchainLength) - 1;
    if (this.#kernel !== null && userPart > 0) {
      first = userPart;
      writeAddress(out.view, out.take(8), callchain[0], littleEndian);
      writeMarker(out.view, out.take(8), littleEndian);
      written = 2;
    }
    for (let i = first; i < callchainLength; i++) {
      writeAddress(out.view, out.take(8), callchain[i], littleEndian);
      written++;
    }
    writeAddress(out.view, countAt, written, littleEndian);
  }

  #copyUntil(end: number): void {
    this.#out?.copy(this.#in, this.#from, end - this.#from);
    this.#from = end;
  }

  #remove(at: number, size: number): void {
    this.#copyUntil(at);
    this.#from = at + size;
  }

  /** IP and ADDR. */
  #stripHead(offset: number, misc: number, kernel: KernelAddresses): void {
    const { sampleType, littleEndian } = this.#info;
    const out = this.#out as RecordBuffer;
    const start = out.position;
    this.#copyUntil(offset + this.#info.sampleFixedSize);
    let at = start + 8 + (sampleType & PERF_SAMPLE.IDENTIFIER ? 8 : 0);
    const inKernel = isKernelMode(misc);
    if (sampleType & PERF_SAMPLE.IP) {
      if (inKernel || isKernelAddressAt(out.view, at, kernel)) {
        writeMarker(out.view, at, littleEndian);
      }
      at += 8;
    }
    if ((sampleType & PERF_SAMPLE.ADDR) === 0) return;
    at += sampleType & PERF_SAMPLE.TID ? 8 : 0;
    at += sampleType & PERF_SAMPLE.TIME ? 8 : 0;
    const isUnsure = kernel.overlap && inKernel;
    if (
      (isUnsure || isKernelAddressAt(out.view, at, kernel)) &&
      !isContextMarkerAt(out.view, at, littleEndian)
    ) {
      writeMarker(out.view, at, littleEndian);
    }
  }

  /** Offset behind the fixed part and the counters read: struct in read-format.ts. */
  #callchainOffset(offset: number): number {
    const { sampleType, readFormat, sampleFixedSize } = this.#info;
    const at = offset + sampleFixedSize;
    if ((sampleType & PERF_SAMPLE.READ) === 0) return at;
    const isGroup = (readFormat & PERF_FORMAT.GROUP) !== 0;
    let perCounter = 8;
    if (readFormat & PERF_FORMAT.ID) perCounter += 8;
    if (readFormat & PERF_FORMAT.LOST) perCounter += 8;
    let times = 0;
    if (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED) times += 8;
    if (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING) times += 8;
    return at + times + (isGroup ? 8 : 0) + perCounter * this.#sample.readCount;
  }

  /**
   * The entries of one kernel context become one marker. Those before the first context are of the
   * record's CPU mode. A deferred context ends in a cookie, which is no address.
   */
  #stripCallchain(chainOffset: number, misc: number, kernel: KernelAddresses): void {
    const { littleEndian } = this.#info;
    const view = this.#in;
    const out = this.#out as RecordBuffer;
    this.#copyUntil(chainOffset);
    const count = view.getUint32(chainOffset + (littleEndian ? 0 : 4), littleEndian);
    const countAt = out.position;
    this.#copyUntil(chainOffset + 8);
    let inKernel = isKernelMode(misc);
    let isMarked = false;
    let isCookie = false;
    let written = 0;
    for (let i = 0; i < count; i++) {
      const at = chainOffset + 8 + 8 * i;
      const isContext = !isCookie && isContextMarkerAt(view, at, littleEndian);
      if (isContext) {
        const low = view.getUint32(at + (littleEndian ? 0 : 4), littleEndian);
        inKernel = KERNEL_CONTEXTS.has(low);
        isCookie = low === DEFERRED_CONTEXT;
        isMarked = false;
      } else if (!isCookie && (inKernel || isKernelAddressAt(view, at, kernel))) {
        this.#from = at + 8;
        if (!isMarked) {
          writeMarker(out.view, out.take(8), littleEndian);
          written++;
        }
        isMarked = true;
        continue;
      }
      out.copy(view, at, 8);
      this.#from = at + 8;
      written++;
    }
    out.view.setUint32(countAt + (littleEndian ? 0 : 4), written, littleEndian);
  }

  #stripBranches(kernel: KernelAddresses): void {
    const { branchOffset, branchCount } = this.#sample;
    const out = this.#out as RecordBuffer;
    this.#copyUntil(branchOffset);
    const start = out.position;
    this.#copyUntil(branchOffset + BRANCH_ENTRY_SIZE * branchCount);
    for (let i = 0; i < branchCount; i++) {
      const at = start + BRANCH_ENTRY_SIZE * i;
      if (isKernelAddressAt(out.view, at, kernel)) writeMarker(out.view, at, kernel.littleEndian);
      if (isKernelAddressAt(out.view, at + 8, kernel)) {
        writeMarker(out.view, at + 8, kernel.littleEndian);
      }
    }
  }
}

/** Whether a record of this misc is about kernel code, the host's or a guest's. */
export function isKernelMode(misc: number): boolean {
  const mode = misc & PERF_RECORD_MISC.CPUMODE_MASK;
  return (
    mode === PERF_RECORD_MISC.KERNEL ||
    mode === PERF_RECORD_MISC.HYPERVISOR ||
    mode === PERF_RECORD_MISC.GUEST_KERNEL
  );
}
