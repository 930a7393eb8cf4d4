import type { Architecture } from '../../../disassembly/types.ts';

const EM_386 = 3;
const EM_X86_64 = 62;
const EM_AARCH64 = 183;

/** The instruction set of an ELF machine (EM_*); null for one that is not disassembled. */
export function architectureOf(machine: number): Architecture | null {
  switch (machine) {
    case EM_386:
      return 'i386';
    case EM_X86_64:
      return 'x86-64';
    case EM_AARCH64:
      return 'aarch64';
    default:
      return null;
  }
}
