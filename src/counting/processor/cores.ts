import { groupBy } from '../../base/group-by.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { type ArmIdentity, decodeMidr } from '../cpu/arm.ts';
import { type CpuCapabilities, decodeCapabilities } from '../cpu/capabilities.ts';
import { CpuidLeaves, leavesInRange, RANGE_STARTS } from '../cpu/leaves.ts';

/** CPUs that are alike, and what the first of them says of itself. */
export type CoreKind = {
  readonly cpus: readonly number[];
  /** x86. */
  readonly capabilities: CpuCapabilities | null;
  /** arm64. */
  readonly arm: ArmIdentity | null;
};

/** The kinds of cores of this machine: one, or on hybrid processors several. */
export function readCores(): readonly CoreKind[] {
  const cpus = onlineCpus();
  const { readCpuid } = loadBinding();
  return readX86Cores(readCpuid, cpus) ?? readArmCores(cpus);
}

/** CPUs are alike when their core types are (CPUID[0x1A].EAX); only hybrid ones are all asked. */
export function readX86Cores(
  readCpuid: ReadCpuid,
  cpus: readonly number[],
): readonly CoreKind[] | null {
  const first = readLeaves(readCpuid, cpus[0] ?? -1);
  if (first === null) return null;
  const capabilities = decodeCapabilities(first);
  if (capabilities.hybrid === null) return [{ cpus, capabilities, arm: null }];
  const byType = groupBy(cpus, (cpu) => readCpuid(Uint32Array.of(0x1a, 0), cpu)?.[0] ?? 0);
  return [...byType.values()].map((alike) => {
    const leaves = readLeaves(readCpuid, alike[0]);
    return {
      cpus: alike,
      capabilities: leaves === null ? null : decodeCapabilities(leaves),
      arm: null,
    };
  });
}

function readArmCores(cpus: readonly number[]): readonly CoreKind[] {
  return [...groupBy(cpus, readMidr)].map(([text, alike]) => ({
    cpus: alike,
    capabilities: null,
    arm: decodeMidr(text),
  }));
}

function readMidr(cpu: number): string {
  return readTextOrEmpty(`/sys/devices/system/cpu/cpu${cpu}/regs/identification/midr_el1`);
}

/** Reads pairs of leaf and sub-leaf on one CPU; null where there is no CPUID. */
export type ReadCpuid = NativeBinding['readCpuid'];

const REGISTERS = 4;

/**
 * The leaves of one CPU that say something of counters, or null on a processor without CPUID.
 * `cpu` −1: whichever runs this.
 */
export function readLeaves(readCpuid: ReadCpuid, cpu: number): CpuidLeaves | null {
  const leaves = new CpuidLeaves();
  if (!readInto(leaves, readCpuid, cpu, [[1, 0], ...RANGE_STARTS.map((leaf) => [leaf, 0])])) {
    return null;
  }
  const present = new CpuidLeaves();
  const pairs = leavesInRange(leaves).flatMap(({ leaf, subleaves }) =>
    Array.from({ length: subleaves }, (_, subleaf) => [leaf, subleaf]),
  );
  readInto(present, readCpuid, cpu, pairs);
  return present;
}

function readInto(
  leaves: CpuidLeaves,
  readCpuid: ReadCpuid,
  cpu: number,
  pairs: readonly (readonly number[])[],
): boolean {
  const registers = readCpuid(Uint32Array.from(pairs.flat()), cpu);
  if (registers === null) return false;
  pairs.forEach(([leaf = 0, subleaf = 0], index) => {
    const [eax = 0, ebx = 0, ecx = 0, edx = 0] = registers.subarray(
      index * REGISTERS,
      (index + 1) * REGISTERS,
    );
    leaves.set(leaf, subleaf, { eax, ebx, ecx, edx });
  });
  return true;
}
