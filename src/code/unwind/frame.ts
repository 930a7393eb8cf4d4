// Hot: once per frame.

import type { Architecture } from './architecture.ts';
import type { CallSites } from './call-sites.ts';
import { frameRecordAt } from './frame-record.ts';
import { stackStop } from './stack-stop.ts';
import { STOP } from './stop-reason.ts';
import type { ModuleLookup, StackReader } from './types.ts';
import { KIND, NO_RULE, type NoRule, type RuleKind, type UnwindRule } from './unwind-rule.ts';

/** Results of a step, beside the `STOP` reasons, which are not negative. */
export const ADVANCED = -1;
/** The rule is `KIND.FULL`. */
export const NEEDS_ALL_REGISTERS = -2;

/** Takes the place of the address of a saved register: it was not saved, or is not yet. */
const IN_REGISTER = Number.NaN;

/**
 * The frame that unwinding has reached: what rules carry of its registers, and the step to its caller.
 * One object walks a whole stack.
 */
export class Frame {
  /** The ip, or a return address. */
  address = 0;
  /** NaN: unknown, after a step by frame pointer where that does not lead to the top of the frame. */
  sp = Number.NaN;
  fp = Number.NaN;
  /** NaN: unknown, or the architecture has none. Of the innermost frame, or one that a signal interrupted. */
  lr = Number.NaN;
  /** `address` is that of an instruction: the sample's ip, or that of code that a signal interrupted. */
  isExact = true;
  /** The step to this frame was a guess: it went by frame pointer. */
  isByFramePointer = false;
  /** Lowest address of the frame, known where sp is not. The stack grows down, so callers lie above. */
  #floor = 0;
  readonly #architecture: Architecture;
  readonly #callSites: CallSites;
  readonly #wordBytes: number;
  readonly #hasLink: boolean;
  readonly #hidesStackPointer: boolean;

  constructor(architecture: Architecture, callSites: CallSites) {
    this.#architecture = architecture;
    this.#callSites = callSites;
    this.#wordBytes = architecture.wordBytes;
    this.#hidesStackPointer = architecture.frameRecord === 'anywhere';
    this.#hasLink = architecture.linkRegister >= 0;
  }

  /** Makes it the innermost frame of a sample with these registers, by DWARF number. */
  start(registers: Float64Array): void {
    const { instructionPointer, stackPointer, framePointer, linkRegister } = this.#architecture;
    this.address = registers[instructionPointer];
    this.sp = registers[stackPointer];
    this.fp = registers[framePointer];
    this.lr = this.#hasLink ? registers[linkRegister] : Number.NaN;
    this.isExact = true;
    this.isByFramePointer = false;
    this.#floor = this.sp;
  }

  /** The address whose rule holds: a return address may be the first of another function. */
  get lookupAddress(): number {
    return this.isExact ? this.address : this.address - 1;
  }

  /**
   * Makes it the caller's frame, by the formulas in `unwind-rule.ts`. Returns `ADVANCED`, or why it
   * can't, and then it is still the same frame.
   */
  step(rule: UnwindRule, stack: StackReader, modules: ModuleLookup): number {
    const { sp, fp } = this;
    const { cfaOffset, fpOffset, raOffset } = rule;
    let { kind } = rule;
    if (kind === KIND.TAIL_CALL) kind = this.#ruleOfTailCall(rule, stack, modules);
    let cfa: number;
    let fpAt = IN_REGISTER;
    let returnAt = IN_REGISTER;
    switch (kind) {
      case KIND.SP:
        cfa = sp + cfaOffset;
        returnAt = cfa + raOffset;
        break;
      case KIND.SP_SAVED:
        // An unknown sp means that the last step was by frame pointer: fp points to the saved one.
        cfa = Number.isNaN(sp) ? fp - fpOffset : sp + cfaOffset;
        fpAt = cfa + fpOffset;
        returnAt = cfa + raOffset;
        break;
      case KIND.FP:
        cfa = fp + cfaOffset;
        returnAt = cfa + raOffset;
        break;
      case KIND.FP_SAVED:
        cfa = fp + cfaOffset;
        fpAt = cfa + fpOffset;
        returnAt = cfa + raOffset;
        break;
      case KIND.SP_LR:
        cfa = sp + cfaOffset;
        break;
      case KIND.SP_SAVED_LR:
        cfa = sp + cfaOffset;
        fpAt = cfa + fpOffset;
        break;
      case KIND.FP_MEMORY:
        cfa = stack.readWord(fp + cfaOffset);
        fpAt = fp + fpOffset;
        returnAt = cfa + raOffset;
        break;
      case KIND.FRAME_POINTER:
        if (!this.#hasFrameRecord()) return this.#stopOfChain();
        fpAt = frameRecordAt(this.#architecture, fp, stack, modules);
        returnAt = fpAt + this.#wordBytes;
        cfa = returnAt + this.#wordBytes;
        break;
      case KIND.SIGNAL:
      case KIND.VDSO_SIGNAL:
        return this.#leaveSignalFrame(rule, stack);
      case KIND.FULL:
        return NEEDS_ALL_REGISTERS;
      case KIND.ROOT:
        return STOP.ROOT;
      case NO_RULE.NOT_MAPPED:
        return STOP.NOT_MAPPED;
      case NO_RULE.BAD_TABLE:
        return STOP.BAD_TABLE;
    }
    return this.#leave(kind, cfa, fpAt, returnAt, stack);
  }

  /**
   * Goes to the caller, whose stack pointer is `cfa`. Its frame pointer is saved at `fpAt` and the
   * return address at `returnAt`, unless they are `IN_REGISTER`.
   */
  #leave(
    kind: RuleKind | NoRule,
    cfa: number,
    fpAt: number,
    returnAt: number,
    stack: StackReader,
  ): number {
    const isAbove = cfa > this.#floor || (cfa === this.#floor && this.isExact);
    if (!isAbove) return Number.isNaN(cfa) ? STOP.MISSING_REGISTER : STOP.NOT_ADVANCING;

    let { fp } = this;
    // Tables don't state that an epilogue has popped a register; its slot is below sp then.
    const isSaved = !Number.isNaN(fpAt) && !(fpAt < this.sp);
    if (isSaved) {
      fp = stack.readWord(fpAt);
      if (Number.isNaN(fp) && fpAt > stack.end - this.#wordBytes) return stackStop(fpAt, stack);
    }

    let returnAddress = this.lr;
    if (Number.isNaN(returnAt)) {
      if (!this.isExact || Number.isNaN(returnAddress)) return STOP.MISSING_REGISTER;
    } else {
      returnAddress = this.#hasLink ? stack.readPointer(returnAt) : stack.readWord(returnAt);
      if (Number.isNaN(returnAddress)) {
        return kind === KIND.FRAME_POINTER
          ? framePointerStop(this.fp, stack)
          : stackStop(returnAt, stack);
      }
    }
    this.address = returnAddress;
    this.fp = fp;
    this.isExact = false;
    this.isByFramePointer = kind === KIND.FRAME_POINTER;
    this.sp = this.isByFramePointer && this.#hidesStackPointer ? Number.NaN : cfa;
    this.#floor = cfa;
    return ADVANCED;
  }

  /** The rule that `KIND.TAIL_CALL` stands for, by whether a call stands before the return address. */
  #ruleOfTailCall(
    rule: UnwindRule,
    stack: StackReader,
    modules: ModuleLookup,
  ): typeof KIND.SP | typeof KIND.SP_SAVED | typeof KIND.FRAME_POINTER {
    const returnAddress = stack.readWord(this.sp + rule.cfaOffset - this.#wordBytes);
    if (!this.#callSites.has(returnAddress, modules)) return KIND.FRAME_POINTER;
    return rule.fpOffset === 0 ? KIND.SP : KIND.SP_SAVED;
  }

  /** Whether fp can be a frame pointer: an aligned address in the part of the stack above. */
  #hasFrameRecord(): boolean {
    return this.fp >= this.#floor && (this.fp & (this.#wordBytes - 1)) === 0;
  }

  #stopOfChain(): number {
    return this.fp === 0 && this.isByFramePointer ? STOP.FRAME_POINTER_CHAIN_END : STOP.NO_TABLE;
  }

  /** Goes back to the code that a signal interrupted, whose registers the kernel has saved. */
  #leaveSignalFrame(rule: UnwindRule, stack: StackReader): number {
    const { signalFrameOffsets, linkRegister, vdsoSignalFrame } = this.#architecture;
    const isVdso = rule.kind === KIND.VDSO_SIGNAL && vdsoSignalFrame !== null;
    const at = isVdso ? vdsoSignalFrame(this.sp, stack) : this.sp;
    const ip = stack.readWord(at + rule.raOffset);
    if (Number.isNaN(ip)) return stackStop(at + rule.raOffset, stack);
    this.address = ip;
    this.sp = stack.readWord(at + rule.cfaOffset);
    this.fp = stack.readWord(at + rule.fpOffset);
    if (this.#hasLink) this.lr = stack.readPointer(at + signalFrameOffsets[linkRegister]);
    this.isExact = true;
    this.isByFramePointer = false;
    // The handler may have had a stack of its own, so nothing is known about the order.
    this.#floor = this.sp;
    return ADVANCED;
  }
}

/** A frame pointer far from the stack is none: the function has another use for the register. */
function framePointerStop(fp: number, stack: StackReader): number {
  return stackStop(fp, stack) === STOP.STACK_CUT ? STOP.STACK_CUT : STOP.NO_TABLE;
}
