import { startsWith } from '../../instruction-word.ts';
import { KIND, type UnwindRule } from '../../unwind-rule.ts';
import { isPadding, walkToReturn } from './walk-to-return.ts';

const PUSH_RBP = 0x55;
const MOV_RBP_RSP = [
  [0x48, 0x89, 0xe5],
  [0x48, 0x8b, 0xec],
];
const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];

/**
 * The states of a function with a frame pointer, of which only the middle one is seen by following
 * rbp; ip is at the instruction shown:
 *
 *   push %rbp             cfa = sp + 8
 *   mov %rsp,%rbp         cfa = sp + 16, caller's rbp at cfa − 16
 *   …                     cfa = rbp + 16
 *   add $n,%rsp           cfa = sp + n + 8 × pops + 8
 *   pop %rbx; pop %rbp    cfa = sp + 8 × pops + 8
 *   ret                   cfa = sp + 8
 *
 * A function without one is in the state of its code up to `ret` all the time.
 */
export function analyzeText(
  text: Uint8Array,
  at: number,
  isExact: boolean,
  rule: UnwindRule,
): boolean {
  return (isExact && analyzePrologue(text, at, rule)) || walkToReturn(text, at, rule, isExact);
}

function analyzePrologue(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  const push = startsWith(text, at, ENDBR64) ? at + 4 : at;
  if (text[push] === PUSH_RBP && isMovRbpRsp(text, push + 1)) {
    rule.set(KIND.SP, 8, 0, -8);
    return true;
  }
  if (at > 0 && text[at - 1] === PUSH_RBP && isMovRbpRsp(text, at)) {
    rule.set(KIND.SP_SAVED, 16, -16, -8);
    return true;
  }
  return false;
}

/** `mov $15,%rax; syscall` (`__NR_rt_sigreturn`), as every libc writes it; `mov %eax` in musl. */
export function isSigreturn(text: Uint8Array, at: number): boolean {
  return SIGRETURN.some((code) => startsWith(text, at, code));
}

const SIGRETURN = [
  [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05],
  [0xb8, 15, 0, 0, 0, 0x0f, 0x05],
];

/**
 * The entry of glibc's dynamic loader, `mov %rsp,%rdi; call`; that of musl's programs, which ends
 * in `and $-16,%rsp; call`; and musl's `__clone`, which exits the thread when its function returns:
 * `mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall`. musl's call of main hands the result to
 * `exit`, behind which its function ends: `mov %eax,%edi; call`, then only `nop`s.
 */
export function isOutermostCall(text: Uint8Array, at: number): boolean {
  if (at >= CALL_BYTES && text[at - CALL_BYTES] === CALL) {
    const before = at - CALL_BYTES;
    const isEntry =
      startsWith(text, before - 3, MOV_RDI_RSP) || startsWith(text, before - 4, AND_RSP_MINUS_16);
    if (isEntry) return true;
  }
  if (startsWith(text, at, EXIT_THREAD)) return true;
  const behindExit = at + MOV_EDI_EAX_CALL.length + 4;
  return startsWith(text, at, MOV_EDI_EAX_CALL) && isPadding(text, behindExit);
}

const CALL = 0xe8;
const CALL_BYTES = 5;
const MOV_RDI_RSP = [0x48, 0x89, 0xe7];
const AND_RSP_MINUS_16 = [0x48, 0x83, 0xe4, 0xf0];
const MOV_EDI_EAX_CALL = [0x89, 0xc7, 0xe8];
const EXIT_THREAD = [0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05];

/**
 * `call rel32` (e8) and `call r/m` (ff /2) with its forms of 2 to 7 bytes. A byte that looks like
 * one by chance is a call too: this only has to rule out words that are no return addresses.
 */
export function isBehindCall(text: Uint8Array, at: number): boolean {
  if (text[at - CALL_BYTES] === CALL) return true;
  for (const length of [2, 3, 4, 6, 7]) {
    if (text[at - length] === 0xff && (((text[at - length + 1] ?? 0) >> 3) & 7) === 2) return true;
  }
  return false;
}

function isMovRbpRsp(text: Uint8Array, at: number): boolean {
  return MOV_RBP_RSP.some((code) => startsWith(text, at, code));
}
