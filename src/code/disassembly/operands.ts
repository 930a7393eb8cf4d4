import { parseHexAddress } from '../../base/u64.ts';
import type { InstructionSet } from './types.ts';

/** An address that an instruction refers to. */
export type Reference = {
  /** Signed form, as instructions have addresses. */
  readonly address: number;
  readonly isJump: boolean;
};

const X86_BRANCH = /^(?:(?:bnd|notrack) )?(j\w+|call|loop\w*|xbegin)$/;
const X86_RELATIVE = /\[rip ([+-]) (0x[0-9a-f]+|\d+)\]/;
const ARM_BRANCH = /^(?:(b|b\.\w+|bc\.\w+|cbn?z|tbn?z)|bl)$/;
const ARM_LITERAL = /^(?:adr|ldr|ldrsw)$/;
const NUMBER = /^(?:0x[0-9a-f]+|\d+)$/;

/**
 * The address that a branch leads to, or that an operand relative to the instruction is at; null where the text
 * has no address. `next` is the address behind the instruction.
 */
export function readReference(
  architecture: InstructionSet,
  mnemonic: string,
  operands: string,
  next: number,
): Reference | null {
  return architecture === 'aarch64'
    ? readArm(mnemonic, operands)
    : readX86(mnemonic, operands, next);
}

function readX86(mnemonic: string, operands: string, next: number): Reference | null {
  const branch = X86_BRANCH.exec(mnemonic);
  if (branch !== null && NUMBER.test(operands)) {
    return { address: parseNumber(operands), isJump: branch[1] !== 'call' };
  }
  const relative = X86_RELATIVE.exec(operands);
  if (relative === null) return null;
  const distance = Number(relative[2]);
  return { address: next + (relative[1] === '+' ? distance : -distance), isJump: false };
}

function readArm(mnemonic: string, operands: string): Reference | null {
  const branch = ARM_BRANCH.exec(mnemonic);
  if (branch === null && !ARM_LITERAL.test(mnemonic)) return null;
  const last = operands.slice(operands.lastIndexOf(' ') + 1);
  if (!last.startsWith('#') || !NUMBER.test(last.slice(1))) return null;
  return { address: parseNumber(last.slice(1)), isJump: branch?.[1] !== undefined };
}

/** Capstone writes small numbers without `0x`. */
function parseNumber(text: string): number {
  return text.startsWith('0x') ? parseHexAddress(text.slice(2)) : Number(text);
}
