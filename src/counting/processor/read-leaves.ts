import type { NativeBinding } from '../../native/types.ts';
import { CpuidLeaves, leavesInRange, RANGE_STARTS } from '../cpu/leaves.ts';

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
