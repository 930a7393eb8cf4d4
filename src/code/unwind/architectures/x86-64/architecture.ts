import type { Architecture } from '../../architecture.ts';
import { x86RowTranslator } from '../../translate-x86-row.ts';
import { KIND, UnwindRule } from '../../unwind-rule.ts';
import { analyzeText, isBehindCall, isOutermostCall, isSigreturn } from './code.ts';

// DWARF numbers: System V ABI for x86-64, figure 3.36.

const RBP = 6;
const RSP = 7;
/** The column of the return address, and the ip of a sample. */
const RETURN_ADDRESS = 16;

/** rbx, rbp, rsp, r12 to r15. */
const CALLEE_SAVED = new Set([3, RBP, RSP, 12, 13, 14, 15]);

/**
 * `struct rt_sigframe` is { char *pretcode; struct ucontext uc; … }, and returning to pretcode has
 * popped it, so sp points to uc, whose `struct sigcontext` lies at 40:
 * r8 … r15, di, si, bp, bx, dx, ax, cx, sp, ip (arch/x86/include/uapi/asm/sigcontext.h).
 */
const SIGNAL_FRAME_OFFSETS = Int16Array.from([
  // ax, dx, cx, bx, si, di, bp, sp
  144, 136, 152, 128, 112, 104, 120, 160,
  // r8 … r15
  40, 48, 56, 64, 72, 80, 88, 96,
  // ip
  168,
]);

export const X86_64: Architecture = {
  wordBytes: 8,
  registerCount: 17,
  stackPointer: RSP,
  framePointer: RBP,
  instructionPointer: RETURN_ADDRESS,
  returnAddress: RETURN_ADDRESS,
  linkRegister: -1,
  frameRecord: 'top',
  isCalleeSaved: (register) => CALLEE_SAVED.has(register),
  translateRow: x86RowTranslator({
    stackPointer: RSP,
    framePointer: RBP,
    returnAddress: RETURN_ADDRESS,
    // breg7(rsp) 8; breg16(rip) 0; lit15; and; lit<k>; ge; lit3; shl; plus
    pltExpression: [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22],
  }),
  textBefore: 1024,
  textAfter: 4096,
  analyzeText,
  vdsoRule: new UnwindRule(KIND.FRAME_POINTER),
  vdsoSignalFrame: null,
  isOutermostCall,
  isBehindCall,
  isSigreturn,
  signalFrameOffsets: SIGNAL_FRAME_OFFSETS,
};
