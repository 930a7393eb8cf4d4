import { type CpuCapabilities, generalCounters } from '../cpu/capabilities.ts';
import type { CoreKind } from './cores.ts';
import type { RegisteredPmu } from './registered-pmus.ts';

/** The reason why the kernel has no PMU for the cores, and what would change it. */
export type WhyNone = {
  readonly reason: string;
  readonly fix: readonly string[];
};

const SEE_KERNEL = "the kernel says why, to root: dmesg | grep -i 'performance events'";

const UNKNOWN_REMEDY =
  'let the hypervisor pass the PMU on; in clouds: bare metal, or the larger instance sizes';

/** How each hypervisor, by its name, passes the PMU on; where it can't, that. */
const REMEDIES: Readonly<Record<string, readonly string[]>> = {
  KVM: [
    "KVM/QEMU: -cpu host,pmu=on; libvirt: <pmu state='on'/> below <features>; Firecracker passes none on",
    'in clouds: bare metal, or the larger instance sizes; Google: --performance-monitoring-unit=standard',
  ],
  'Hyper-V': [
    'Hyper-V: Set-VMProcessor VM -Perfmon @("pmu") while it is off; in clouds: bare metal, or larger sizes',
  ],
  VMware: ['VMware: vpmc.enable = "TRUE" in the .vmx ("Virtualize CPU performance counters")'],
  Xen: [
    "Xen: vpmu=on among the hypervisor's boot options; in clouds: bare metal, or a newer hypervisor",
  ],
  Parallels: ['Parallels: CPU & Memory, Advanced, "Enable PMU virtualization"'],
  'QEMU without KVM (TCG)': ['an emulated processor has no counters: run it with KVM (-accel kvm)'],
  VirtualBox: ['VirtualBox passes no PMU on: KVM, VMware and Hyper-V can'],
};

/** Null where the kernel has one. */
export function whyNoCounters(
  cores: readonly CoreKind[],
  pmus: readonly RegisteredPmu[],
): WhyNone | null {
  if (pmus.some(({ kind }) => kind === 'core')) return null;
  const capabilities = cores[0]?.capabilities ?? null;
  if (capabilities === null) {
    return {
      reason: 'the kernel found no PMU: neither the firmware nor a hypervisor described one',
      fix: [SEE_KERNEL, 'KVM/QEMU: -cpu host,pmu=on'],
    };
  }
  const shown = whatIsShown(capabilities);
  if (capabilities.hypervisor === null) {
    return {
      reason: `the kernel registered no PMU of this processor; ${shown}`,
      fix: [SEE_KERNEL, 'boot without nopmu, and with the PMU switched on in the firmware'],
    };
  }
  const { name, id } = capabilities.hypervisor;
  const who = `${name} (CPUID[0x01].ECX[31] is set, CPUID[0x40000000] says "${id}")`;
  return {
    reason: `${who} does not pass the PMU on; ${shown}`,
    fix: [...(REMEDIES[name] ?? [UNKNOWN_REMEDY]), SEE_KERNEL],
  };
}

/** Describes the counters that CPUID shows all the same. */
function whatIsShown(capabilities: CpuCapabilities): string {
  const { intel, amd } = capabilities;
  const { count } = generalCounters(capabilities);
  if (intel !== null) return `CPUID[0x0A].EAX[15:8] shows ${count} counters`;
  if (amd === null) return 'CPUID[0x0A].EAX[7:0] is 0';
  const isExtended = amd.hasExtendedCore;
  return `${amd.core.where} is ${isExtended ? 1 : 0}: ${
    isExtended ? `${count} counters are shown` : 'the extended counters are hidden'
  }`;
}
