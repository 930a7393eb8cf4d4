import { type CpuidLeaves, formatLeaf, type RegisterName } from './leaves.ts';

/** One thing that a register says, and which bits of which register say it. */
export type Fact = {
  /** Stable, in words: `general counters`. */
  readonly name: string;
  readonly value: number | boolean | string;
  /** `CPUID[0x0A].EAX[15:8]`, as the manuals of Intel and AMD write it. */
  readonly where: string;
};

/** Reads fields of leaves and keeps what it read, so that every fact can name its source. */
export class LeafReader {
  readonly facts: Fact[] = [];
  readonly leaves: CpuidLeaves;

  constructor(leaves: CpuidLeaves) {
    this.leaves = leaves;
  }

  has(leaf: number, subleaf = 0): boolean {
    return this.leaves.find(leaf, subleaf) !== null;
  }

  /** Bits `high` … `low` of a register as a number; null, and no fact, without the leaf. */
  bits(
    name: string,
    leaf: number,
    register: RegisterName,
    high: number,
    low: number,
    subleaf = 0,
  ): number | null {
    const value = this.peek(leaf, register, high, low, subleaf);
    if (value !== null) {
      this.state(name, value, fieldName(leaf, register, high, low, subleaf));
    }
    return value;
  }

  /** One bit; false, and no fact, without the leaf. */
  flag(name: string, leaf: number, register: RegisterName, bit: number, subleaf = 0): boolean {
    const value = this.peek(leaf, register, bit, bit, subleaf);
    if (value === null) return false;
    this.state(name, value === 1, fieldName(leaf, register, bit, bit, subleaf));
    return value === 1;
  }

  /** Like `bits`, for a value that is not a fact of its own. */
  peek(
    leaf: number,
    register: RegisterName,
    high: number,
    low: number,
    subleaf = 0,
  ): number | null {
    const registers = this.leaves.find(leaf, subleaf);
    if (registers === null) return null;
    const width = high - low + 1;
    return Math.floor(registers[register] / 2 ** low) % 2 ** width;
  }

  /** Adds what was put together from several registers. */
  state(name: string, value: Fact['value'], where: string): void {
    this.facts.push({ name, value, where });
  }
}

/** `CPUID[0x0A].EAX[15:8]`, `CPUID[0x01].ECX[31]`, `CPUID[0x0A].EBX` for a whole register. */
export function fieldName(
  leaf: number,
  register: RegisterName,
  high: number,
  low: number,
  subleaf = 0,
): string {
  const name = `${formatLeaf(leaf, subleaf)}.${register.toUpperCase()}`;
  if (high === 31 && low === 0) return name;
  return high === low ? `${name}[${high}]` : `${name}[${high}:${low}]`;
}

/** The numbers of the bits that are set, lowest first. */
export function bitsOf(mask: number): number[] {
  const bits: number[] = [];
  for (let bit = 0; bit < 32; bit++) if (((mask >>> bit) & 1) === 1) bits.push(bit);
  return bits;
}
