/**
 * What an arm64 CPU says of itself outside of the kernel: the main id register, as sysfs shows it
 * (`regs/identification/midr_el1`). How many counters it has the kernel alone can read (PMCR_EL0.N).
 *
 *   MIDR_EL1  31:24 implementer   23:20 variant   19:16 architecture   15:4 part   3:0 revision
 */
export type ArmIdentity = {
  readonly implementer: string;
  /** `Neoverse N1`; null for a part that is not known here. */
  readonly core: string | null;
  readonly part: number;
  readonly variant: number;
  readonly revision: number;
};

const IMPLEMENTERS: Readonly<Record<number, string>> = {
  65: 'Arm',
  66: 'Broadcom',
  67: 'Cavium',
  70: 'Fujitsu',
  72: 'HiSilicon',
  78: 'NVIDIA',
  80: 'Applied Micro',
  81: 'Qualcomm',
  97: 'Apple',
  109: 'Microsoft',
  192: 'Ampere',
};

/** Arm's own cores, by part. */
const ARM_CORES: Readonly<Record<number, string>> = {
  3331: 'Cortex-A53',
  3333: 'Cortex-A35',
  3334: 'Cortex-A55',
  3335: 'Cortex-A57',
  3336: 'Cortex-A72',
  3337: 'Cortex-A73',
  3338: 'Cortex-A75',
  3339: 'Cortex-A76',
  3340: 'Neoverse N1',
  3341: 'Cortex-A77',
  3392: 'Neoverse V1',
  3393: 'Cortex-A78',
  3396: 'Cortex-X1',
  3398: 'Cortex-A510',
  3399: 'Cortex-A710',
  3400: 'Cortex-X2',
  3401: 'Neoverse N2',
  3405: 'Cortex-A715',
  3406: 'Cortex-X3',
  3407: 'Neoverse V2',
  3457: 'Cortex-A720',
  3458: 'Cortex-X4',
  3460: 'Neoverse V3',
  3470: 'Neoverse N3',
};
const ARM = 65;

/** Null for text that is no register. */
export function decodeMidr(text: string): ArmIdentity | null {
  if (!/^\s*0x[0-9a-f]{1,16}\s*$/i.test(text)) return null;
  const midr = Number(BigInt(text.trim()) & 0xffff_ffffn);
  const bits = (high: number, low: number) => (midr >>> low) & (2 ** (high - low + 1) - 1);
  const code = bits(31, 24);
  const part = bits(15, 4);
  return {
    implementer: IMPLEMENTERS[code] ?? `implementer 0x${code.toString(16)}`,
    core: code === ARM ? (ARM_CORES[part] ?? null) : null,
    part,
    variant: bits(23, 20),
    revision: bits(3, 0),
  };
}
