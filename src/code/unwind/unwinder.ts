// Hot: once per frame.

import type { Architecture } from './architecture.ts';
import { CallSites } from './call-sites.ts';
import { frameRecordAt } from './frame-record.ts';
import { FullUnwinder } from './full-unwinder.ts';
import type { UnwindArchitecture } from './module-input.ts';
import { RuleCache } from './rule-cache.ts';
import { RuleFinder } from './rule-finder.ts';
import { stackStop } from './stack-stop.ts';
import { STOP } from './stop-reason.ts';
import type {
  ModuleLookup,
  OtherRegisters,
  RuleCacheStatistics,
  StackReader,
  Unwinder,
} from './types.ts';
import type { UnwindModule } from './unwind-module.ts';
import { KIND, UnwindRule } from './unwind-rule.ts';

export const MOST_FRAMES = 1024;
const CACHE_SLOTS = 32_768;

/**
 * Carries three registers from frame to frame (sp, fp, and lr in frame 0) and applies the rule of
 * each lookup address. Where a rule needs more, the sample is unwound again with all registers:
 * that is ten times slower and rare.
 */
export class RuleUnwinder implements Unwinder {
  readonly architecture: UnwindArchitecture;
  stopReason: number = STOP.ROOT;
  stopAddress = 0;
  stackPointer = Number.NaN;
  framePointer = Number.NaN;
  readonly isExact = new Uint8Array(MOST_FRAMES);
  readonly statistics: RuleCacheStatistics = {
    hits: 0,
    firstMisses: 0,
    collisions: 0,
    fullUnwinds: 0,
  };
  readonly #registers: Architecture;
  readonly #cache = new RuleCache(CACHE_SLOTS);
  readonly #finder: RuleFinder;
  readonly #full: FullUnwinder;
  readonly #callSites: CallSites;
  readonly #rule = new UnwindRule();
  /** Bytes between the link register and the ip in what the kernel saves for a signal handler. */
  readonly #linkBeforeIp: number;
  #modules: ModuleLookup | null = null;

  constructor(name: UnwindArchitecture, architecture: Architecture) {
    this.architecture = name;
    this.#registers = architecture;
    const { signalFrameOffsets, instructionPointer, linkRegister } = this.#registers;
    const ipAt = signalFrameOffsets[instructionPointer];
    this.#linkBeforeIp = ipAt - (signalFrameOffsets[linkRegister] ?? 0);
    this.#finder = new RuleFinder(this.#registers);
    this.#callSites = new CallSites(this.#registers);
    this.#full = new FullUnwinder(this.#registers, this.#finder, this.#callSites);
  }

  get stopModule(): UnwindModule | null {
    const modules = this.#modules;
    return modules?.find(this.stopAddress) ? modules.module : null;
  }

  unwind(
    registers: Float64Array,
    stack: StackReader,
    modules: ModuleLookup,
    out: Float64Array,
    others?: OtherRegisters,
  ): number {
    const { statistics, isExact } = this;
    const cache = this.#cache;
    const { rules } = cache;
    const numbers = this.#registers;
    const { generation } = modules;
    const limit = Math.min(out.length, MOST_FRAMES);
    const { wordBytes } = numbers;
    const hasLink = numbers.linkRegister >= 0;
    const hidesStackPointer = numbers.frameRecord === 'anywhere';

    let sp = registers[numbers.stackPointer];
    let fp = registers[numbers.framePointer];
    let lr = hasLink ? registers[numbers.linkRegister] : Number.NaN;
    let address = registers[numbers.instructionPointer];
    /** The stack grows down, so callers lie above this. */
    let floor = sp;
    let isByFramePointer = false;
    /** The address is that of an instruction that a signal interrupted, or the sample's ip. */
    let isInstruction = true;
    let stop: number = STOP.TOO_MANY_FRAMES;
    let count = 0;
    while (count < limit) {
      const lookup = isInstruction ? address : address - 1;
      const slot = cache.slotOf(lookup);
      if (cache.has(slot, generation, lookup)) statistics.hits++;
      else this.#fill(slot, lookup, isInstruction, modules);
      const at = cache.ruleAt(slot);
      let kind = rules[at];
      if (kind === KIND.NOT_MAPPED && count > 0) {
        // An address that a guessed frame pointer led to says nothing about mappings.
        stop = isByFramePointer ? STOP.NO_TABLE : STOP.NOT_MAPPED;
        break;
      }
      out[count] = address;
      isExact[count] = isInstruction ? 1 : 0;
      count++;
      this.stopAddress = lookup;

      if (kind === KIND.TAIL_CALL) {
        const returnAddress = stack.readWord(sp + rules[at + 1] - wordBytes);
        const isCalled = this.#callSites.has(returnAddress, modules);
        const called = rules[at + 2] === 0 ? KIND.SP : KIND.SP_SAVED;
        kind = isCalled ? called : KIND.FRAME_POINTER;
      }

      let cfa = 0;
      let savedAt = 0;
      let returnAt = 0;
      if (kind <= KIND.SP_SAVED_LR) {
        const isFpBased = kind === KIND.FP || kind === KIND.FP_SAVED;
        cfa = (isFpBased ? fp : sp) + rules[at + 1];
        // After a step by frame pointer sp is unknown, but fp points to where the caller's is saved.
        if (Number.isNaN(sp) && kind === KIND.SP_SAVED) cfa = fp - rules[at + 2];
        savedAt = cfa + rules[at + 2];
        returnAt = cfa + rules[at + 3];
      } else if (kind === KIND.FRAME_POINTER) {
        if (!(fp >= floor) || (fp & (wordBytes - 1)) !== 0) {
          stop = fp === 0 && isByFramePointer ? STOP.FRAME_POINTER_CHAIN_END : STOP.NO_TABLE;
          break;
        }
        savedAt = frameRecordAt(numbers, fp, stack, modules);
        returnAt = savedAt + wordBytes;
        cfa = returnAt + wordBytes;
      } else if (kind === KIND.FP_MEMORY) {
        cfa = stack.readWord(fp + rules[at + 1]);
        savedAt = fp + rules[at + 2];
        returnAt = cfa + rules[at + 3];
      } else if (kind === KIND.SIGNAL || kind === KIND.VDSO_SIGNAL) {
        if (kind === KIND.VDSO_SIGNAL) sp = numbers.vdsoSignalFrame?.(sp, stack) ?? sp;
        const ipAt = sp + rules[at + 3];
        address = stack.readWord(ipAt);
        if (Number.isNaN(address)) {
          stop = stackStop(ipAt, stack);
          break;
        }
        fp = stack.readWord(sp + rules[at + 2]);
        if (hasLink) lr = stack.readPointer(ipAt - this.#linkBeforeIp);
        sp = stack.readWord(sp + rules[at + 1]);
        // The handler may have had a stack of its own, so nothing is known about the order.
        floor = sp;
        isByFramePointer = false;
        isInstruction = true;
        continue;
      } else if (kind === KIND.FULL) {
        statistics.fullUnwinds++;
        others?.readOthers();
        return this.#unwindFull(registers, stack, modules, out);
      } else {
        stop = STOPS[kind];
        break;
      }
      if (!(cfa > floor)) {
        const isLeaf = cfa === floor && isInstruction;
        if (!isLeaf) {
          stop = Number.isNaN(cfa) ? STOP.MISSING_REGISTER : STOP.NOT_ADVANCING;
          break;
        }
      }

      let callerFp = fp;
      // Tables don't say that an epilogue has popped a register; its slot is below sp then.
      if ((SAVES_FP >>> kind) & 1 && !(savedAt < sp)) {
        callerFp = stack.readWord(savedAt);
        if (Number.isNaN(callerFp) && savedAt > stack.end - wordBytes) {
          stop = stackStop(savedAt, stack);
          break;
        }
      }
      if (kind === KIND.SP_LR || kind === KIND.SP_SAVED_LR) {
        if (!isInstruction || Number.isNaN(lr)) {
          stop = STOP.MISSING_REGISTER;
          break;
        }
        address = lr;
      } else {
        address = hasLink ? stack.readPointer(returnAt) : stack.readWord(returnAt);
        if (Number.isNaN(address)) {
          stop =
            kind === KIND.FRAME_POINTER ? framePointerStop(fp, stack) : stackStop(returnAt, stack);
          break;
        }
      }
      fp = callerFp;
      floor = cfa;
      isInstruction = false;
      isByFramePointer = kind === KIND.FRAME_POINTER;
      // On aarch64 the saved pair may lie anywhere in the frame, so it doesn't tell the caller's sp.
      sp = isByFramePointer && hidesStackPointer ? Number.NaN : cfa;
      if (address === 0) {
        stop = STOP.ZERO_RETURN_ADDRESS;
        break;
      }
    }
    this.#end(stop, sp, fp, modules);
    return count;
  }

  /** Puts the rule of `lookup` into the cache. */
  #fill(slot: number, lookup: number, isFirst: boolean, modules: ModuleLookup): void {
    const cache = this.#cache;
    if (cache.isEmpty(slot)) this.statistics.firstMisses++;
    else this.statistics.collisions++;
    this.#finder.find(lookup, isFirst, modules, this.#rule);
    cache.write(slot, modules.generation, lookup, this.#rule);
  }

  #unwindFull(
    registers: Float64Array,
    stack: StackReader,
    modules: ModuleLookup,
    out: Float64Array,
  ): number {
    const full = this.#full;
    const count = full.unwind(registers, stack, modules, out, this.isExact);
    this.stopAddress = full.stopAddress;
    this.#end(full.stopReason, full.stackPointer, full.framePointer, modules);
    return count;
  }

  #end(stop: number, sp: number, fp: number, modules: ModuleLookup): void {
    this.stopReason = stop;
    this.stackPointer = sp;
    this.framePointer = fp;
    this.#modules = modules;
  }
}

/** Kinds whose caller's frame pointer is in memory, as bits. */
const SAVES_FP =
  (1 << KIND.SP_SAVED) |
  (1 << KIND.FP_SAVED) |
  (1 << KIND.SP_SAVED_LR) |
  (1 << KIND.FP_MEMORY) |
  (1 << KIND.FRAME_POINTER);

/** Why a stack ends, by the kinds that end it. */
const STOPS: Readonly<Record<number, number>> = {
  [KIND.ROOT]: STOP.ROOT,
  [KIND.BAD_TABLE]: STOP.BAD_TABLE,
  [KIND.NOT_MAPPED]: STOP.NOT_MAPPED,
};

/** A frame pointer far from the stack is none: the function has another use for the register. */
function framePointerStop(fp: number, stack: StackReader): number {
  return stackStop(fp, stack) === STOP.STACK_CUT ? STOP.STACK_CUT : STOP.NO_TABLE;
}
