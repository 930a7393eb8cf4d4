import type { LeafReader } from './leaf-reader.ts';
import { formatLeaf, type RegisterName } from './leaves.ts';

/** The vendor that defines a processor's event select registers: layouts and addresses differ. */
export type CpuVendor = 'intel' | 'amd' | 'arm' | 'other';

export type CpuIdentity = {
  readonly vendor: CpuVendor;
  /** `GenuineIntel`, `AuthenticAMD` …; empty without leaf 0. */
  readonly vendorId: string;
  readonly family: number;
  readonly model: number;
  readonly stepping: number;
  /** Brand string of the processor or its hypervisor; empty without the leaves. */
  readonly brand: string;
};

export type Hypervisor = {
  /** CPUID[0x40000000]: `KVMKVMKVM`; empty where it gives none. */
  readonly id: string;
  /** `KVM`; the id itself where it is not known. */
  readonly name: string;
};

/** Hygon's are AMD's Zen; Zhaoxin and VIA follow Intel's architectural counters. */
const VENDORS: Readonly<Record<string, CpuVendor>> = {
  GenuineIntel: 'intel',
  CentaurHauls: 'intel',
  '  Shanghai  ': 'intel',
  AuthenticAMD: 'amd',
  HygonGenuine: 'amd',
};

const HYPERVISORS: Readonly<Record<string, string>> = {
  KVMKVMKVM: 'KVM',
  'Linux KVM Hv': 'KVM',
  'Microsoft Hv': 'Hyper-V',
  VMwareVMware: 'VMware',
  XenVMMXenVMM: 'Xen',
  TCGTCGTCGTCG: 'QEMU without KVM (TCG)',
  'bhyve bhyve ': 'bhyve',
  VBoxVBoxVBox: 'VirtualBox',
  ' lrpepyh vr': 'Parallels',
  'prl hyperv  ': 'Parallels',
  ACRNACRNACRN: 'ACRN',
  QNXQVMBSQG: 'QNX',
  SRESRESRESRE: 'Lockheed Martin LMHS',
};

const BRAND_LEAVES = [0x80000002, 0x80000003, 0x80000004];
const REGISTERS: readonly RegisterName[] = ['eax', 'ebx', 'ecx', 'edx'];

export function decodeIdentity(reader: LeafReader): CpuIdentity {
  const vendorId = textOf(reader, 0, ['ebx', 'edx', 'ecx']);
  if (vendorId !== '') reader.state('vendor', vendorId, `${formatLeaf(0)}.EBX:EDX:ECX`);
  const brand = BRAND_LEAVES.map((leaf) => textOf(reader, leaf, REGISTERS))
    .join('')
    .trim();
  if (brand !== '') {
    reader.state('brand', brand, `${formatLeaf(BRAND_LEAVES[0])} and the two after it`);
  }
  const signature = (high: number, low: number) => reader.peek(1, 'eax', high, low) ?? 0;
  const baseFamily = signature(11, 8);
  const baseModel = signature(7, 4);
  // The extended fields count where the base family says so; AMD uses the model's from 0xf on.
  const family = baseFamily === 0xf ? baseFamily + signature(27, 20) : baseFamily;
  const hasModel = baseFamily === 0xf || baseFamily === 6;
  const model = hasModel ? (signature(19, 16) << 4) + baseModel : baseModel;
  const stepping = signature(3, 0);
  if (reader.has(1)) {
    reader.state('family', family, `${formatLeaf(1)}.EAX[11:8] + [27:20]`);
    reader.state('model', model, `${formatLeaf(1)}.EAX[19:16]:[7:4]`);
    reader.state('stepping', stepping, `${formatLeaf(1)}.EAX[3:0]`);
  }
  const vendor = VENDORS[vendorId] ?? 'other';
  return { vendor, vendorId, family, model, stepping, brand };
}

/** Null on bare metal, or where the hypervisor hides. */
export function decodeHypervisor(reader: LeafReader): Hypervisor | null {
  if (!reader.flag('hypervisor', 1, 'ecx', 31)) return null;
  const id = textOf(reader, 0x40000000, ['ebx', 'ecx', 'edx']);
  if (id !== '') {
    reader.state('hypervisor vendor', id, `${formatLeaf(0x40000000)}.EBX:ECX:EDX`);
  }
  return { id, name: HYPERVISORS[id] ?? (id.trim() || 'an unnamed hypervisor') };
}

/** Registers as the text that they hold, without what pads it. */
function textOf(reader: LeafReader, leaf: number, names: readonly RegisterName[]): string {
  const registers = reader.leaves.find(leaf);
  if (registers === null) return '';
  let text = '';
  for (const name of names) {
    for (let shift = 0; shift < 32; shift += 8) {
      text += String.fromCharCode((registers[name] >>> shift) & 0xff);
    }
  }
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
