import { NONE } from '../base/brand.ts';
import type { JitCode } from '../code/jit/jit-code.ts';
import type { ProcessTable } from '../code/process/process-table.ts';
import type { DsoIndex, GuestName, MappingIndex } from '../code/process/types.ts';
import type { RecordedEvent } from '../formats/perf-data/event-list.ts';
import {
  firstUserEntry,
  isContextMarker,
  lookupAddressAt,
} from '../kernel/perf-event/callchain.ts';
import { PERF_CONTEXT, PERF_RECORD_MISC } from '../kernel/perf-event/constants.ts';
import type { SampleView } from '../kernel/perf-event/sample.ts';
import type { ProfileBuilder } from '../profile/profile-builder.ts';
import { CHAIN_FULL, StackRoots } from './unwind/stack-roots.ts';
import { NOT_UNWOUND } from './unwind/unwind-stacks.ts';

/** Code that is not of the machine which took the sample, by CPU mode. */
const GUEST_NAMES = new Map<number, GuestName>([
  [PERF_RECORD_MISC.GUEST_KERNEL, '[guest.kernel]'],
  [PERF_RECORD_MISC.GUEST_USER, '[guest.user]'],
  [PERF_RECORD_MISC.HYPERVISOR, '[hypervisor]'],
]);

/** Entries of a callchain that are remembered; few are deeper. */
const REMEMBERED_DEPTH = 256;

/** `kernel.perf_event_max_stack` where nobody has changed it. */
const DEFAULT_MAX_STACK = 127;

/** The callchain of a sample, since that of the next one is mostly much the same. */
export type ChainMemory = {
  /** Its entries, outermost first, and the stack at each depth. */
  readonly entries: Float64Array;
  readonly stacks: Int32Array;
  /** 0: nothing is remembered. */
  length: number;
  /** Stack row of the marker that the stacks begin with, −1 for whole ones. */
  marker: number;
};

export function newChainMemory(): ChainMemory {
  return {
    entries: new Float64Array(REMEMBERED_DEPTH),
    stacks: new Int32Array(REMEMBERED_DEPTH),
    length: 0,
    marker: NONE,
  };
}

/** Callchains as stacks of the profile: entries by DSO and address, where they are mapped right now. */
export class StackInterner {
  /** Code that JITs told of; null: all JIT code counts as one. */
  jit: JitCode | null = null;
  /** The roots at which stacks begin. */
  readonly roots: StackRoots;
  readonly #builder: ProfileBuilder;
  readonly #processes: ProcessTable;
  /** Frames that the kernel records at most. */
  readonly #attrMaxStack: Uint16Array;

  constructor(builder: ProfileBuilder, processes: ProcessTable, attrs: readonly RecordedEvent[]) {
    this.#builder = builder;
    this.#processes = processes;
    this.roots = new StackRoots(builder, attrs);
    this.#attrMaxStack = Uint16Array.from(
      attrs,
      ({ attr }) => attr.sampleMaxStack || DEFAULT_MAX_STACK,
    );
  }

  /** The stack of a sample whose unwinding ended for the reason `stop`; `last`: the chain before it. */
  // Hot: once per sample.
  stackOf(sample: SampleView, attrIndex: number, stop: number, last: ChainMemory): number {
    const mode = sample.misc & PERF_RECORD_MISC.CPUMODE_MASK;
    const hasChain = sample.callchainLength > 0;
    const stack = hasChain ? this.#internWithEnd(sample, attrIndex, stop, last) : NONE;
    // The callchain of a guest is that of the process that runs it.
    const isGuest = mode > PERF_RECORD_MISC.USER && GUEST_NAMES.has(mode);
    if (isGuest) return this.#internGuest(stack, sample.ip, mode);
    return hasChain ? stack : this.#internLeaf(sample.pid, sample.ip, mode);
  }

  #internWithEnd(sample: SampleView, attrIndex: number, stop: number, last: ChainMemory): number {
    const { callchain, callchainLength, pid } = sample;
    const maxStack = this.#attrMaxStack[attrIndex];
    const marker = this.roots.markerOf(
      stop === NOT_UNWOUND && callchainLength > maxStack && isFull(sample, maxStack)
        ? CHAIN_FULL
        : stop,
    );
    if (marker !== last.marker) {
      last.marker = marker;
      last.length = 0;
    }
    const stack = this.internCallchain(callchain, callchainLength, pid, last);
    if (stop >= 0 && marker === NONE) this.roots.noteRoot(last.stacks[0]);
    return stack;
  }

  /**
   * Interns a callchain from its outermost entry inwards. Context markers say whose the entries
   * after them are; the first entry after one is an instruction pointer, all others are return
   * addresses, looked up one byte before, inside the call.
   *
   * Consecutive samples of a CPU share most of their callers, so the outer entries that equal those
   * of the chain before keep their stacks without any lookup. The innermost of the equal entries is
   * looked up again: what follows it decides how.
   */
  // Hot: once per sample.
  internCallchain(
    callchain: Float64Array,
    callchainLength: number,
    pid: number,
    last: ChainMemory,
  ): number {
    const common = countCommon(callchain, callchainLength, last.entries, last.length);
    if (common === callchainLength && common === last.length) return last.stacks[common - 1];
    return this.#internRest(callchain, callchainLength, pid, last, Math.max(0, common - 1));
  }

  /** Interns the entries from `first` on, counted from the outermost, and remembers them. */
  // Hot: once per frame that differs from the one before.
  #internRest(
    callchain: Float64Array,
    callchainLength: number,
    pid: number,
    last: ChainMemory,
    first: number,
  ): number {
    const { entries, stacks } = last;
    const processes = this.#processes;
    const builder = this.#builder;
    const { mappings } = processes;
    const outermost = callchainLength - 1;
    const userEntries = firstUserEntry(callchain, callchainLength);
    const kernelEntries = callchain[0] === PERF_CONTEXT.KERNEL ? userEntries : 0;
    let stack = first === 0 ? last.marker : stacks[first - 1];
    for (let depth = first; depth < callchainLength; depth++) {
      const i = outermost - depth;
      const address = callchain[i];
      if (!isContextMarker(address)) {
        const lookup = lookupAddressAt(callchain, i);
        let mapping: MappingIndex;
        if (i < kernelEntries) mapping = processes.findKernelMapping(lookup);
        else if (i >= userEntries) mapping = processes.findUserMapping(pid, lookup);
        else mapping = processes.findMapping(pid, lookup);
        stack =
          mapping === NONE
            ? builder.extendStack(stack, this.#dsoAt(pid, NONE as MappingIndex, lookup), lookup)
            : builder.extendStack(
                stack,
                this.#dsoAt(pid, mapping, lookup),
                mappings.addressInDso(mapping, lookup),
              );
      }
      if (depth < REMEMBERED_DEPTH) {
        entries[depth] = address;
        stacks[depth] = stack;
      }
    }
    last.length = Math.min(callchainLength, REMEMBERED_DEPTH);
    return stack;
  }

  #internGuest(stack: number, ip: number, mode: number): number {
    const name = GUEST_NAMES.get(mode) as GuestName;
    const { dsos } = this.#processes;
    // Nothing of a guest is at addresses that are not exact.
    const dso = Number.isSafeInteger(ip) ? dsos.intern({ kind: 'guest', name }) : NONE;
    return this.#builder.extendStack(stack, dso, ip);
  }

  #internLeaf(pid: number, ip: number, mode: number): number {
    const processes = this.#processes;
    const { mappings } = processes;
    let mapping: MappingIndex;
    if (mode === PERF_RECORD_MISC.KERNEL) mapping = processes.findKernelMapping(ip);
    else if (mode === PERF_RECORD_MISC.USER) mapping = processes.findUserMapping(pid, ip);
    else mapping = processes.findMapping(pid, ip);
    if (mapping === NONE) return this.#builder.extendStack(NONE, NONE, ip);
    return this.#builder.extendStack(
      NONE,
      this.#dsoAt(pid, mapping, ip),
      mappings.addressInDso(mapping, ip),
    );
  }

  /** The mapping's DSO, −1 without one; of JIT code, in the generation that is at `address` now. */
  // Hot: once per frame.
  #dsoAt(pid: number, mapping: MappingIndex, address: number): DsoIndex {
    const dso = mapping === NONE ? (NONE as DsoIndex) : this.#processes.mappings.dso(mapping);
    return this.jit === null ? dso : this.jit.dsoAt(pid, dso, address);
  }
}

/**
 * Counts the outer entries that a callchain shares with the one that is remembered, which has the
 * outermost first. The loop is all of it, so that V8 compiles it after few samples.
 */
// Hot: once per frame.
function countCommon(
  callchain: Float64Array,
  callchainLength: number,
  entries: Float64Array,
  length: number,
): number {
  const most = Math.min(callchainLength, length);
  const outermost = callchainLength - 1;
  let common = 0;
  while (common < most && entries[common] === callchain[outermost - common]) common++;
  return common;
}

/** Whether the callchain has `maxStack` frames, markers aside; an unwound one may have more. */
function isFull({ callchain, callchainLength }: SampleView, maxStack: number): boolean {
  let frames = 0;
  for (let i = 0; i < callchainLength; i++) {
    if (!isContextMarker(callchain[i])) frames++;
  }
  return frames === maxStack;
}
