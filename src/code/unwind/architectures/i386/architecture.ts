import type { Architecture } from '../../architecture.ts';
import { x86RowTranslator } from '../../translate-x86-row.ts';
import type { StackReader } from '../../types.ts';
import { KIND, UnwindRule } from '../../unwind-rule.ts';
import { isBehindCall } from '../x86-64/code.ts';
import { analyzeText, isOutermostCall, isSigreturn } from './code.ts';

// DWARF numbers as .eh_frame of Linux has them: System V ABI for i386, table 2.14.

const EBX = 3;
const ESP = 4;
const EBP = 5;
const ESI = 6;
const EDI = 7;
/** The column of the return address, and the ip of a sample. */
const RETURN_ADDRESS = 8;

const CALLEE_SAVED = new Set([EBX, ESP, EBP, ESI, EDI]);

/**
 * `struct rt_sigframe` is { u32 pretcode; int sig; u32 pinfo; u32 puc; siginfo (128 bytes);
 * ucontext; … }, and returning to pretcode has popped it. The `struct sigcontext_32` lies at 20 in
 * the ucontext: gs, fs, es, ds, di, si, bp, sp, bx, dx, cx, ax, trapno, err, ip
 * (arch/x86/include/asm/sigframe.h, uapi/asm/sigcontext.h).
 */
const UCONTEXT_AT = 12 + 128;
const SIGCONTEXT_AT = UCONTEXT_AT + 20;
const SIGNAL_FRAME_OFFSETS = Int16Array.from(
  // ax, cx, dx, bx, sp, bp, si, di, ip
  [44, 40, 36, 32, 28, 24, 20, 16, 56],
  (offset) => SIGCONTEXT_AT + offset,
);

/**
 * All system calls of libc go through `__kernel_vsyscall`, which has pushed ecx, edx and ebp:
 * arch/x86/entry/vdso/vdso32/system_call.S. A 64-bit process can't read that vDSO.
 */
const VDSO_RULE = new UnwindRule(KIND.TAIL_CALL, 16, -16, -4);

/** `struct sigcontext_32` in a signal frame without siginfo: { u32 pretcode; int sig; struct sigcontext_32; … }. */
const SHORT_SIGCONTEXT_AT = 4;

/** The frame with siginfo tells itself by the address of its ucontext: { sig; pinfo; puc; … }. */
function vdsoSignalFrame(sp: number, stack: StackReader): number {
  const hasInfo = stack.readWord(sp + 8) === sp + UCONTEXT_AT;
  return hasInfo ? sp : sp + SHORT_SIGCONTEXT_AT - SIGCONTEXT_AT;
}

export const I386: Architecture = {
  wordBytes: 4,
  registerCount: 9,
  stackPointer: ESP,
  framePointer: EBP,
  instructionPointer: RETURN_ADDRESS,
  returnAddress: RETURN_ADDRESS,
  linkRegister: -1,
  frameRecord: 'top',
  isCalleeSaved: (register) => CALLEE_SAVED.has(register),
  translateRow: x86RowTranslator({
    stackPointer: ESP,
    framePointer: EBP,
    returnAddress: RETURN_ADDRESS,
    // breg4(esp) 4; breg8(eip) 0; lit15; and; lit<k>; ge; lit2; shl; plus
    pltExpression: [0x74, 4, 0x78, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22],
  }),
  textBefore: 16,
  textAfter: 16,
  analyzeText,
  vdsoRule: VDSO_RULE,
  vdsoSignalFrame,
  isOutermostCall,
  isBehindCall,
  isSigreturn,
  signalFrameOffsets: SIGNAL_FRAME_OFFSETS,
};
