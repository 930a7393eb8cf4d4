import { formatCpuList } from '../../base/cpu-list.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import type { CountedEvent, CountedGroup } from './counted-group.ts';
import type { StatTarget } from './stat-options.ts';

/** The place on which one instance of a group counts. */
export type Place = {
  /** −1: all tasks on `cpu`. */
  readonly tid: number;
  /** −1: wherever the thread runs. */
  readonly cpu: number;
  /** Position among the control groups; −1: whatever group tasks are in. */
  readonly cgroup: number;
};

export type PlaceContext = {
  readonly target: StatTarget;
  /** Threads to count: the held command's, or those that run already. */
  readonly tids: readonly number[];
  /** CPUs of a system-wide count. */
  readonly cpus: readonly number[];
  /** Control groups, system-wide; 0: none. */
  readonly cgroupCount: number;
};

/** Every place of a group; a reason where there is none. */
export function placesOf(group: CountedGroup, context: PlaceContext): readonly Place[] | string {
  const { target, tids, cpus, cgroupCount } = context;
  const isUncore = group.events.some(({ spec }) => spec.isUncore);
  if (target.kind !== 'system' && !isUncore) {
    return tids.map((tid) => ({ tid, cpu: -1, cgroup: -1 }));
  }
  if (isUncore && cgroupCount > 0) return 'it counts a whole socket or device, not a control group';
  const own = group.events.reduce<readonly number[]>(
    (common, { spec }) => common.filter((cpu) => spec.cpus === null || spec.cpus.includes(cpu)),
    cpus,
  );
  if (own.length === 0) return noCpus(group.events, cpus);
  const cgroups = cgroupCount > 0 ? [...Array(cgroupCount).keys()] : [-1];
  return cgroups.flatMap((cgroup) => own.map((cpu) => ({ tid: -1, cpu, cgroup })));
}

function noCpus(events: readonly CountedEvent[], cpus: readonly number[]): string {
  const { spec } = events.find((event) => event.spec.cpus !== null) as CountedEvent;
  const where = formatCpuList(spec.cpus ?? []) || '(none)';
  return events.length > 1
    ? `no CPU of ${formatCpuList(cpus)} can count the whole group`
    : `it counts on the CPUs ${where}, and ${formatCpuList(cpus)} were asked for`;
}

/** The comm of a thread, empty if it is gone. */
export function commOf(tid: number): string {
  return readTextOrEmpty(`/proc/${tid}/comm`).trimEnd();
}
