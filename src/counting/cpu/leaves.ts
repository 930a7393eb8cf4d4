/**
 * The CPUID leaves of one logical CPU: leaf and sub-leaf to four registers of 32 bits, unsigned. A
 * leaf that the processor does not have is absent; where it was never asked for, too.
 */
export type CpuidRegisters = {
  readonly eax: number;
  readonly ebx: number;
  readonly ecx: number;
  readonly edx: number;
};
export type RegisterName = keyof CpuidRegisters;

/** Sub-leaves are small numbers; a key is one number, so that a map can hold it. */
const SUBLEAVES = 0x10000;

export class CpuidLeaves {
  readonly #byKey = new Map<number, CpuidRegisters>();

  set(leaf: number, subleaf: number, registers: CpuidRegisters): void {
    this.#byKey.set(leaf * SUBLEAVES + subleaf, registers);
  }

  /** Null where the leaf is absent. */
  find(leaf: number, subleaf = 0): CpuidRegisters | null {
    return this.#byKey.get(leaf * SUBLEAVES + subleaf) ?? null;
  }

  get count(): number {
    return this.#byKey.size;
  }
}

/** A leaf as manuals write it: `CPUID[0x0A]`, `CPUID[0x23,1]`. */
export function formatLeaf(leaf: number, subleaf = 0): string {
  const digits = leaf.toString(16).toUpperCase().padStart(2, '0');
  return `CPUID[0x${digits}${subleaf === 0 ? '' : `,${subleaf}`}]`;
}

/** The leaves that say something of counters, and what is needed to name the processor. */
export type WantedLeaf = { readonly leaf: number; readonly subleaves: number };
export const WANTED_LEAVES: readonly WantedLeaf[] = [
  { leaf: 0x00, subleaves: 1 },
  { leaf: 0x01, subleaves: 1 },
  { leaf: 0x07, subleaves: 2 },
  { leaf: 0x0a, subleaves: 1 },
  { leaf: 0x0b, subleaves: 4 },
  { leaf: 0x15, subleaves: 1 },
  { leaf: 0x16, subleaves: 1 },
  { leaf: 0x1a, subleaves: 1 },
  { leaf: 0x1c, subleaves: 1 },
  { leaf: 0x1f, subleaves: 7 },
  { leaf: 0x23, subleaves: 6 },
  { leaf: 0x40000000, subleaves: 1 },
  { leaf: 0x40000010, subleaves: 1 },
  { leaf: 0x80000000, subleaves: 1 },
  { leaf: 0x80000001, subleaves: 1 },
  { leaf: 0x80000002, subleaves: 1 },
  { leaf: 0x80000003, subleaves: 1 },
  { leaf: 0x80000004, subleaves: 1 },
  { leaf: 0x80000007, subleaves: 1 },
  { leaf: 0x80000008, subleaves: 1 },
  { leaf: 0x8000001b, subleaves: 1 },
  { leaf: 0x8000001e, subleaves: 1 },
  { leaf: 0x80000022, subleaves: 1 },
];

/** First leaf of each range: its EAX holds the last leaf of the range. */
export const RANGE_STARTS: readonly number[] = [0, 0x40000000, 0x80000000];
const RANGE_SIZE = 0x10000;
/** CPUID[0x01].ECX[31]: without it the leaves from 0x40000000 on mean nothing. */
const HYPERVISOR_BIT = 31;

/**
 * The wanted leaves that the processor has. Beyond the end of the basic range Intel answers with the
 * registers of its last leaf, so a leaf out of range must not be read.
 *
 * @param starts the leaves of RANGE_STARTS and leaf 1
 */
export function leavesInRange(starts: CpuidLeaves): readonly WantedLeaf[] {
  const isVirtual = (((starts.find(1)?.ecx ?? 0) >>> HYPERVISOR_BIT) & 1) === 1;
  return WANTED_LEAVES.filter(({ leaf }) => {
    const start = RANGE_STARTS.findLast((first) => leaf >= first) as number;
    // Old KVM leaves the end of its range 0.
    if (start === 0x40000000 && leaf === start) return isVirtual;
    if (start === 0x40000000 && !isVirtual) return false;
    const last = starts.find(start)?.eax ?? 0;
    return last >= start && last - start < RANGE_SIZE && leaf <= last;
  });
}
