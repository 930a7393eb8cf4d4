// Hot: once per sample.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import { formatAddress, readAddress } from '../../base/u64.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { SymbolProvider } from '../../code/symbols/symbol-request.ts';
import { createUnwinder } from '../../code/unwind/architectures/create-unwinder.ts';
import type { UnwindArchitecture } from '../../code/unwind/module-input.ts';
import { RegisterDump } from '../../code/unwind/register-dump.ts';
import {
  createStackBytes,
  type StackBytes,
  type StackBytes32,
  wordBytesOf,
} from '../../code/unwind/stack-bytes.ts';
import { isRoot, STOP, STOP_NAMES } from '../../code/unwind/stop-reason.ts';
import type { Unwinder } from '../../code/unwind/unwinder.ts';
import { MOST_FRAMES } from '../../code/unwind/unwinder.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { firstUserEntry, isContextMarker } from '../../kernel/perf-event/callchain.ts';
import {
  PERF_CONTEXT,
  PERF_SAMPLE,
  PERF_SAMPLE_REGS_ABI,
} from '../../kernel/perf-event/constants.ts';
import type { ParseInfo } from '../../kernel/perf-event/parse-info.ts';
import {
  type RegisterArchitecture,
  registerArchitectureOf,
  registerName,
} from '../../kernel/perf-event/register-names.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { debugLog } from '../../system/debug-log.ts';
import { openPoolSamples } from '../jit/loop-streams.ts';
import type { PoolSamples } from '../jit/pool-work.ts';
import { InterpretedFrames, locateCopy } from './interpreted-frames.ts';
import { MappedModules } from './unwind-modules.ts';

const debug = debugLog('unwind');

/** `complete` had nothing to unwind: the callchain is what the kernel recorded. */
export const NOT_UNWOUND = -1;
/** `complete` has no unwinder for the architecture and knows the ip only. Behind the `STOP`s. */
export const NO_UNWINDER = STOP_NAMES.length;

/** The registers of x86-64 that perf records and arm64 has none of. */
const X86_64_REGISTERS = 24;

/**
 * Turns copied user stacks into callchains. `complete` replaces the user part of a sample's callchain
 * by what unwinding finds, so that all who read callchains see whole ones:
 *
 *   recorded   KERNEL  k0 k1
 *   complete   KERNEL  k0 k1  USER  ip  r1 r2 r3
 *
 * After a signal handler the interrupted function goes on at an instruction, not behind a call. Such a
 * frame, and that of the trampoline above it, get a USER marker of their own, behind which entries
 * are instruction pointers.
 *
 * Where frame pointers were followed as well and the copy ends too early, the chain of frame pointers
 * goes on from the last return address that both have.
 */
export class StackUnwinder {
  /** Whether the last `complete` changed the sample's callchain. */
  hasChanged = false;
  readonly #makeModules: (architecture: UnwindArchitecture) => MappedModules;
  readonly #data: PerfData;
  readonly #jit: JitCode | null;
  readonly #interpreted: InterpretedFrames | null;
  readonly #diagnostics: Diagnostics;
  /** Null where the recording has no work of libuv's pool. */
  readonly poolSamples: PoolSamples | null;
  readonly #frames = new Float64Array(MOST_FRAMES);
  /** A 64-bit kernel runs code of 32 bits, too. */
  readonly #machines = new Map<UnwindArchitecture, Machine>();
  /** Dumps by attr index, of 64 and of 32 bits; null: of no architecture that is unwound. */
  readonly #wide: (EventDump | null | undefined)[] = [];
  readonly #narrow: (EventDump | null | undefined)[] = [];
  readonly #leaves: (UserLeaf | undefined)[] = [];
  /** Whether an event has callchains by frame pointer and copies of the innermost frames, by attr index. */
  readonly #isLeaf: Uint8Array;
  /** Processes that ran code of 64 bits. */
  readonly #wideProcesses = new Set<number>();

  /**
   * `jit` knows the frame tables of JIT code and goes on to the time of each sample; without it frame
   * pointers are followed there.
   */
  constructor(
    data: PerfData,
    processes: ProcessTable,
    provider: SymbolProvider,
    jit: JitCode | null = null,
  ) {
    this.#data = data;
    this.#jit = jit;
    this.#interpreted = jit === null ? null : new InterpretedFrames(jit);
    this.#diagnostics = data.diagnostics;
    this.poolSamples = openPoolSamples(data);
    this.#isLeaf = Uint8Array.from(data.attrs, ({ attr }) => (copiesLeaf(attr) ? 1 : 0));
    const listed = (data.features.buildIds ?? []).map(
      ({ filename, buildId }) => [filename, buildId] as const,
    );
    const buildIds = new Map(listed);
    this.#makeModules = (architecture) => {
      // Frame tables of JIT code are read as those of 64-bit code.
      const tables = wordBytesOf(architecture) === 8 ? jit : null;
      return new MappedModules(processes, provider, buildIds, data, tables, architecture);
    };
  }

  /**
   * Unwinds the copied stack of `sample` into its callchain. Returns why the stack ends (`STOP`), NOT_UNWOUND where
   * the callchain stays or goes on by frame pointer.
   */
  complete(sample: SampleView, attrIndex: number): number {
    this.hasChanged = false;
    this.poolSamples?.note(sample);
    if (this.#isLeaf[attrIndex] === 1) {
      this.#completeLeaf(sample, attrIndex);
      return NOT_UNWOUND;
    }
    const abi = sample.userRegsAbi;
    // A kernel thread has no registers of user code.
    if (abi === PERF_SAMPLE_REGS_ABI.NONE) return NOT_UNWOUND;
    const found = this.#dumpOf(attrIndex, abi === PERF_SAMPLE_REGS_ABI.ABI_64);
    if (found === null) return this.#appendLeaf(sample, attrIndex);
    const { dump, machine } = found;
    const { unwinder, modules, stack } = machine;
    const { info } = this.#data.attrs[attrIndex] as { info: ParseInfo };
    if ((info.sampleType & PERF_SAMPLE.CALLCHAIN) === 0) sample.callchainLength = 0;
    const { view } = sample;
    const registers = dump.read(view, sample.userRegsOffset, sample.userRegsCount);
    const stackPointer = registers[dump.stackPointer];
    stack.set(view, sample.stackOffset, sample.stackDynamicSize, stackPointer);
    this.#jit?.advance(sample.timeNs);
    modules.enter(sample.pid);
    let count = unwinder.unwind(registers, stack, modules, this.#frames, dump);
    if (count === 1 && !isRoot(unwinder.stopReason) && unwinder.stopReason !== STOP.STACK_CUT) {
      // A system call is the last instruction of the function that returns from signals: while the
      // kernel is at it, the ip lies behind the function, where another one's rules hold.
      const ip = registers[dump.instructionPointer];
      registers[dump.instructionPointer] = ip - 1;
      count = unwinder.unwind(registers, stack, modules, this.#frames, dump);
      this.#frames[0] = ip;
    }
    debug?.(
      `pid ${sample.pid} tid ${sample.tid} at ${sample.timeNs} ns: ${count} frames, ` +
        `${STOP_NAMES[unwinder.stopReason]} behind ${formatAddress(this.#frames[count - 1])}`,
    );
    return this.#join(sample, count, found);
  }

  /**
   * Puts the callers of code without a frame into a callchain by frame pointer, which begins with the caller of the last
   * function that has one:
   *
   *   recorded   ip of a handler                            caller of f …
   *   completed  ip of a handler  entry of f, or bytecode   caller of f …
   *
   * They are what rules by stack pointer find in the copy, as long as no frame pointer is needed. Where the kernel was
   * interrupted, its registers say nothing: then only offsets in the copy are known, which is enough.
   */
  #completeLeaf(sample: SampleView, attrIndex: number): void {
    const { callchain, callchainLength, view } = sample;
    const first = firstUserEntry(callchain, callchainLength);
    const found = this.#dumpOf(attrIndex, true);
    if (first >= callchainLength || sample.stackDynamicSize === 0 || found === null) return;
    const { dump, machine } = found;
    const { unwinder, modules, stack } = machine;
    const ip = callchain[first];
    const isUser = sample.ip === ip && sample.interruptRegsAbi === PERF_SAMPLE_REGS_ABI.ABI_64;
    if (isUser) this.#wideProcesses.add(sample.pid);
    else if (!this.#wideProcesses.has(sample.pid)) return;
    const count = isUser ? sample.interruptRegsCount : 0;
    const registers = dump.read(view, sample.interruptRegsOffset, count);
    if (!isUser) {
      registers.fill(Number.NaN);
      registers[dump.stackPointer] = UNKNOWN_STACK;
    }
    registers[dump.instructionPointer] = ip;
    const fp = registers[dump.framePointer];
    stack.set(view, sample.stackOffset, sample.stackDynamicSize, registers[dump.stackPointer]);
    this.#jit?.advance(sample.timeNs);
    modules.enter(sample.pid);
    const caller = first + 1 < callchainLength ? callchain[first + 1] : Number.NaN;
    const length = unwinder.unwind(registers, stack, modules, this.#frames, undefined, caller);
    const frames = countUserFrames(this.#frames, length);
    const joint = this.#frames.subarray(0, frames).indexOf(caller, 1);
    // Behind a frame that restores its caller's frame pointer the recorded chain is another one.
    const isChain = joint === NONE && Object.is(unwinder.framePointer, fp);
    const missing = joint !== NONE ? joint - 1 : isChain ? frames - 1 : 0;
    if (missing > 0 && !unwinder.isExact.subarray(1, missing + 1).includes(1)) {
      insertCallers(sample, first + 1, this.#frames, missing);
      this.hasChanged = true;
    }
    this.#placeInCallchain(sample, first, found, isUser ? NONE : this.hasChanged ? 1 + missing : 1);
  }

  /**
   * Puts what is interpreted of a callchain by frame pointer, whose first user entry is `first`, at its bytecode. Without
   * registers, `record` is the entry behind which the frame pointers begin; −1 with them.
   */
  #placeInCallchain(
    sample: SampleView,
    first: number,
    { machine, dump }: EventDump,
    record: number,
  ): void {
    const { unwinder, stack } = machine;
    const { pid } = sample;
    const interpreted = this.#interpreted;
    if (unwinder.architecture !== 'x86-64' || interpreted?.isNeeded(pid) !== true) return;
    const { registers } = dump;
    const chain = sample.callchain.subarray(first, sample.callchainLength);
    if (record === NONE) dump.readOthers();
    else registers[dump.framePointer] = locateCopy(stack, chain, record);
    const byStack = interpreted.place(pid, registers, stack, chain, NONE_EXACT, chain.length);
    const byRegisters = interpreted.placeInnermost(sample, first, registers);
    if (byStack || byRegisters) this.hasChanged = true;
  }

  /** Closes the files. */
  close(): void {
    for (const { modules } of this.#machines.values()) modules.close();
  }

  /** Puts the first `count` frames into the callchain. */
  #join(sample: SampleView, found: number, from: EventDump): number {
    const { unwinder } = from.machine;
    const count = countUserFrames(this.#frames, found);
    if (count === 0) return NOT_UNWOUND;
    const { callchain, callchainLength } = sample;
    const { isExact } = unwinder;
    const frames = this.#frames;
    const stop = unwinder.stopReason;
    const firstUser = firstUserEntry(callchain, callchainLength);
    const recorded = callchainLength - firstUser;
    const kernelLength = recorded > 0 ? firstUser - 1 : callchainLength;
    let rest = 0;
    let taken = count;
    let result = stop;
    if (recorded > 1 && !isRoot(stop)) {
      const joint = this.#findJoint(callchain, firstUser, callchainLength, count);
      if (joint >= 0) {
        taken = this.#jointFrame;
        rest = countExact(callchain, joint, callchainLength) - joint;
        // Behind what will be written: at most two entries a frame.
        callchain.copyWithin(callchain.length - rest, joint, joint + rest);
        result = NOT_UNWOUND;
      } else if (count === 1) {
        return NOT_UNWOUND;
      }
    }
    this.hasChanged = true;
    this.#placeInterpreted(sample.pid, count, from);
    let at = kernelLength;
    callchain[at++] = PERF_CONTEXT.USER;
    for (let i = 0; i < taken; i++) {
      const isSignal = i > 0 && (isExact[i] === 1 || (i + 1 < taken && isExact[i + 1] === 1));
      if (isSignal) callchain[at++] = PERF_CONTEXT.USER;
      callchain[at++] = frames[i];
    }
    if (rest > 0) {
      callchain.copyWithin(at, callchain.length - rest);
      at += rest;
    }
    sample.callchainLength = at;
    return result;
  }

  #placeInterpreted(pid: number, count: number, { machine, dump }: EventDump): void {
    const { unwinder, stack } = machine;
    if (unwinder.architecture !== 'x86-64' || this.#interpreted?.isNeeded(pid) !== true) return;
    dump.readOthers();
    this.#interpreted.place(pid, dump.registers, stack, this.#frames, unwinder.isExact, count);
  }

  #jointFrame = 0;

  /**
   * The place where the recorded chain goes on: the first entry from which on nothing was unwound. The last unwound
   * return address that both have joins them; `#jointFrame` is its place. −1 if there is none.
   */
  #findJoint(callchain: Float64Array, firstUser: number, length: number, count: number): number {
    for (let i = count - 1; i > 0; i--) {
      const address = this.#frames[i];
      for (let entry = length - 1; entry > firstUser; entry--) {
        if (callchain[entry] !== address) continue;
        this.#jointFrame = i;
        return entry;
      }
    }
    return NONE;
  }

  #dumpOf(attrIndex: number, is64: boolean): EventDump | null {
    const dumps = is64 ? this.#wide : this.#narrow;
    let dump = dumps[attrIndex];
    if (dump === undefined) {
      dump = this.#makeDump(this.#data.attrs[attrIndex]?.attr, is64);
      dumps[attrIndex] = dump;
    }
    return dump;
  }

  /** Appends the ip on architectures that are not unwound, unless frame pointers were followed as well. */
  #appendLeaf(sample: SampleView, attrIndex: number): number {
    let leaf = this.#leaves[attrIndex];
    if (leaf === undefined) {
      const { littleEndian, features } = this.#data;
      const named = registerArchitectureOf(features.arch ?? null);
      const { attr } = this.#data.attrs[attrIndex] as { attr: EventAttr };
      leaf = new UserLeaf(named, attr.sampleRegsUser, littleEndian);
      this.#leaves[attrIndex] = leaf;
    }
    const { info } = this.#data.attrs[attrIndex] as { info: ParseInfo };
    if ((info.sampleType & PERF_SAMPLE.CALLCHAIN) === 0) sample.callchainLength = 0;
    this.hasChanged = leaf.append(sample);
    return this.hasChanged ? NO_UNWINDER : NOT_UNWOUND;
  }

  #makeDump(attr: EventAttr, is64: boolean): EventDump | null {
    const architecture = this.#architectureOf(attr, is64);
    if (architecture === null) {
      const { arch } = this.#data.features;
      this.#diagnostics.count('unwind-architecture-unknown', arch ?? '');
      return null;
    }
    const machine = getOrMake(this.#machines, architecture, () => ({
      unwinder: createUnwinder(architecture),
      modules: this.#makeModules(architecture),
      stack: createStackBytes(architecture),
    }));
    const mask = copiesLeaf(attr) ? attr.sampleRegsIntr : attr.sampleRegsUser;
    return { machine, dump: new RegisterDump(architecture, mask) };
  }

  /**
   * A pipe may not say where it comes from; then the registers tell. Those of 32-bit Arm are no more
   * than those of x86, which is taken for granted there.
   */
  #architectureOf(attr: EventAttr, is64: boolean): UnwindArchitecture | null {
    const { littleEndian, features } = this.#data;
    if (!littleEndian) return null;
    const { arch } = features;
    const isKnown = arch !== undefined && arch !== null;
    const areX86 = attr.sampleRegsUser >> BigInt(X86_64_REGISTERS) === 0n;
    const named = isKnown ? registerArchitectureOf(arch) : areX86 ? 'x86' : 'arm64';
    if (named === 'x86') return is64 ? 'x86-64' : 'i386';
    if (named === 'arm64') return is64 ? 'aarch64' : 'arm';
    return named === 'arm' && !is64 ? 'arm' : null;
  }
}

/** The stack pointer where it is not known: an address with room on both sides. */
const UNKNOWN_STACK = 2 ** 46;
const NONE_EXACT = new Uint8Array(MOST_FRAMES);

/** Puts entries 1 to `count` of `frames` into the callchain in front of entry `at`. */
function insertCallers(sample: SampleView, at: number, frames: Float64Array, count: number): void {
  const { callchain, callchainLength } = sample;
  if (callchainLength + count > callchain.length) return;
  callchain.copyWithin(at + count, at, callchainLength);
  callchain.set(frames.subarray(1, 1 + count), at);
  sample.callchainLength = callchainLength + count;
}

/** The unwinder of one architecture's code, and its inputs. */
type Machine = {
  readonly unwinder: Unwinder;
  readonly modules: MappedModules;
  readonly stack: StackBytes | StackBytes32;
};

/** How the register dumps of an event are read, and who unwinds them. */
type EventDump = { readonly machine: Machine; readonly dump: RegisterDump };

/**
 * Frames up to the first that is none of user code. Only the innermost may lie in the kernel's half:
 * the ip of a sample may have got there before its registers were read.
 */
function countUserFrames(frames: Float64Array, length: number): number {
  for (let i = 0; i < length; i++) {
    const address = frames[i];
    if (address < 0 && (i > 0 || isContextMarker(address))) return i;
    if (!Number.isSafeInteger(address)) return i;
  }
  return length;
}

/** Index of the first entry from `start` on that is no exact address, `end` if all are. */
function countExact(addresses: Float64Array, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    if (!Number.isSafeInteger(addresses[i])) return i;
  }
  return end;
}

/** Whether the samples of `attr` bring any of the stack that their callchain is completed by. */
export function completesStacks(attr: EventAttr): boolean {
  return copiesStacks(attr) || copiesLeaf(attr);
}

const USER_COPIES = PERF_SAMPLE.REGS_USER | PERF_SAMPLE.STACK_USER;

/** Whether the samples of `attr` bring what is needed to unwind them. */
export function copiesStacks({ sampleType }: EventAttr): boolean {
  return (sampleType & USER_COPIES) === USER_COPIES;
}

/** Whether the samples of `attr` have callchains by frame pointer and the innermost words of the stack. */
export function copiesLeaf({ sampleType }: EventAttr): boolean {
  const hasCallchain = (sampleType & PERF_SAMPLE.CALLCHAIN) !== 0;
  return hasCallchain && (sampleType & USER_COPIES) === PERF_SAMPLE.STACK_USER;
}

/** Names of the register with the ip. */
const NAMES: ReadonlySet<string> = new Set(['pc', 'PC', 'nip', 'IP']);

/**
 * Finds the ip of user code in register dumps of an architecture that is not unwound. It is all that
 * is known of the user part of a sample in the kernel.
 */
class UserLeaf {
  readonly #littleEndian: boolean;
  /** Place in the dump, −1 where it has no ip. */
  readonly #place: number;

  /** `mask` is the event's `sample_regs_user`. */
  constructor(architecture: RegisterArchitecture | null, mask: bigint, littleEndian: boolean) {
    this.#littleEndian = littleEndian;
    const recorded = Array.from({ length: 64 }, (_, number) => number).filter(
      (number) => ((mask >> BigInt(number)) & 1n) !== 0n,
    );
    this.#place = recorded.findIndex((number) => NAMES.has(registerName(architecture, number)));
  }

  /** Whether the callchain of `sample` got the ip as its user part. */
  append(sample: SampleView): boolean {
    const { view, callchain, callchainLength } = sample;
    const hasUserPart = firstUserEntry(callchain, callchainLength) < callchainLength;
    if (hasUserPart || this.#place < 0 || this.#place >= sample.userRegsCount) return false;
    const at = sample.userRegsOffset + 8 * this.#place;
    const ip = readAddress(view, at, this.#littleEndian);
    const is32 = sample.userRegsAbi === PERF_SAMPLE_REGS_ABI.ABI_32;
    callchain[callchainLength] = PERF_CONTEXT.USER;
    callchain[callchainLength + 1] = is32
      ? view.getUint32(this.#littleEndian ? at : at + 4, this.#littleEndian)
      : ip;
    sample.callchainLength = callchainLength + 2;
    return true;
  }
}
