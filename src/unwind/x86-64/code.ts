import { KIND, type UnwindRule } from '../unwind-rule.ts';

/** An epilogue restores at most six registers, frees its locals and returns. */
const MOST_EPILOGUE_INSTRUCTIONS = 10;

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
 */
export function analyzeText(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  return analyzePrologue(text, at, rule) || analyzeEpilogue(text, at, rule);
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

/** Follows the instructions of an epilogue from `at` to its `ret`; others mean that it is none. */
function analyzeEpilogue(text: Uint8Array, at: number, rule: UnwindRule): boolean {
  let position = at;
  let freed = 0;
  /** Bytes from sp to where rbp was saved, −1 if it is not restored here. */
  let rbpAt = -1;
  for (let i = 0; i < MOST_EPILOGUE_INSTRUCTIONS; i++) {
    const byte = text[position];
    const next = text[position + 1] as number;
    if (byte === 0xc3 || byte === 0xc2 || (byte === 0xf3 && next === 0xc3)) {
      const cfaOffset = freed + 8;
      if (rbpAt < 0) rule.set(KIND.SP, cfaOffset, 0, -8);
      else rule.set(KIND.SP_SAVED, cfaOffset, rbpAt - cfaOffset, -8);
      return true;
    }
    if (byte !== undefined && byte >= 0x58 && byte <= 0x5f) {
      // pop; 0x5d is rbp, 0x5c would load rsp.
      if (byte === 0x5c) return false;
      if (byte === 0x5d) rbpAt = freed;
      freed += 8;
      position += 1;
    } else if (byte === 0x41 && next >= 0x58 && next <= 0x5f) {
      freed += 8;
      position += 2;
    } else if (startsWith(text, position, [0x48, 0x83, 0xc4])) {
      freed += ((text[position + 3] as number) << 24) >> 24;
      position += 4;
    } else if (startsWith(text, position, [0x48, 0x81, 0xc4]) && position + 7 <= text.length) {
      freed += readI32(text, position + 3);
      position += 7;
    } else {
      return false;
    }
    if (freed < 0 || Number.isNaN(freed)) return false;
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
 * The entry of glibc's dynamic loader, `mov %rsp,%rdi; call`; that of musl's programs, which ends in
 * `and $-16,%rsp; call`; and musl's `__clone`, which exits the thread when its function returns:
 * `mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall`.
 */
export function isOutermostCall(text: Uint8Array, at: number): boolean {
  if (at >= CALL_BYTES && text[at - CALL_BYTES] === CALL) {
    const before = at - CALL_BYTES;
    const isEntry =
      startsWith(text, before - 3, MOV_RDI_RSP) || startsWith(text, before - 4, AND_RSP_MINUS_16);
    if (isEntry) return true;
  }
  return startsWith(text, at, EXIT_THREAD);
}

const CALL = 0xe8;
const CALL_BYTES = 5;
const MOV_RDI_RSP = [0x48, 0x89, 0xe7];
const AND_RSP_MINUS_16 = [0x48, 0x83, 0xe4, 0xf0];
const EXIT_THREAD = [0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05];

function isMovRbpRsp(text: Uint8Array, at: number): boolean {
  return MOV_RBP_RSP.some((code) => startsWith(text, at, code));
}

function startsWith(text: Uint8Array, at: number, code: readonly number[]): boolean {
  return code.every((byte, i) => text[at + i] === byte);
}

function readI32(text: Uint8Array, at: number): number {
  return new DataView(text.buffer, text.byteOffset + at, 4).getInt32(0, true);
}
