import { bitsOf, type LeafReader } from './leaf-reader.ts';

/**
 * Intel's architectural last branch records, CPUID[0x1C]:
 *
 *   EAX 7:0 bit n: 8 · (n + 1) entries are possible   30 may be lost in deep sleep   31 IPs with bases
 *   EBX 0 filter by privilege   1 filter by kind of branch   2 call stack mode
 *   ECX 0 mispredictions   1 cycles between   2 kind of branch   19:16 counters logged per entry
 *
 * Processors before it have records of their own, of which CPUID says nothing: the kernel's
 * `caps/branches` of the PMU does.
 */
export type BranchRecords = {
  /** Depths that can be chosen, ascending. */
  readonly depths: readonly number[];
  readonly features: readonly string[];
};

const LEAF = 0x1c;

/** Keeps the calls that have not returned, instead of all branches. */
export const CALL_STACK_MODE = 'call stack mode';

export function decodeBranchRecords(reader: LeafReader): BranchRecords | null {
  const mask = reader.peek(LEAF, 'eax', 7, 0) ?? 0;
  if (mask === 0) return null;
  reader.bits('LBR depths', LEAF, 'eax', 7, 0);
  const flags: readonly (readonly [string, boolean])[] = [
    ['may be lost in deep sleep', reader.flag('LBR lost in deep sleep', LEAF, 'eax', 30)],
    ['IPs with segment bases', reader.flag('LBR IPs with bases', LEAF, 'eax', 31)],
    ['filter by privilege', reader.flag('LBR privilege filter', LEAF, 'ebx', 0)],
    ['filter by kind of branch', reader.flag('LBR branch filter', LEAF, 'ebx', 1)],
    [CALL_STACK_MODE, reader.flag('LBR call stack mode', LEAF, 'ebx', 2)],
    ['mispredictions', reader.flag('LBR mispredictions', LEAF, 'ecx', 0)],
    ['cycles between branches', reader.flag('LBR cycles', LEAF, 'ecx', 1)],
    ['kind of branch', reader.flag('LBR branch kinds', LEAF, 'ecx', 2)],
  ];
  const logged = reader.bits('LBR logs counters', LEAF, 'ecx', 19, 16) ?? 0;
  const features = flags.filter(([, isSet]) => isSet).map(([name]) => name);
  if (logged > 0) features.push(`logs counters ${bitsOf(logged).join(', ')}`);
  return { depths: bitsOf(mask).map((bit) => 8 * (bit + 1)), features };
}
