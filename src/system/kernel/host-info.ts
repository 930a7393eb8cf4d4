import { readFileSync } from 'node:fs';
import { arch, cpus, endianness, hostname, release, totalmem } from 'node:os';
import { Diagnostics } from '../../base/diagnostics.ts';
import { findBuildId } from '../../code/elf/build-id.ts';
import { readTextOrNull, readTrimmedOrNull } from '../small-file.ts';

/** Alignment of the kernel's notes, in bytes. */
const NOTE_ALIGNMENT = 4;

/** The file header's facts about the machine. */
export type HostInfo = {
  readonly hostname: string;
  readonly kernel: string;
  /** The architecture as `uname -m` prints it. */
  readonly arch: string;
  readonly onlineCpus: number;
  readonly availableCpus: number;
  readonly cpuDescription: string;
  /** `GenuineIntel,6,85,4`: vendor, family, model, stepping of an x86 CPU; null of others. */
  readonly cpuId: string | null;
  readonly totalMemoryKib: number;
};

export function readHostInfo(): HostInfo {
  const machine = { x64: 'x86_64', arm64: 'aarch64', ia32: 'i686' }[arch()] ?? arch();
  const all = cpus();
  return {
    hostname: hostname(),
    kernel: release(),
    arch: machine,
    onlineCpus: all.length,
    availableCpus: countPresentCpus() ?? all.length,
    cpuDescription: all[0]?.model ?? 'unknown',
    cpuId: parseCpuId(readTextOrNull('/proc/cpuinfo') ?? ''),
    totalMemoryKib: Math.floor(totalmem() / 1024),
  };
}

/** The content of the header's CPUID section, from the text of /proc/cpuinfo; null where it names no x86 CPU. */
export function parseCpuId(text: string): string | null {
  const fields = ['vendor_id', 'cpu family', 'model', 'stepping'].map(
    (name) => new RegExp(`^${name}\\s*: (\\w+)$`, 'm').exec(text)?.[1],
  );
  return fields.includes(undefined) ? null : fields.join(',');
}

function countPresentCpus(): number | null {
  const last = readTrimmedOrNull('/sys/devices/system/cpu/present')?.split(/[-,]/).pop();
  return last === undefined ? null : Number(last) + 1;
}

/** The running kernel's build ID as hex, from the notes it exports; null if it has none. */
export function readKernelBuildId(diagnostics = new Diagnostics()): string | null {
  let notes: Buffer;
  try {
    notes = readFileSync('/sys/kernel/notes');
  } catch {
    return null;
  }
  return findBuildId(notes, endianness() === 'LE', NOTE_ALIGNMENT, diagnostics);
}
