import type { Architecture } from '../../architecture.ts';
import { FP, LR, PC, SP } from '../../arm-registers.ts';
import { linkRowTranslator } from '../../translate-link-row.ts';
import { KIND, UnwindRule } from '../../unwind-rule.ts';
import { analyzeText, isBehindCall, isOutermostCall, isSigreturn } from './code.ts';

const REGISTERS = 16;
/** r4 to r11; sp is computed. */
const FIRST_CALLEE_SAVED = 4;

/**
 * `struct rt_sigframe` at sp is { siginfo (128 bytes); ucontext; … }; its `struct sigcontext` lies at
 * 20 in the ucontext: { u32 trap_no; u32 error_code; u32 oldmask; u32 r0 … r10, fp, ip, sp, lr, pc }
 * (arch/arm/include/asm/{ucontext,sigframe}.h, uapi/asm/sigcontext.h).
 */
const FIRST_REGISTER_AT = 128 + 20 + 12;

/** 32-bit code, Arm and Thumb. */
export const ARM: Architecture = {
  wordBytes: 4,
  registerCount: REGISTERS,
  stackPointer: SP,
  framePointer: FP,
  instructionPointer: PC,
  returnAddress: LR,
  linkRegister: LR,
  frameRecord: 'top-or-link',
  isCalleeSaved: (register) => register >= FIRST_CALLEE_SAVED && register <= FP,
  // Thumb's frame pointer is r7: frames that hang on it need all registers.
  translateRow: linkRowTranslator({ stackPointer: SP, framePointer: FP, link: LR }),
  textBefore: 256,
  textAfter: 16,
  analyzeText,
  vdsoRule: new UnwindRule(KIND.FRAME_POINTER),
  vdsoSignalFrame: null,
  isOutermostCall,
  isBehindCall,
  isSigreturn,
  signalFrameOffsets: Int16Array.from({ length: REGISTERS }, (_, i) => FIRST_REGISTER_AT + 4 * i),
};
