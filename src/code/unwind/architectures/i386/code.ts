import { startsWith } from '../../instruction-word.ts';
import { KIND, type UnwindRule } from '../../unwind-rule.ts';

const PUSH_EBP = 0x55;
const POP_EBP = 0x5d;
const RET = 0xc3;
const MOV_EBP_ESP = [
  [0x89, 0xe5],
  [0x8b, 0xec],
];
const ENDBR32 = [0xf3, 0x0f, 0x1e, 0xfb];
/** `mov $173,%eax (__NR_rt_sigreturn); int $0x80`. */
const SIGRETURN = [0xb8, 173, 0, 0, 0, 0xcd, 0x80];

/**
 * The states of a function with a frame pointer in which %ebp is not its own; ip is at the
 * instruction shown:
 *
 *   push %ebp             cfa = sp + 4
 *   mov %esp,%ebp         cfa = sp + 8, caller's ebp at cfa − 8
 *   pop %ebp; ret         the same
 *   ret                   cfa = sp + 4
 *
 * Other code is not followed to its `ret`, as on x86-64: nearly all of it has tables.
 */
export function analyzeText(
  text: Uint8Array,
  at: number,
  isExact: boolean,
  rule: UnwindRule,
): boolean {
  if (!isExact) return false;
  const push = startsWith(text, at, ENDBR32) ? at + 4 : at;
  const isBeforePush = text[push] === PUSH_EBP && isMovEbpEsp(text, push + 1);
  if (isBeforePush || text[at] === RET) {
    rule.set(KIND.SP, 4, 0, -4);
    return true;
  }
  const isBehindPush = at > 0 && text[at - 1] === PUSH_EBP && isMovEbpEsp(text, at);
  if (isBehindPush || (text[at] === POP_EBP && text[at + 1] === RET)) {
    rule.set(KIND.SP_SAVED, 8, -8, -4);
    return true;
  }
  return false;
}

export function isSigreturn(text: Uint8Array, at: number): boolean {
  return startsWith(text, at, SIGRETURN);
}

/** Entries of programs and threads have tables that state so. */
export function isOutermostCall(): boolean {
  return false;
}

function isMovEbpEsp(text: Uint8Array, at: number): boolean {
  return MOV_EBP_ESP.some((code) => startsWith(text, at, code));
}
