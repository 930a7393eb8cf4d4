import { countBits } from '../../../../base/count-bits.ts';
import { FP, LR, PC } from '../../arm-registers.ts';
import { instruction, matches } from '../../instruction-word.ts';
import { KIND, type UnwindRule } from '../../unwind-rule.ts';

/** Arm instructions by mask and value: Arm Architecture Reference Manual for Armv7-A, A5. */
const PUSH = [0xffff0000, 0xe92d0000] as const;
const POP = [0xffff0000, 0xe8bd0000] as const;
const ADD_FP_SP = [0xfffff000, 0xe28db000] as const;
const MOV_FP_SP = 0xe1a0b00d;
const BX_LR = 0xe12fff1e;
/** `push {fp}` and `pop {fp}`, as assemblers write them. */
const STR_FP_PRE_INDEX = 0xe52db004;
const LDR_FP_POST_INDEX = 0xe49db004;
const SUB_SP_IMMEDIATE = [0xfffff000, 0xe24dd000] as const;
const MOV_R7_SIGRETURN = 0xe3a070ad;
const SVC_0 = 0xef000000;
/** `movs r7, #173; svc 0` of Thumb. */
const THUMB_SIGRETURN = 0xdf0027ad;

const BL = [0x0f000000, 0x0b000000] as const;
const BLX_IMMEDIATE = [0xfe000000, 0xfa000000] as const;
const BLX_REGISTER = [0x0ffffff0, 0x012fff30] as const;

/**
 * The states of an Arm function with a frame pointer in which fp is not its own; ip is at the
 * instruction shown. Thumb code without tables is not understood.
 *
 *   push {…, fp, lr}      return address in lr
 *   add fp, sp, #n        all pushed
 *   pop {…, fp, pc}       the same
 *   bx lr                 return address in lr
 *
 * A function that calls none pushes fp alone, and has its return address in lr all the time:
 *
 *   push {fp}; add fp, sp, #0; sub sp, sp, #n; …; add sp, fp, #0; pop {fp}; bx lr
 */
export function analyzeText(
  text: Uint8Array,
  at: number,
  isExact: boolean,
  rule: UnwindRule,
): boolean {
  if (!isExact) return false;
  const code = instruction(text, at);
  const isPush = matches(code, PUSH) && pushes(code, LR);
  if (isPush || code === BX_LR) {
    rule.set(KIND.SP_LR, 0);
    return true;
  }
  const before = instruction(text, at - 4);
  const setsFp = code === MOV_FP_SP || matches(code, ADD_FP_SP);
  if (setsFp && matches(before, PUSH) && pushes(before, LR)) {
    setPushed(before & 0xffff, LR, rule);
    return true;
  }
  if (matches(code, POP) && pushes(code, PC)) {
    setPushed(code & 0xffff, PC, rule);
    return true;
  }
  return analyzeLeaf(text, at, rule);
}

function analyzeLeaf(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  if (instruction(text, at) === LDR_FP_POST_INDEX) {
    rule.set(KIND.SP_SAVED_LR, 4, -4);
    return true;
  }
  /** Bytes that sp was lowered by behind the frame pointer. */
  let lowered = 0;
  for (let position = at - 4; position >= 4; position -= 4) {
    const code = instruction(text, position);
    const returns = code === BX_LR || (matches(code, POP) && pushes(code, PC));
    if (returns) return false;
    if (matches(code, SUB_SP_IMMEDIATE)) lowered += rotatedImmediate(code);
    const setsFp = code === MOV_FP_SP || matches(code, ADD_FP_SP);
    if (!setsFp) continue;
    if (instruction(text, position - 4) !== STR_FP_PRE_INDEX) return false;
    rule.set(KIND.SP_SAVED_LR, lowered + 4, -4);
    return true;
  }
  return false;
}

/** Eight bits, rotated to the right by twice the four above them. */
function rotatedImmediate(code: number): number {
  const turns = ((code >>> 8) & 0xf) * 2;
  const value = code & 0xff;
  return turns === 0 ? value : ((value >>> turns) | (value << (32 - turns))) >>> 0;
}

/** The rule where the registers of the bits `list` lie at sp, the lowest first. */
function setPushed(list: number, returnAddress: number, rule: UnwindRule): void {
  const countBelow = (register: number) => countBits(list & ((1 << register) - 1));
  const size = 4 * countBits(list);
  const raOffset = 4 * countBelow(returnAddress) - size;
  if ((list & (1 << FP)) === 0) rule.set(KIND.SP, size, 0, raOffset);
  else rule.set(KIND.SP_SAVED, size, 4 * countBelow(FP) - size, raOffset);
}

/** `mov r7, #173 (__NR_rt_sigreturn); svc 0`, of Arm or Thumb code. */
export function isSigreturn(text: Uint8Array, at: number): boolean {
  const code = instruction(text, at);
  if (code === THUMB_SIGRETURN) return true;
  return code === MOV_R7_SIGRETURN && instruction(text, at + 4) === SVC_0;
}

/** Entries of programs and threads have tables that state so, or no frame pointer. */
export function isOutermostCall(): boolean {
  return false;
}

/** `bl` and `blx`, of Arm or Thumb code. */
export function isBehindCall(text: Uint8Array, at: number): boolean {
  const arm = instruction(text, at - 4);
  if (matches(arm, BL) || matches(arm, BLX_IMMEDIATE) || matches(arm, BLX_REGISTER)) return true;
  const [first, second] = [arm & 0xffff, arm >>> 16];
  const isThumbBl = (first & 0xf800) === 0xf000 && (second & 0xc000) === 0xc000;
  return isThumbBl || (second & 0xff87) === 0x4780;
}

function pushes(code: number, register: number): boolean {
  return (code & (1 << register)) !== 0;
}
