import { instruction, matches } from '../../instruction-word.ts';
import { KIND, type UnwindRule } from '../../unwind-rule.ts';

const MOST_EPILOGUE_INSTRUCTIONS = 8;

/** Instructions by mask and value: Arm Architecture Reference Manual, C4.1. */
const STP_FP_LR_PRE_INDEX = [0xffc07fff, 0xa9807bfd] as const;
const LDP_FP_LR_POST_INDEX = [0xffc07fff, 0xa8c07bfd] as const;
const LDP_FP_LR_OFFSET = [0xffc07fff, 0xa9407bfd] as const;
/** ldp of two other x registers from [sp, #n]: callee-saved ones. */
const LDP_X_SP_OFFSET = [0xffc003e0, 0xa94003e0] as const;
const ADD_SP_IMMEDIATE = [0xff8003ff, 0x910003ff] as const;
const MOV_FP_SP = 0x910003fd;
const RET = 0xd65f03c0;
const RETAA = 0xd65f0bff;
const RETAB = 0xd65f0fff;
const AUTIASP = 0xd50323bf;
const AUTIBSP = 0xd50323ff;
const PACIASP = 0xd503233f;
const PACIBSP = 0xd503237f;
const BTI_C = 0xd503245f;
const MOV_X8_SIGRETURN = 0xd2801168;
const SVC_0 = 0xd4000001;

/**
 * Before `stp x29, x30, [sp, #-n]!` and after the matching `ldp` the return address is in lr, and
 * the frame pointer is the caller's; between `stp` and `mov x29, sp` both are saved at sp.
 */
export function analyzeText(
  text: Uint8Array,
  at: number,
  isExact: boolean,
  rule: UnwindRule,
): boolean {
  return isExact && (analyzePrologue(text, at, rule) || analyzeEpilogue(text, at, rule));
}

function analyzePrologue(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  let position = at;
  while (isHint(instruction(text, position))) position += 4;
  if (matches(instruction(text, position), STP_FP_LR_PRE_INDEX)) {
    rule.set(KIND.SP_LR, 0);
    return true;
  }
  const before = instruction(text, at - 4);
  if (instruction(text, at) === MOV_FP_SP && matches(before, STP_FP_LR_PRE_INDEX)) {
    const size = -pairOffset(before);
    rule.set(KIND.SP_SAVED, size, -size, 8 - size);
    return true;
  }
  return false;
}

/** Follows the instructions from `at` to `ret`; others than those of an epilogue mean it is none. */
function analyzeEpilogue(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  let freed = 0;
  /** Bytes from sp to the saved pair of frame pointer and link register, −1 if not loaded here. */
  let pairAt = -1;
  for (let i = 0; i < MOST_EPILOGUE_INSTRUCTIONS; i++) {
    const code = instruction(text, at + 4 * i);
    if (code === RET || code === RETAA || code === RETAB) {
      if (pairAt < 0) rule.set(KIND.SP_LR, freed);
      else rule.set(KIND.SP_SAVED, freed, pairAt - freed, pairAt + 8 - freed);
      return true;
    }
    if (matches(code, LDP_FP_LR_POST_INDEX)) {
      pairAt = freed;
      freed += pairOffset(code);
    } else if (matches(code, LDP_FP_LR_OFFSET)) {
      pairAt = freed + pairOffset(code);
    } else if (matches(code, ADD_SP_IMMEDIATE)) {
      freed += ((code >>> 10) & 0xfff) << ((code & 0x400000) !== 0 ? 12 : 0);
    } else if (!matches(code, LDP_X_SP_OFFSET) && code !== AUTIASP && code !== AUTIBSP) {
      return false;
    }
  }
  return false;
}

/** `mov x8, #139 (__NR_rt_sigreturn); svc #0`, in the vDSO. */
export function isSigreturn(text: Uint8Array, at: number): boolean {
  return instruction(text, at) === MOV_X8_SIGRETURN && instruction(text, at + 4) === SVC_0;
}

/**
 * The entry of glibc's dynamic loader, `mov x0, sp; bl _dl_start`, and that of musl's programs,
 * `and sp, x0, #-16; b`, which leaves no frame; musl's `__clone` calls by `blr x1` and exits:
 * `mov x8, #93; svc #0`.
 */
export function isOutermostCall(text: Uint8Array, at: number): boolean {
  if (matches(instruction(text, at - 4), BL) && instruction(text, at - 8) === MOV_X0_SP)
    return true;
  return instruction(text, at) === MOV_X8_EXIT && instruction(text, at + 4) === SVC_0;
}

/** `bl`, `blr` and its forms with a signed pointer. */
export function isBehindCall(text: Uint8Array, at: number): boolean {
  const before = instruction(text, at - 4);
  return matches(before, BL) || matches(before, BLR);
}

const BL = [0xfc000000, 0x94000000] as const;
const BLR = [0xfefff000, 0xd63f0000] as const;
const MOV_X0_SP = 0x910003e0;
const MOV_X8_EXIT = 0xd2800ba8;

function isHint(code: number): boolean {
  return code === PACIASP || code === PACIBSP || code === BTI_C;
}

/** The offset of `stp` and `ldp` of x registers: 7 bits, signed, in units of 8 bytes. */
function pairOffset(code: number): number {
  return ((((code >>> 15) & 0x7f) << 25) >> 25) * 8;
}
