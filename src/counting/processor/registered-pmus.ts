import {
  type EventSources,
  isCorePmu,
  type PmuDescription,
} from '../../kernel/events/event-sources.ts';
import { readTextOrNull } from '../../system/small-file.ts';

/** A PMU that the kernel has a driver for, here. */
export type RegisteredPmu = {
  readonly name: string;
  /** `perf_event_attr.type`. */
  readonly type: number;
  /**
   * `core`: counters of the CPU cores. `shared`: of a socket or device. `software`: what the kernel
   * counts itself. `other`: of each CPU, beside its counters (`msr`, `ibs_op`, `intel_pt`).
   */
  readonly kind: 'core' | 'shared' | 'software' | 'other';
  /** CPUs that have it, or answer for it; null: no file says so. */
  readonly cpus: string | null;
  /** `caps/max_precise`: the highest of `:p`, `:pp`, `:ppp`; null where there is no such file. */
  readonly maxPrecise: number | null;
  /** `caps/branches`: entries of branch records. */
  readonly branches: number | null;
};

const SOFTWARE = new Set(['software', 'tracepoint', 'breakpoint', 'kprobe', 'uprobe']);

export function describePmus({ pmus }: EventSources): readonly RegisteredPmu[] {
  return pmus
    .map((pmu): RegisteredPmu => {
      const { name, type, cpus, cpumask, caps } = pmu;
      return {
        name,
        type,
        kind: kindOf(pmu),
        cpus: cpus ?? cpumask,
        maxPrecise: numberOf(caps.get('max_precise')),
        branches: numberOf(caps.get('branches')),
      };
    })
    .sort((a, b) => a.type - b.type);
}

function kindOf(pmu: PmuDescription): RegisteredPmu['kind'] {
  if (SOFTWARE.has(pmu.name)) return 'software';
  if (isCorePmu(pmu)) return 'core';
  return pmu.cpumask === null ? 'other' : 'shared';
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || !/^\d+$/.test(text.trim()) ? null : Number(text);
}

/** Permissions to read counters with an instruction, without a system call. */
export type UserReads = {
  /** `never`, `mapped`: of an event that is mapped, `always`: without any event. */
  readonly allowed: 'never' | 'mapped' | 'always';
  /** The file that says so. */
  readonly where: string;
};

const X86_FILE = '/sys/bus/event_source/devices/cpu/rdpmc';
const ARM_FILE = '/proc/sys/kernel/perf_user_access';

/** Null where the kernel has neither file: no PMU of the cores, or an old kernel. */
export function readUserReads(
  read: (path: string) => string | null = readTextOrNull,
): UserReads | null {
  const x86 = read(X86_FILE);
  if (x86 !== null) {
    const allowed = ({ 0: 'never', 2: 'always' } as const)[x86.trim()] ?? 'mapped';
    return { allowed, where: X86_FILE };
  }
  const arm = read(ARM_FILE);
  if (arm === null) return null;
  return { allowed: arm.trim() === '0' ? 'never' : 'mapped', where: ARM_FILE };
}
