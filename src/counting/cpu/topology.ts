import type { LeafReader } from './leaf-reader.ts';
import { formatLeaf } from './leaves.ts';

/**
 * How logical CPUs are nested. Each sub-leaf of CPUID[0x1F], or of CPUID[0x0B] where that is absent,
 * is one level, the innermost first:
 *
 *   EAX 4:0 bits of the x2APIC id below the next level   EBX 15:0 logical CPUs at this level
 *   ECX 15:8 kind of level, 0 ends the list              EDX x2APIC id of this CPU
 */
export type TopologyLevel = {
  readonly kind: string;
  /**
   * Logical CPUs of all its instances in one instance of the next level, as shipped: SMT 2 is two
   * threads a core. Those that are switched off count.
   */
  readonly logicalCpus: number;
  readonly where: string;
};

const KINDS: readonly string[] = ['', 'SMT', 'core', 'module', 'tile', 'die', 'die group'];
const LEAVES = [0x1f, 0x0b];
const MOST_LEVELS = 8;

/** The kind of core that this is, on processors with several (CPUID[0x1A].EAX[31:24]). */
export type HybridCore = {
  readonly kind: 'performance' | 'efficiency' | 'unknown';
  /** Intel's name of the type: `Core`, `Atom`; the number where it is neither. */
  readonly name: string;
  readonly nativeModel: number;
};

const CORE_TYPES: Readonly<Record<number, Pick<HybridCore, 'kind' | 'name'>>> = {
  32: { kind: 'efficiency', name: 'Atom' },
  64: { kind: 'performance', name: 'Core' },
};

export function decodeTopology(reader: LeafReader): readonly TopologyLevel[] {
  const leaf = LEAVES.find((candidate) => (reader.peek(candidate, 'ebx', 15, 0) ?? 0) > 0);
  if (leaf === undefined) return [];
  const levels: TopologyLevel[] = [];
  for (let subleaf = 0; subleaf < MOST_LEVELS; subleaf++) {
    const type = reader.peek(leaf, 'ecx', 15, 8, subleaf) ?? 0;
    const logicalCpus = reader.peek(leaf, 'ebx', 15, 0, subleaf) ?? 0;
    if (type === 0) break;
    const kind = KINDS[type] ?? `level of type ${type}`;
    const where = `${formatLeaf(leaf, subleaf)}.EBX[15:0]`;
    levels.push({ kind, logicalCpus, where });
    reader.state(`logical CPUs at ${kind} level`, logicalCpus, where);
  }
  return levels;
}

/** Null on processors whose cores are all alike. */
export function decodeHybrid(reader: LeafReader): HybridCore | null {
  const isHybrid = reader.flag('hybrid', 7, 'edx', 15);
  const type = reader.peek(0x1a, 'eax', 31, 24) ?? 0;
  if (!isHybrid && type === 0) return null;
  reader.bits('core type', 0x1a, 'eax', 31, 24);
  const nativeModel = reader.bits('native model', 0x1a, 'eax', 23, 0) ?? 0;
  const known = CORE_TYPES[type] ?? { kind: 'unknown', name: `type 0x${type.toString(16)}` };
  return { ...known, nativeModel };
}
