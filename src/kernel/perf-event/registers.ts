import { PERF_SAMPLE_REGS_ABI } from './constants.ts';
import { type RegisterArchitecture, registerName } from './register-names.ts';

/** One register of a dump: all 64 bits as they were, since a register holds any value. */
export type Register = { readonly name: string; readonly value: bigint };

/** The place of a sample's register dump, as `SampleView` has it. */
export type RegisterDumpPlace = {
  /** `PERF_SAMPLE_REGS_ABI`. */
  readonly abi: number;
  /** First of the u64 registers in the view. */
  readonly offset: number;
  readonly count: number;
};

/**
 * The registers of a dump, in the order of the bits of `mask` (`sample_regs_user` or
 * `sample_regs_intr`). None where the kernel had none to dump: for a thread of its own.
 */
export function readRegisters(
  view: DataView,
  dump: RegisterDumpPlace,
  mask: bigint,
  architecture: RegisterArchitecture | null,
  littleEndian: boolean,
): Register[] {
  const registers: Register[] = [];
  let at = dump.offset;
  for (let number = 0; number < 64 && registers.length < dump.count; number++) {
    if (((mask >> BigInt(number)) & 1n) === 0n) continue;
    const value = view.getBigUint64(at, littleEndian);
    registers.push({ name: registerName(architecture, number), value });
    at += 8;
  }
  return registers;
}

/** The ABI in words, as in perf's dump. */
export function registerAbiName(abi: number): string {
  switch (abi) {
    case PERF_SAMPLE_REGS_ABI.NONE:
      return 'none';
    case PERF_SAMPLE_REGS_ABI.ABI_32:
      return '32-bit';
    case PERF_SAMPLE_REGS_ABI.ABI_64:
      return '64-bit';
    default:
      return 'unknown';
  }
}

/** A dump as `perf script -F uregs` and `-F iregs` write it: `ABI:2    SP:0x7ffc…    IP:0x40…`. */
export function formatRegisters(abi: number, registers: readonly Register[]): string {
  const words = registers.map(({ name, value }) => `${name.padStart(5)}:0x${value.toString(16)}`);
  return [`ABI:${abi}`, ...words].join(' ');
}
