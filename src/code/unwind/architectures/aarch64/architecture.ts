import type { Architecture } from '../../architecture.ts';
import { linkRowTranslator } from '../../translate-link-row.ts';
import { KIND, UnwindRule } from '../../unwind-rule.ts';
import { analyzeText, isBehindCall, isOutermostCall, isSigreturn } from './code.ts';

// DWARF numbers: "DWARF for the Arm 64-bit Architecture", table 1.

const FP = 29;
/** Link register, and the column of the return address. */
const LR = 30;
const SP = 31;
/** Number of the ip in a register dump. */
const PC = 32;

const REGISTERS = 33;
/** x19 to x28, fp; sp is computed. */
const FIRST_CALLEE_SAVED = 19;

/**
 * `struct rt_sigframe` at sp is { siginfo (128 bytes); ucontext }; its `struct sigcontext` lies at
 * 176 in the ucontext: { u64 fault_address; u64 regs[31]; u64 sp; u64 pc; … }
 * (arch/arm64/include/uapi/asm/{ucontext,sigcontext}.h). The return address column 30 has lr as any
 * other register; the interrupted ip stands at the number of the pc.
 */
const FIRST_REGISTER_AT = 128 + 176 + 8;

export const AARCH64: Architecture = {
  wordBytes: 8,
  registerCount: REGISTERS,
  stackPointer: SP,
  framePointer: FP,
  instructionPointer: PC,
  returnAddress: LR,
  linkRegister: LR,
  frameRecord: 'anywhere',
  isCalleeSaved: (register) => register >= FIRST_CALLEE_SAVED && register <= FP,
  translateRow: linkRowTranslator({ stackPointer: SP, framePointer: FP, link: LR }),
  textBefore: 16,
  textAfter: 32,
  analyzeText,
  vdsoRule: new UnwindRule(KIND.FRAME_POINTER),
  vdsoSignalFrame: null,
  isOutermostCall,
  isBehindCall,
  isSigreturn,
  signalFrameOffsets: Int16Array.from({ length: REGISTERS }, (_, i) => FIRST_REGISTER_AT + 8 * i),
};
