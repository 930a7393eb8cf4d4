import { countBits } from '../../base/count-bits.ts';
import { LR, PC, SP } from './arm-registers.ts';
import { type CfiRow, RULE } from './cfi-row.ts';
import { FOUND } from './found.ts';

/** The state of a program: `vsp` is the register `base` plus `offset`. */
type VirtualStack = { base: number; offset: number; row: CfiRow; popped: number };

/**
 * Runs the instructions of an entry, which undo a function's prologue, and writes what they do as the
 * row of a table: vsp begins as sp and ends as the CFA; what is popped is saved at its place. Returns
 * `FOUND`. NOTHING for those that pop sp, which signal trampolines do, and "refuse to unwind".
 *
 * Specification: EHABI, section 10.3, "Frame unwinding instructions".
 */
export function runExceptionProgram(program: Uint8Array, row: CfiRow): number {
  row.clear();
  const stack: VirtualStack = { base: SP, offset: 0, row, popped: 0 };
  let at = 0;
  while (at < program.length) {
    const op = program[at++];
    const next = program[at] ?? 0;
    if (op === 0xb0) break;
    if (op < 0x40) stack.offset += ((op & 0x3f) << 2) + 4;
    else if (op < 0x80) stack.offset -= ((op & 0x3f) << 2) + 4;
    else if (op < 0x90) {
      at++;
      const registers = ((((op & 0xf) << 8) | next) << 4) & 0xffff;
      if (registers === 0 || (registers & (1 << SP)) !== 0) return FOUND.NOTHING;
      pop(stack, registers);
    } else if (op < 0xa0) {
      if (!setBase(stack, op & 0xf)) return FOUND.DAMAGED;
    } else if (op < 0xb0) {
      pop(stack, ((2 << (op & 7)) - 1) << 4);
      if ((op & 8) !== 0) pop(stack, 1 << LR);
    } else if (op === 0xb1) {
      at++;
      if (next === 0 || next > 0xf) return FOUND.DAMAGED;
      pop(stack, next);
    } else if (op === 0xb2) {
      let value = 0;
      let scale = 1;
      for (let byte = 0x80; byte >= 0x80; scale *= 128) {
        byte = program[at++] ?? 0;
        value += (byte & 0x7f) * scale;
      }
      stack.offset += 0x204 + value * 4;
    } else {
      const size = sizeOfOthers(op, next);
      if (size < 0) return FOUND.DAMAGED;
      stack.offset += size;
      if (hasOperand(op)) at++;
    }
  }
  return finish(stack);
}

/** Registers of the bits of `list` lie at vsp, the lowest first. */
function pop(stack: VirtualStack, list: number): void {
  for (let register = 0; register < 16; register++) {
    if ((list & (1 << register)) === 0) continue;
    stack.row.set(register, RULE.OFFSET, stack.offset);
    stack.popped |= 1 << register;
    stack.offset += 4;
  }
}

/** `vsp = register`. False where what was popped before would not count from it. */
function setBase(stack: VirtualStack, register: number): boolean {
  if (register === SP || register === PC || stack.popped !== 0) return false;
  stack.base = register;
  stack.offset = 0;
  return true;
}

/** Bytes of registers that are of no interest: floating point, vectors, a signature. −1: reserved. */
function sizeOfOthers(op: number, operand: number): number {
  const count = hasOperand(op) ? (operand & 0xf) + 1 : (op & 7) + 1;
  // FSTMFDX leaves a word more than the registers.
  if (op === 0xb3 || (op >= 0xb8 && op <= 0xbf)) return 8 * count + 4;
  // pop the signature of the return address; use vsp to check it
  if (op === 0xb4) return 4;
  if (op === 0xb5) return 0;
  if (op === 0xc7) return operand === 0 || operand > 0xf ? -1 : 4 * countBits(operand);
  const isVector = (op >= 0xc0 && op <= 0xc6) || op === 0xc8 || op === 0xc9;
  return isVector || (op >= 0xd0 && op <= 0xd7) ? 8 * count : -1;
}

function hasOperand(op: number): boolean {
  return op === 0xb3 || (op >= 0xc6 && op <= 0xc9);
}

/** Places count from the base so far; those of a row count from the CFA. */
function finish({ base, offset, row, popped }: VirtualStack): number {
  row.setCfa(base, offset);
  for (let register = 0; register < 16; register++) {
    if ((popped & (1 << register)) === 0) continue;
    row.set(register, RULE.OFFSET, row.value[register] - offset);
  }
  // A frame whose pc was popped returns there, whatever lr is.
  if ((popped & (1 << PC)) !== 0) row.set(LR, RULE.OFFSET, row.value[PC]);
  return FOUND.ROW;
}
