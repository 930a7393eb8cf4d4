import { CALL_STACK_MODE } from './branch-records.ts';
import type { CpuCapabilities } from './capabilities.ts';

/** Whether a CPU's branch records can keep the calls that have not returned: `--call-graph lbr`. */
export type CallStackRecords = {
  /** Null where CPUID does not say. */
  readonly has: boolean | null;
  /** The reason, or the register. */
  readonly reason: string;
};

/**
 * CPUID says it with the architectural branch records. Intel's older ones have call stacks from
 * Haswell on, which is a matter of the model; AMD's and those of others have none.
 */
export function callStackRecords({
  identity,
  intel,
  branchRecords,
}: CpuCapabilities): CallStackRecords {
  if (branchRecords !== null) {
    return {
      has: branchRecords.features.includes(CALL_STACK_MODE),
      reason: 'CPUID[0x1C].EBX[2]',
    };
  }
  if (identity.vendor !== 'intel') {
    return { has: false, reason: 'Intel has them, since Haswell' };
  }
  if (intel === null || intel.version === 0) return { has: false, reason: 'no counters are shown' };
  return {
    has: null,
    reason: 'Haswell and later have them; CPUID does not say, perf-ts doctor tries',
  };
}
