import type { InstructionSet } from '../../code/disassembly/types.ts';
import { EM_386, EM_AARCH64, EM_X86_64 } from '../../code/elf/constants.ts';

/** The instruction set of an ELF machine (EM_*); null for one that is not disassembled. */
export function architectureOf(machine: number): InstructionSet | null {
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
