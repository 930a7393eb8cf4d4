import type { LeafReader } from './leaf-reader.ts';

/** How fast the time stamp counter is said to go. */
export type NominalRate = { readonly hz: number; readonly where: string };

/**
 * The rate of the time stamp counter, by the first that says it: the ratio to the crystal
 * (CPUID[0x15]), the hypervisor (CPUID[0x40000010].EAX, kHz), the base frequency (CPUID[0x16].EAX,
 * MHz), the brand's "@ 2.40GHz". The last two are rounded. Null where none does.
 */
export function decodeNominalRate(reader: LeafReader, brand: string): NominalRate | null {
  reader.flag('invariant TSC', 0x80000007, 'edx', 8);
  const denominator = reader.peek(0x15, 'eax', 31, 0) ?? 0;
  const numerator = reader.peek(0x15, 'ebx', 31, 0) ?? 0;
  const crystalHz = reader.peek(0x15, 'ecx', 31, 0) ?? 0;
  if (denominator > 0 && numerator > 0 && crystalHz > 0) {
    return { hz: (crystalHz * numerator) / denominator, where: 'CPUID[0x15].EBX / EAX · ECX' };
  }
  const hypervisorKhz = reader.peek(0x40000010, 'eax', 31, 0) ?? 0;
  if (hypervisorKhz > 0) return { hz: hypervisorKhz * 1e3, where: 'CPUID[0x40000010].EAX' };
  const baseMhz = reader.peek(0x16, 'eax', 15, 0) ?? 0;
  if (baseMhz > 0) return { hz: baseMhz * 1e6, where: 'CPUID[0x16].EAX[15:0]' };
  const ghz = /@ (\d+\.\d+)GHz/.exec(brand)?.[1];
  return ghz === undefined ? null : { hz: Math.round(Number(ghz) * 1e9), where: 'the brand' };
}
