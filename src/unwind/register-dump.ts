// Hot: once per sample.

import { readAddress } from '../base/u64.ts';
import type { UnwindArchitecture } from './types.ts';

/**
 * perf's register number -> DWARF's, −1 for none. perf's numbers are the bits of
 * `sample_regs_user`: arch/{x86,arm64}/include/uapi/asm/perf_regs.h. DWARF's are those of the
 * System V ABI for x86-64 (figure 3.36) and of "DWARF for the Arm 64-bit Architecture" (table 1).
 */
const DWARF_NUMBERS: Readonly<Record<UnwindArchitecture, readonly number[]>> = {
  //         ax bx cx dx si di bp sp ip  flags cs … gs             r8 … r15
  'x86-64': [0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15],
  // x0 … x29, lr, sp, pc
  aarch64: Array.from({ length: 33 }, (_, i) => i),
};

/** Registers that an unwinder is handed, by architecture. */
export const REGISTER_COUNT: Readonly<Record<UnwindArchitecture, number>> = {
  'x86-64': 17,
  aarch64: 33,
};

const AARCH64_LR = 30;

/** Reads the register dumps of one event into the order that the unwinder wants. */
export class RegisterDump {
  /** By DWARF register number; NaN where the event does not record it. Filled by `read`. */
  readonly registers: Float64Array;
  /** Per register of the dump: its DWARF number or −1. */
  readonly #numbers: Int8Array;
  readonly #isAarch64: boolean;

  /** `mask` is the event's `sample_regs_user`. */
  constructor(architecture: UnwindArchitecture, mask: bigint) {
    const known = DWARF_NUMBERS[architecture];
    const numbers: number[] = [];
    for (let bit = 0; bit < 64; bit++) {
      if (((mask >> BigInt(bit)) & 1n) === 1n) numbers.push(known[bit] ?? -1);
    }
    this.#numbers = Int8Array.from(numbers);
    this.#isAarch64 = architecture === 'aarch64';
    this.registers = new Float64Array(REGISTER_COUNT[architecture]).fill(Number.NaN);
  }

  /**
   * Reads the `count` registers at `offset`: `userRegsOffset` and `userRegsCount` of the sample,
   * whose ABI must be that of 64 bits. The link register loses the bits of a signed pointer, since
   * with them it is not exact.
   */
  read(view: DataView, offset: number, count: number): Float64Array {
    const { registers } = this;
    const numbers = this.#numbers;
    const length = Math.min(count, numbers.length);
    for (let i = 0; i < length; i++) {
      const number = numbers[i] as number;
      if (number < 0) continue;
      const at = offset + 8 * i;
      registers[number] =
        number === AARCH64_LR && this.#isAarch64
          ? view.getUint16(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
          : readAddress(view, at, true);
    }
    return registers;
  }
}
