import { loadBinding } from '../../native/binding.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { type ArmIdentity, decodeMidr } from '../cpu/arm.ts';
import { type CpuCapabilities, decodeCapabilities } from '../cpu/capabilities.ts';
import { type ReadCpuid, readLeaves } from './read-leaves.ts';

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
  const byType = new Map<number, number[]>();
  for (const cpu of cpus) {
    const type = readCpuid(Uint32Array.of(0x1a, 0), cpu)?.[0] ?? 0;
    byType.set(type, [...(byType.get(type) ?? []), cpu]);
  }
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
  const byMidr = new Map<string, number[]>();
  for (const cpu of cpus) {
    const text = readMidr(cpu);
    byMidr.set(text, [...(byMidr.get(text) ?? []), cpu]);
  }
  return [...byMidr].map(([text, alike]) => ({
    cpus: alike,
    capabilities: null,
    arm: decodeMidr(text),
  }));
}

function readMidr(cpu: number): string {
  return readTextOrEmpty(`/sys/devices/system/cpu/cpu${cpu}/regs/identification/midr_el1`);
}
