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
