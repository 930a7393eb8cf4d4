import { bitsOf, fieldName, type LeafReader } from './leaf-reader.ts';

/**
 * Counters of AMD's processors, and of Hygon's.
 *
 *   CPUID[0x80000001].ECX  10 IBS   23 PerfCtrExtCore   24 PerfCtrExtNB   25 streaming monitor (15h)
 *                          28 PerfCtrExtLLC (PerfCtrExtL2I on family 16h)
 *   CPUID[0x80000022].EAX  0 PerfMonV2   1 LbrStack   2 LbrAndPmcFreeze
 *                    .EBX  3:0 core counters   9:4 LBR entries   15:10 northbridge   21:16 UMC
 *                    .ECX  memory controllers that are active, as bits
 *
 * AMD APM volume 3, appendix E. Without PerfCtrExtCore there are the four counters of the K7; how
 * many the extensions bring is said by PerfMonV2 only, and by the families' manuals before it.
 */
export type AmdCounters = {
  readonly core: CounterSet;
  /** PerfCtrExtCore; without, there are the K7's counters. */
  readonly hasExtendedCore: boolean;
  /** Null without the extension. Data fabric counters since family 17h. */
  readonly northbridge: CounterSet | null;
  /** Counters of the L2 cache (family 16h) or of the L3 (since family 17h). */
  readonly cache: (CounterSet & { readonly level: 2 | 3 }) | null;
  /** Counters of all memory controllers together, PerfMonV2 only. */
  readonly memoryControllers: CounterSet | null;
  readonly perfMonV2: boolean;
  /** Entries of the LBR stack; 0 without. */
  readonly lbrEntries: number;
  readonly freezesOnOverflow: boolean;
  /** Null without instruction-based sampling. */
  readonly ibs: readonly string[] | null;
};

export type CounterSet = {
  readonly count: number;
  /** The field that says so. */
  readonly where: string;
};

const FEATURES = 0x80000001;
const PERFMON = 0x80000022;
const IBS = 0x8000001b;

const LEGACY_COUNTERS = 4;
const EXTENDED_COUNTERS = 6;
const NORTHBRIDGE_COUNTERS = 4;
/** Four for family 16h's L2, six for the L3 of 17h and later. */
const L2_COUNTERS = 4;
const L3_COUNTERS = 6;
/** All of them: the registers have 48 bits since the K7. */
export const AMD_WIDTH_BITS = 48;

/** CPUID[0x8000001B].EAX, by bit; bit 0 says that the others are true. */
const IBS_FEATURES: readonly (readonly [number, string])[] = [
  [1, 'fetch sampling'],
  [2, 'op sampling'],
  [3, 'op counter can be read and written'],
  [4, 'op counting mode'],
  [5, 'branch target addresses'],
  [6, 'op counters of 27 bits'],
  [7, 'invalid RIP indication'],
  [8, 'fused branches'],
  [9, 'extended fetch control'],
  [10, 'op data 4'],
  [11, 'L3 miss filter'],
  [12, 'load latency filter'],
  [13, 'alternate disable'],
  [14, 'fetch latency filter'],
  [15, 'user and kernel by bit 63 of the address'],
  [16, 'streaming store and remote socket filter'],
  [19, 'page size of data TLB misses'],
];

export function decodeAmdCounters(reader: LeafReader, family: number): AmdCounters {
  const hasIbs = reader.flag('IBS', FEATURES, 'ecx', 10);
  const hasCore = reader.flag('PerfCtrExtCore', FEATURES, 'ecx', 23);
  const hasNorthbridge = reader.flag('PerfCtrExtNB', FEATURES, 'ecx', 24);
  reader.flag('streaming performance monitor', FEATURES, 'ecx', 25);
  const cacheLevel = family === 0x16 ? 2 : 3;
  const hasCache = reader.flag(
    cacheLevel === 2 ? 'PerfCtrExtL2I' : 'PerfCtrExtLLC',
    FEATURES,
    'ecx',
    28,
  );
  const perfMonV2 = reader.flag('PerfMonV2', PERFMON, 'eax', 0);
  const hasLbr = reader.flag('LbrStack', PERFMON, 'eax', 1);
  const freezesOnOverflow = reader.flag('LbrAndPmcFreeze', PERFMON, 'eax', 2);
  const counted = (name: string, high: number, low: number) =>
    perfMonV2 ? countedSet(reader, name, high, low) : null;
  const core = counted('core counters', 3, 0);
  const lbrEntries = hasLbr ? (reader.bits('LBR entries', PERFMON, 'ebx', 9, 4) ?? 0) : 0;
  const northbridge = counted('northbridge counters', 15, 10);
  const memoryControllers = counted('memory controller counters', 21, 16);
  const byFlag = (bit: number, count: number): CounterSet => ({
    count,
    where: fieldName(FEATURES, 'ecx', bit, bit),
  });
  return {
    hasExtendedCore: hasCore,
    core: core ?? byFlag(23, hasCore ? EXTENDED_COUNTERS : LEGACY_COUNTERS),
    northbridge: hasNorthbridge ? (northbridge ?? byFlag(24, NORTHBRIDGE_COUNTERS)) : null,
    cache: hasCache
      ? { ...byFlag(28, cacheLevel === 2 ? L2_COUNTERS : L3_COUNTERS), level: cacheLevel }
      : null,
    memoryControllers,
    perfMonV2,
    lbrEntries,
    freezesOnOverflow,
    ibs: hasIbs ? decodeIbs(reader) : null,
  };
}

function countedSet(
  reader: LeafReader,
  name: string,
  high: number,
  low: number,
): CounterSet | null {
  const count = reader.bits(name, PERFMON, 'ebx', high, low) ?? 0;
  return count === 0 ? null : { count, where: fieldName(PERFMON, 'ebx', high, low) };
}

function decodeIbs(reader: LeafReader): readonly string[] {
  const mask = reader.bits('IBS features', IBS, 'eax', 31, 0) ?? 0;
  const set = new Set(bitsOf(mask));
  // Family 10h has no valid bit and can sample fetches and ops.
  if (!set.has(0)) return ['fetch sampling', 'op sampling'];
  return IBS_FEATURES.filter(([bit]) => set.has(bit)).map(([, name]) => name);
}
