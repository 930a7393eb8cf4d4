// Hot: once per sample.

import { readAddress } from '../../base/u64.ts';
import type { UnwindArchitecture } from './module-input.ts';
import { wordBytesOf } from './stack-bytes.ts';
import type { OtherRegisters } from './types.ts';

/**
 * perf's register number -> DWARF's, −1 for none. perf's numbers are the bits of
 * `sample_regs_user`: arch/{x86,arm64}/include/uapi/asm/perf_regs.h. DWARF's are those of the
 * System V ABIs for x86-64 (figure 3.36) and i386 (table 2.14) and of "DWARF for the Arm 64-bit Architecture"
 * and "… for the Arm Architecture" (tables 1).
 */
const DWARF_NUMBERS: Readonly<Record<UnwindArchitecture, readonly number[]>> = {
  //         ax bx cx dx si di bp sp ip  flags cs … gs             r8 … r15
  'x86-64': [0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15],
  // The same order; what a 64-bit kernel records of r8 … r15 is nothing of 32-bit code.
  i386: [0, 3, 1, 2, 6, 7, 5, 4, 8],
  // x0 … x29, lr, sp, pc
  aarch64: Array.from({ length: 33 }, (_, i) => i),
  // r0 … r10, fp, ip, sp, lr, pc; a 64-bit kernel has 32-bit code's at the same places
  arm: Array.from({ length: 16 }, (_, i) => i),
};

/** Registers that an unwinder is handed, by architecture. */
export const REGISTER_COUNT: Readonly<Record<UnwindArchitecture, number>> = {
  'x86-64': 17,
  i386: 9,
  aarch64: 33,
  arm: 16,
};

const AARCH64_LR = 30;
const ARM_LR = 14;

/** DWARF numbers that every sample needs: fp, lr where there is one, sp, ip. */
const FEW: Readonly<Record<UnwindArchitecture, readonly number[]>> = {
  'x86-64': [6, 7, 16],
  i386: [5, 4, 8],
  aarch64: [29, AARCH64_LR, 31, 32],
  arm: [11, ARM_LR, 13, 15],
};

/**
 * Reads the register dumps of one event into the order that the unwinder wants. Nearly all samples
 * need three or four of the registers, so the others are read when they are asked for.
 */
export class RegisterDump implements OtherRegisters {
  /** Values by DWARF register number; NaN where the event does not record it. Filled by `read`. */
  readonly registers: Float64Array;
  /** DWARF numbers. */
  readonly stackPointer: number;
  readonly instructionPointer: number;
  readonly framePointer: number;
  /** Places in the dump and the DWARF numbers of what is there, in pairs. */
  readonly #few: Int8Array;
  readonly #others: Int8Array;
  readonly #linkRegister: number;
  readonly #is64: boolean;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #offset = 0;
  #count = 0;

  /** `mask` is the event's `sample_regs_user`. */
  constructor(architecture: UnwindArchitecture, mask: bigint) {
    const known = DWARF_NUMBERS[architecture];
    const few: number[] = [];
    const others: number[] = [];
    let place = 0;
    for (let bit = 0; bit < 64; bit++) {
      if (((mask >> BigInt(bit)) & 1n) === 0n) continue;
      const number = known[bit] ?? -1;
      if (number >= 0) (FEW[architecture].includes(number) ? few : others).push(place, number);
      place++;
    }
    const [sp, ip] = FEW[architecture].slice(-2) as [number, number];
    this.stackPointer = sp;
    this.framePointer = FEW[architecture][0];
    this.instructionPointer = ip;
    this.#few = Int8Array.from(few);
    this.#others = Int8Array.from(others);
    this.#is64 = wordBytesOf(architecture) === 8;
    this.#linkRegister =
      architecture === 'aarch64' ? AARCH64_LR : architecture === 'arm' ? ARM_LR : -1;
    this.registers = new Float64Array(REGISTER_COUNT[architecture]).fill(Number.NaN);
  }

  /**
   * Reads the `count` registers at `offset`: `userRegsOffset` and `userRegsCount` of the sample,
   * whose ABI must be that of the architecture. Of registers other than fp, sp, ip and lr the values are
   * valid after `readOthers` only. The link register loses the bits of a signed pointer, since with
   * them it is not exact, and the one that tells Thumb code.
   */
  read(view: DataView, offset: number, count: number): Float64Array {
    this.#view = view;
    this.#offset = offset;
    this.#count = count;
    this.#readPlaces(this.#few);
    return this.registers;
  }

  /** Reads the other registers of the dump that was read last, whose view must still be valid. */
  readOthers(): void {
    this.#readPlaces(this.#others);
  }

  #readPlaces(places: Int8Array): void {
    const { registers } = this;
    const view = this.#view;
    for (let i = 0; i < places.length; i += 2) {
      if (places[i] >= this.#count) return;
      const number = places[i + 1];
      const at = this.#offset + 8 * places[i];
      const isLink = number === this.#linkRegister;
      if (this.#is64) {
        registers[number] = isLink
          ? view.getUint16(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
          : readAddress(view, at, true);
      } else {
        const low = view.getUint32(at, true);
        registers[number] = isLink && low % 2 === 1 ? low - 1 : low;
      }
    }
  }
}
