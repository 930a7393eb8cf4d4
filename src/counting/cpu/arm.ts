/**
 * The identity of an arm64 CPU that is visible outside of the kernel: the main id register, as sysfs shows it
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

const IMPLEMENTERS: ReadonlyMap<number, string> = new Map([
  [0x41, 'Arm'],
  [0x42, 'Broadcom'],
  [0x43, 'Cavium'],
  [0x46, 'Fujitsu'],
  [0x48, 'HiSilicon'],
  [0x4e, 'NVIDIA'],
  [0x50, 'Applied Micro'],
  [0x51, 'Qualcomm'],
  [0x61, 'Apple'],
  [0x6d, 'Microsoft'],
  [0xc0, 'Ampere'],
]);

/** Arm's own cores, by part. */
const ARM_CORES: ReadonlyMap<number, string> = new Map([
  [0xd03, 'Cortex-A53'],
  [0xd04, 'Cortex-A35'],
  [0xd05, 'Cortex-A55'],
  [0xd07, 'Cortex-A57'],
  [0xd08, 'Cortex-A72'],
  [0xd09, 'Cortex-A73'],
  [0xd0a, 'Cortex-A75'],
  [0xd0b, 'Cortex-A76'],
  [0xd0c, 'Neoverse N1'],
  [0xd0d, 'Cortex-A77'],
  [0xd40, 'Neoverse V1'],
  [0xd41, 'Cortex-A78'],
  [0xd44, 'Cortex-X1'],
  [0xd46, 'Cortex-A510'],
  [0xd47, 'Cortex-A710'],
  [0xd48, 'Cortex-X2'],
  [0xd49, 'Neoverse N2'],
  [0xd4d, 'Cortex-A715'],
  [0xd4e, 'Cortex-X3'],
  [0xd4f, 'Neoverse V2'],
  [0xd81, 'Cortex-A720'],
  [0xd82, 'Cortex-X4'],
  [0xd84, 'Neoverse V3'],
  [0xd8e, 'Neoverse N3'],
]);
const ARM = 0x41;

/** Null for text that is no register. */
export function decodeMidr(text: string): ArmIdentity | null {
  if (!/^\s*0x[0-9a-f]{1,16}\s*$/i.test(text)) return null;
  const midr = Number(BigInt(text.trim()) & 0xffff_ffffn);
  const bits = (high: number, low: number) => (midr >>> low) & (2 ** (high - low + 1) - 1);
  const code = bits(31, 24);
  const part = bits(15, 4);
  return {
    implementer: IMPLEMENTERS.get(code) ?? `implementer 0x${code.toString(16)}`,
    core: code === ARM ? (ARM_CORES.get(part) ?? null) : null,
    part,
    variant: bits(23, 20),
    revision: bits(3, 0),
  };
}
