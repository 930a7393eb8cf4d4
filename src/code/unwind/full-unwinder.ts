import type { Architecture } from './architecture.ts';
import type { CallSites } from './call-sites.ts';
import { CFA, CfiRow, RULE } from './cfi-row.ts';
import type { CfiTable } from './cfi-table.ts';
import { evaluateExpression } from './expression.ts';
import { FOUND } from './found.ts';
import { ADVANCED } from './frame.ts';
import { frameRecordAt } from './frame-record.ts';
import type { RuleFinder } from './rule-finder.ts';
import { stackStop } from './stack-stop.ts';
import { STOP } from './stop-reason.ts';
import type { ModuleLookup, StackReader } from './types.ts';
import { KIND, UnwindRule } from './unwind-rule.ts';

const MOST_FRAMES = 1024;

/**
 * Unwinds one sample with all registers, without a cache: for signal frames, and functions whose
 * frame hangs on other registers than sp and fp. Cold.
 */
export class FullUnwinder {
  stopReason: number = STOP.ROOT;
  stopAddress = 0;
  readonly #architecture: Architecture;
  readonly #finder: RuleFinder;
  readonly #callSites: CallSites;
  readonly #row = new CfiRow();
  readonly #rule = new UnwindRule();
  #registers: Float64Array;
  #caller: Float64Array;
  /** ip of the caller after a step. */
  #address = 0;
  /** The last step left a signal frame, so that address is of an instruction. */
  #isExact = true;
  #isByFramePointer = false;

  constructor(architecture: Architecture, finder: RuleFinder, callSites: CallSites) {
    this.#architecture = architecture;
    this.#finder = finder;
    this.#callSites = callSites;
    this.#registers = new Float64Array(architecture.registerCount);
    this.#caller = new Float64Array(architecture.registerCount);
  }

  get stackPointer(): number {
    return this.#registers[this.#architecture.stackPointer];
  }

  get framePointer(): number {
    return this.#registers[this.#architecture.framePointer];
  }

  /** Same contract as `Unwinder.unwind`. */
  unwind(
    registers: Float64Array,
    stack: StackReader,
    modules: ModuleLookup,
    out: Float64Array,
    isExact: Uint8Array,
  ): number {
    this.#registers.set(registers);
    this.#address = registers[this.#architecture.instructionPointer];
    this.#isExact = true;
    this.#isByFramePointer = false;
    const limit = Math.min(out.length, MOST_FRAMES);
    this.stopReason = STOP.TOO_MANY_FRAMES;
    for (let count = 0; count < limit; count++) {
      const lookup = this.#isExact ? this.#address : this.#address - 1;
      const isMapped = modules.find(lookup) || modules.find(this.#address);
      if (!isMapped && count > 0) {
        this.stopReason = this.#isByFramePointer ? STOP.NO_TABLE : STOP.NOT_MAPPED;
        return count;
      }
      out[count] = this.#address;
      isExact[count] = this.#isExact ? 1 : 0;
      this.stopAddress = lookup;
      const step = isMapped ? this.#step(lookup, stack, modules) : STOP.NOT_MAPPED;
      if (step !== ADVANCED) {
        this.stopReason = step;
        return count + 1;
      }
      if (this.#address === 0) {
        this.stopReason = STOP.ZERO_RETURN_ADDRESS;
        return count + 1;
      }
    }
    return limit;
  }

  #step(lookup: number, stack: StackReader, modules: ModuleLookup): number {
    const { module, loadBias } = modules;
    const table = module?.table ?? null;
    const found = table === null ? FOUND.NOTHING : table.findRow(lookup - loadBias, this.#row);
    if (found === FOUND.DAMAGED) return STOP.BAD_TABLE;
    this.#caller.fill(Number.NaN);
    if (found === FOUND.ROW && table !== null) return this.#stepByRow(table, stack, loadBias);
    if (module === null) this.#rule.set(KIND.FRAME_POINTER);
    else {
      if (this.#finder.isSigreturn(module, this.#address - loadBias)) {
        return this.#stepOverSignal(stack);
      }
      this.#finder.findByCode(module, lookup - loadBias, this.#isExact, this.#rule);
    }
    return this.#stepByRule(stack, modules);
  }

  #stepByRow(table: CfiTable, stack: StackReader, loadBias: number): number {
    const row = this.#row;
    const { reader, returnAddressRegister, isSignalFrame } = table;
    const caller = this.#caller;
    const registers = this.#registers;
    const { stackPointer, linkRegister } = this.#architecture;
    if (reader === null) return STOP.BAD_TABLE;
    if (row.kind[returnAddressRegister] === RULE.UNDEFINED) return STOP.ROOT;
    const input = { registers, stack, loadBias };
    const cfa =
      row.cfaKind === CFA.EXPRESSION
        ? evaluateExpression(reader, row.cfaStart, row.cfaEnd, input, Number.NaN)
        : (registers[row.cfaRegister] ?? Number.NaN) + row.cfaOffset;
    if (Number.isNaN(cfa)) return STOP.MISSING_REGISTER;

    for (let register = 0; register < caller.length; register++) {
      const value = row.value[register];
      const start = row.start[register];
      const end = row.end[register];
      switch (row.kind[register]) {
        case RULE.UNSET:
          if (register === linkRegister || this.#architecture.isCalleeSaved(register)) {
            caller[register] = registers[register];
          }
          break;
        case RULE.SAME:
          caller[register] = registers[register];
          break;
        case RULE.OFFSET:
          // Tables don't state that an epilogue has popped a register; its slot is below sp then.
          caller[register] =
            cfa + value < registers[stackPointer]
              ? registers[register]
              : this.#read(register, cfa + value, stack);
          break;
        case RULE.VAL_OFFSET:
          caller[register] = cfa + value;
          break;
        case RULE.REGISTER:
          caller[register] = registers[value] ?? Number.NaN;
          break;
        case RULE.EXPRESSION: {
          const at = evaluateExpression(reader, start, end, input, cfa);
          caller[register] = this.#read(register, at, stack);
          break;
        }
        case RULE.VAL_EXPRESSION:
          caller[register] = evaluateExpression(reader, start, end, input, cfa);
          break;
      }
    }
    if (row.kind[stackPointer] === RULE.UNSET) caller[stackPointer] = cfa;
    const address = caller[returnAddressRegister] ?? Number.NaN;
    if (Number.isNaN(address)) {
      const kind = row.kind[returnAddressRegister];
      if (kind === RULE.EXPRESSION) return stackStop(cfa, stack);
      if (kind !== RULE.OFFSET) return STOP.MISSING_REGISTER;
      return stackStop(cfa + row.value[returnAddressRegister], stack);
    }
    return this.#goOn(address, isSignalFrame, false);
  }

  /** The rules that need no table. */
  #stepByRule(stack: StackReader, modules: ModuleLookup): number {
    const { stackPointer, framePointer, linkRegister, wordBytes } = this.#architecture;
    const rule = this.#rule;
    const registers = this.#registers;
    const caller = this.#caller;
    for (let register = 0; register < caller.length; register++) {
      if (this.#architecture.isCalleeSaved(register)) {
        caller[register] = registers[register];
      }
    }
    if (rule.kind === KIND.ROOT) return STOP.ROOT;
    if (rule.kind === KIND.VDSO_SIGNAL) {
      const sp = registers[stackPointer];
      return this.#stepOverSignal(stack, this.#architecture.vdsoSignalFrame?.(sp, stack));
    }
    const fp = registers[framePointer];
    if (rule.kind === KIND.TAIL_CALL) {
      const at = registers[stackPointer] + rule.cfaOffset - wordBytes;
      const isCalled = this.#callSites.has(stack.readWord(at), modules);
      const called = rule.fpOffset === 0 ? KIND.SP : KIND.SP_SAVED;
      rule.kind = isCalled ? called : KIND.FRAME_POINTER;
    }
    if (rule.kind === KIND.FRAME_POINTER) {
      if (!(fp >= registers[stackPointer]) || (fp & (wordBytes - 1)) !== 0) {
        const isEnd = fp === 0 && this.#isByFramePointer;
        return isEnd ? STOP.FRAME_POINTER_CHAIN_END : STOP.NO_TABLE;
      }
      const record = frameRecordAt(this.#architecture, fp, stack, modules);
      caller[stackPointer] = record + 2 * wordBytes;
      caller[framePointer] = stack.readWord(record);
      const address = this.#read(linkRegister, record + wordBytes, stack);
      if (Number.isNaN(address)) {
        const stop = stackStop(fp, stack);
        return stop === STOP.STACK_CUT ? stop : STOP.NO_TABLE;
      }
      return this.#goOn(address, false, true);
    }
    const cfa = registers[stackPointer] + rule.cfaOffset;
    caller[stackPointer] = cfa;
    if (rule.kind === KIND.SP_SAVED || rule.kind === KIND.SP_SAVED_LR) {
      caller[framePointer] = stack.readWord(cfa + rule.fpOffset);
    }
    const address =
      rule.kind === KIND.SP_LR || rule.kind === KIND.SP_SAVED_LR
        ? registers[linkRegister]
        : this.#read(linkRegister, cfa + rule.raOffset, stack);
    if (Number.isNaN(address)) return stackStop(cfa + rule.raOffset, stack);
    return this.#goOn(address, false, false);
  }

  /** Takes all registers from what the kernel saved before it called the signal handler. */
  #stepOverSignal(stack: StackReader, frame?: number): number {
    const { stackPointer, instructionPointer, signalFrameOffsets } = this.#architecture;
    const sp = frame ?? this.#registers[stackPointer];
    const caller = this.#caller;
    for (let register = 0; register < caller.length; register++) {
      caller[register] = this.#read(register, sp + signalFrameOffsets[register], stack);
    }
    const address = caller[instructionPointer];
    if (Number.isNaN(address)) {
      return stackStop(sp + signalFrameOffsets[instructionPointer], stack);
    }
    return this.#goOn(address, true, false);
  }

  /** Makes the caller the frame. Its stack lies above, except where a signal changed stacks. */
  #goOn(address: number, isSignalFrame: boolean, isByFramePointer: boolean): number {
    const { stackPointer, linkRegister } = this.#architecture;
    const caller = this.#caller;
    const sp = this.#registers[stackPointer];
    const callerSp = caller[stackPointer];
    const isLeaf = this.#isExact && callerSp === sp;
    if (!isSignalFrame && !(callerSp > sp) && !isLeaf) return STOP.NOT_ADVANCING;
    // A call has overwritten lr, so what it was before is lost.
    if (!isSignalFrame && linkRegister >= 0) caller[linkRegister] = Number.NaN;
    this.#caller = this.#registers;
    this.#registers = caller;
    this.#address = address;
    this.#isExact = isSignalFrame;
    this.#isByFramePointer = isByFramePointer;
    return ADVANCED;
  }

  /** A saved register; the link register without the bits of a signed pointer. */
  #read(register: number, address: number, stack: StackReader): number {
    const { linkRegister, instructionPointer } = this.#architecture;
    const isSigned = linkRegister >= 0 && register === linkRegister;
    if (linkRegister >= 0 && (isSigned || register === instructionPointer)) {
      return stack.readPointer(address);
    }
    return stack.readWord(address);
  }
}
