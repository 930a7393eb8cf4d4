import { arch } from 'node:os';
import { UsageError } from '../../base/errors.ts';
import { type NamedOption, words } from '../../base/words.ts';
import {
  type RegisterArchitecture,
  registerArchitectureOf,
  registerName,
} from '../../kernel/perf-event/register-names.ts';

/**
 * Numbers of the general registers, ip and flags among them (arch/…/include/uapi/asm/perf_regs.h): those
 * that perf dumps for unwinding.
 */
const GENERAL_REGISTERS: Partial<Record<RegisterArchitecture, readonly number[]>> = {
  // 12 to 15 are ds, es, fs and gs, which the kernel refuses on 64-bit machines.
  x86: [...range(0, 11), ...range(16, 23)],
  arm64: range(0, 32),
};

/** The bits of all general registers; `machine` as Node's `os.arch()` names it. */
export function generalRegisterMask(machine: string = arch()): bigint {
  return maskOf(generalRegisters(architectureOf(machine)));
}

/**
 * Registers that are dumped beside a few words of the stack: the frame and the stack pointer, and those with the place of
 * V8's interpreter. They are those at the interrupt, since with user registers other readers would unwind the copy, which
 * ends at once, and show user code twice.
 */
const LEAF_REGISTERS: Partial<Record<RegisterArchitecture, readonly number[]>> = {
  // bp, sp, r9, r12
  x86: [6, 7, 17, 20],
  // x19, x20, fp, lr, sp
  arm64: [19, 20, 29, 30, 31],
};

/** The bits of the registers that a copy of the innermost frames needs. */
export function leafRegisterMask(machine: string = arch()): bigint {
  const architecture = architectureOf(machine);
  return maskOf((architecture === null ? undefined : LEAF_REGISTERS[architecture]) ?? []);
}

/** The bits of the registers that `option` names, of all general ones where it names none. Throws UsageError. */
export function namedRegisterMask(names: readonly string[], option: NamedOption): bigint {
  const architecture = architectureOf(arch());
  const numbers = generalRegisters(architecture);
  if (names.length === 0) return maskOf(numbers);
  const known = new Map(
    numbers.map((number) => [registerName(architecture, number).toLowerCase(), number]),
  );
  const chosen = names.map((name) => {
    const number = known.get(name.toLowerCase());
    if (number !== undefined) return number;
    throw new UsageError(words`${option} ${name}: no such register`, [
      `known: ${[...known.keys()].join(', ')}`,
    ]);
  });
  return maskOf(chosen);
}

function architectureOf(machine: string): RegisterArchitecture | null {
  return registerArchitectureOf(machine === 'arm64' ? 'aarch64' : 'x86_64');
}

function generalRegisters(architecture: RegisterArchitecture | null): readonly number[] {
  return (architecture === null ? undefined : GENERAL_REGISTERS[architecture]) ?? [];
}

function maskOf(numbers: readonly number[]): bigint {
  return numbers.reduce((mask, number) => mask | (1n << BigInt(number)), 0n);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
