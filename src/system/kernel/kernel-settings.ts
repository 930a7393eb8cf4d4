import { readLinkOrNull, readTextOrEmpty, readTrimmedOrNull } from '../small-file.ts';

/** The kernel's limits on perf, as they stand now. Null: the file is not there. */
export type KernelSettings = {
  /** `kernel.perf_event_paranoid`: −1 all allowed … 2 own user-space code only (3, 4: distros). */
  readonly paranoidLevel: number | null;
  /** `kernel.perf_event_max_sample_rate`, Hz. The kernel lowers it by itself. */
  readonly maxSampleRateHz: number | null;
  /** `kernel.perf_event_mlock_kb`: ring memory per user and CPU, KiB. */
  readonly mlockKib: number | null;
  /** RLIMIT_MEMLOCK of this process: ring memory beyond that, of all CPUs together, KiB; infinite where unlimited. */
  readonly memlockKib: number | null;
  /** `kernel.perf_cpu_time_max_percent`. */
  readonly cpuTimeMaxPercent: number | null;
  /** `kernel.kptr_restrict`: 0 shows kernel addresses to the privileged, 2 to nobody. */
  readonly kptrRestrict: number | null;
};

export function readKernelSettings(): KernelSettings {
  return {
    paranoidLevel: readSysctl('perf_event_paranoid'),
    maxSampleRateHz: readSysctl('perf_event_max_sample_rate'),
    mlockKib: readSysctl('perf_event_mlock_kb'),
    memlockKib: memlockKibIn(readTextOrEmpty('/proc/self/limits')),
    cpuTimeMaxPercent: readSysctl('perf_cpu_time_max_percent'),
    kptrRestrict: readSysctl('kptr_restrict'),
  };
}

/** The soft limit in the text of /proc/PID/limits. */
export function memlockKibIn(limits: string): number | null {
  const bytes = /^Max locked memory +(\S+)/m.exec(limits)?.[1];
  if (bytes === undefined) return null;
  return bytes === 'unlimited' ? Number.POSITIVE_INFINITY : Math.floor(Number(bytes) / 1024);
}

function readSysctl(name: string): number | null {
  const text = readTrimmedOrNull(`/proc/sys/kernel/${name}`);
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Bits of `CapEff`, see capabilities(7). */
const CAP_SYS_ADMIN = 21n;
const CAP_IPC_LOCK = 14n;
const CAP_PERFMON = 38n;

export type Privileges = {
  /** CAP_PERFMON or CAP_SYS_ADMIN: the paranoid level does not apply. */
  readonly perfmon: boolean;
  /** CAP_IPC_LOCK: the ring memory limit does not apply. */
  readonly ipcLock: boolean;
};

/** Inode number of the first user namespace, the same on every kernel (USER_NS_INIT_INO). */
const FIRST_USER_NAMESPACE = 'user:[4026531837]';

/**
 * Which of the capabilities that perf asks for this process has. The kernel asks for those of the
 * first user namespace: what root of another one has (rootless containers, `unshare -Ur`) is none.
 */
export function readPrivileges(
  status = readTextOrEmpty('/proc/self/status'),
  userNamespace = readUserNamespace(),
): Privileges {
  if (userNamespace !== FIRST_USER_NAMESPACE) return { perfmon: false, ipcLock: false };
  const match = /^CapEff:\s*([0-9a-f]+)/m.exec(status);
  const effective = match ? BigInt(`0x${match[1]}`) : 0n;
  const has = (bit: bigint) => ((effective >> bit) & 1n) === 1n;
  return {
    perfmon: has(CAP_PERFMON) || has(CAP_SYS_ADMIN),
    ipcLock: has(CAP_IPC_LOCK),
  };
}

/** A kernel without user namespaces has the first one only. */
function readUserNamespace(): string {
  return readLinkOrNull('/proc/self/ns/user') ?? FIRST_USER_NAMESPACE;
}
