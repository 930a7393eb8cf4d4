import { dirname, join } from 'node:path';
import type { ReadText } from '../../system/container.ts';
import { readTextOrNull } from '../../system/small-file.ts';

/** Limits of this process: its capabilities and the limits of its control group. */
export type Confinement = {
  /** Capabilities that recording asks for and that are in effect: `CAP_PERFMON`. */
  readonly capabilities: readonly string[];
  readonly cgroup: CgroupLimits;
};

/** The narrowest limits of a control group and of those above it; null: none. */
export type CgroupLimits = {
  /** CPUs' worth of time, 0.5 is half of one. */
  readonly cpuQuota: number | null;
  readonly memoryBytes: number | null;
};

/** capabilities(7), by bit of CapEff. */
const CAPABILITIES: readonly (readonly [number, string])[] = [
  // Opens events whatever the paranoid level; before Linux 5.8 CAP_SYS_ADMIN did.
  [38, 'CAP_PERFMON'],
  [21, 'CAP_SYS_ADMIN'],
  // Rings as large as asked for.
  [14, 'CAP_IPC_LOCK'],
  // Addresses in /proc/kallsyms.
  [34, 'CAP_SYSLOG'],
  // Processes of other users.
  [19, 'CAP_SYS_PTRACE'],
];

export function readConfinement(read: ReadText = readTextOrNull): Confinement {
  return {
    capabilities: heldCapabilities(read('/proc/self/status') ?? ''),
    cgroup: readCgroupLimits(read),
  };
}

function heldCapabilities(status: string): readonly string[] {
  const digits = /^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1];
  const effective = digits === undefined ? 0n : BigInt(`0x${digits}`);
  return CAPABILITIES.filter(([bit]) => ((effective >> BigInt(bit)) & 1n) === 1n).map(
    ([, name]) => name,
  );
}

const CGROUP_ROOT = '/sys/fs/cgroup';

/** Version 2 has one tree; version 1 a tree for each controller, of which each may be missing. */
export function readCgroupLimits(read: ReadText): CgroupLimits {
  const lines = (read('/proc/self/cgroup') ?? '').split('\n');
  const quotas: number[] = [];
  const limits: number[] = [];
  for (const line of lines) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (line === '') continue;
    const tree = controllers === '' ? CGROUP_ROOT : join(CGROUP_ROOT, controllers);
    for (const folder of withAncestors(path)) {
      const file = (name: string) => read(join(tree, folder, name))?.trim() ?? null;
      quotas.push(...quotaOfMax(file('cpu.max')));
      quotas.push(...quotaOfCfs(file('cpu.cfs_quota_us'), file('cpu.cfs_period_us')));
      limits.push(...bytesOf(file('memory.max')), ...bytesOf(file('memory.limit_in_bytes')));
    }
  }
  return { cpuQuota: narrowest(quotas), memoryBytes: narrowest(limits) };
}

/** `/a/b` → `/a/b`, `/a`, `/`. Inside a container the path may be one of the host's: it ends at /. */
function withAncestors(path: string): string[] {
  const folders = [path];
  for (let at = path; at !== '/' && at !== '.'; at = dirname(at)) folders.push(dirname(at));
  return folders;
}

/** `50000 100000`: half a CPU. `max 100000`: no limit. */
function quotaOfMax(text: string | null): number[] {
  const match = /^(\d+) (\d+)$/.exec(text ?? '');
  return match === null ? [] : [Number(match[1]) / Number(match[2])];
}

function quotaOfCfs(quota: string | null, period: string | null): number[] {
  return Number(quota) > 0 && Number(period) > 0 ? [Number(quota) / Number(period)] : [];
}

/** Version 1 says "no limit" with a number near 2^63. */
function bytesOf(text: string | null): number[] {
  const bytes = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
  return bytes < 2 ** 60 ? [bytes] : [];
}

function narrowest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}
