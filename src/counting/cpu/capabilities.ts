import { checkArguments } from '../../options/arguments.ts';
import { AMD_WIDTH_BITS, type AmdCounters, decodeAmdCounters } from './amd-counters.ts';
import { type BranchRecords, decodeBranchRecords } from './branch-records.ts';
import { type CpuIdentity, decodeHypervisor, decodeIdentity, type Hypervisor } from './identity.ts';
import { decodeIntelCounters, type IntelCounters } from './intel-counters.ts';
import { type Fact, LeafReader } from './leaf-reader.ts';
import type { CpuidLeaves } from './leaves.ts';
import { decodeNominalRate, type NominalRate } from './time-stamp.ts';
import { decodeHybrid, decodeTopology, type HybridCore, type TopologyLevel } from './topology.ts';

/** The counters of one logical CPU by its CPUID leaves; null where these do not define a value. */
export type CpuCapabilities = {
  readonly identity: CpuIdentity;
  /** Null on bare metal. */
  readonly hypervisor: Hypervisor | null;
  /** Null where all cores are alike. */
  readonly hybrid: HybridCore | null;
  /** Innermost level first; empty where the processor does not say. */
  readonly topology: readonly TopologyLevel[];
  /** Intel's way of counting; null without CPUID[0x0A]. */
  readonly intel: IntelCounters | null;
  /** AMD's; null on others. */
  readonly amd: AmdCounters | null;
  /** Architectural last branch records; null without. AMD's are in `amd`. */
  readonly branchRecords: BranchRecords | null;
  readonly timeStampRate: NominalRate | null;
  /** CPUID[0x80000008].EAX: 7:0 and 15:8. */
  readonly physicalAddressBits: number | null;
  readonly virtualAddressBits: number | null;
  /** Everything above and its source, in the order of reading. */
  readonly facts: readonly Fact[];
};

/**
 * Every vendor's leaves; what a processor does not have is null, and no fact.
 *
 * @example
 * ```ts
 * import { decodeCapabilities, parseLeafDumps } from 'perf-ts';
 *
 * const text = 'CPU 0:\n   0x0000000a 0x00: eax=0x08300805 ebx=0x00000000 ecx=0x0000000f edx=0x00008604';
 * const [{ leaves }] = parseLeafDumps(text);
 * console.log(decodeCapabilities(leaves).intel);
 * ```
 */
export function decodeCapabilities(leaves: CpuidLeaves): CpuCapabilities {
  checkArguments({ leaves });
  const reader = new LeafReader(leaves);
  const identity = decodeIdentity(reader);
  const hypervisor = decodeHypervisor(reader);
  const hybrid = decodeHybrid(reader);
  const topology = decodeTopology(reader);
  const intel = decodeIntelCounters(reader);
  const isAmd = identity.vendor === 'amd';
  const amd = isAmd ? decodeAmdCounters(reader, identity.family) : null;
  const branchRecords = decodeBranchRecords(reader);
  const timeStampRate = decodeNominalRate(reader, identity.brand);
  const physicalAddressBits = reader.bits('physical address bits', 0x80000008, 'eax', 7, 0);
  const virtualAddressBits = reader.bits('virtual address bits', 0x80000008, 'eax', 15, 8);
  return {
    identity,
    hypervisor,
    hybrid,
    topology,
    intel,
    amd,
    branchRecords,
    timeStampRate,
    physicalAddressBits,
    virtualAddressBits,
    facts: reader.facts,
  };
}

/** General counters of this core, and how wide they are; 0 where it has none or hides them. */
export function generalCounters({ intel, amd }: CpuCapabilities): {
  readonly count: number;
  readonly widthBits: number;
} {
  if (intel !== null) return { count: intel.general.length, widthBits: intel.generalWidthBits };
  if (amd !== null) return { count: amd.core.count, widthBits: AMD_WIDTH_BITS };
  return { count: 0, widthBits: 0 };
}
