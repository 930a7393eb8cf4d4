import { readFileSync } from 'node:fs';
import { arch, cpus, hostname, release, totalmem } from 'node:os';

/** What the file's header says of the machine. */
export type HostInfo = {
  readonly hostname: string;
  readonly kernel: string;
  /** As `uname -m` prints it. */
  readonly arch: string;
  readonly onlineCpus: number;
  readonly availableCpus: number;
  readonly cpuDescription: string;
  readonly totalMemoryKib: number;
};

export function readHostInfo(): HostInfo {
  const machine = { x64: 'x86_64', arm64: 'aarch64', ia32: 'i686' }[arch() as string] ?? arch();
  const all = cpus();
  return {
    hostname: hostname(),
    kernel: release(),
    arch: machine,
    onlineCpus: all.length,
    availableCpus: countPossibleCpus() ?? all.length,
    cpuDescription: all[0]?.model ?? 'unknown',
    totalMemoryKib: Math.floor(totalmem() / 1024),
  };
}

function countPossibleCpus(): number | null {
  try {
    const last = readFileSync('/sys/devices/system/cpu/present', 'utf8').trim().split(/[-,]/).pop();
    return Number(last) + 1;
  } catch {
    return null;
  }
}

/** The running kernel's build ID as hex, from the notes it exports; null if it has none. */
export function readKernelBuildId(): string | null {
  let notes: Buffer;
  try {
    notes = readFileSync('/sys/kernel/notes');
  } catch {
    return null;
  }
  // struct elf_note { u32 namesz, descsz, type; char name[namesz padded to 4]; desc padded to 4 }
  const NT_GNU_BUILD_ID = 3;
  let offset = 0;
  while (offset + 12 <= notes.length) {
    const nameSize = notes.readUInt32LE(offset);
    const descSize = notes.readUInt32LE(offset + 4);
    const type = notes.readUInt32LE(offset + 8);
    const name = offset + 12;
    const desc = name + ((nameSize + 3) & ~3);
    if (desc + descSize > notes.length) return null;
    const isGnu = notes.toString('latin1', name, name + nameSize) === 'GNU\0';
    if (type === NT_GNU_BUILD_ID && isGnu) return notes.toString('hex', desc, desc + descSize);
    offset = desc + ((descSize + 3) & ~3);
  }
  return null;
}
