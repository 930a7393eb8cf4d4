import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';

/** The target of a group and how it counts. Default: the calling thread, user and kernel code. */
export type GroupOptions = {
  /**
   * A thread of this or another process (`threadId` names the calling one); −1: all tasks, on `cpu`.
   * Default: the calling thread, whichever CPU it is on.
   */
  readonly pid?: number;
  /** Count only while on this CPU. */
  readonly cpu?: number;
  /** A control group by its path below /sys/fs/cgroup, or absolute; on `cpu`. */
  readonly cgroup?: string;
  /** Count also threads and processes that the thread starts from now on. */
  readonly inherit?: boolean;
  readonly excludeUser?: boolean;
  readonly excludeKernel?: boolean;
  readonly excludeHv?: boolean;
  readonly excludeIdle?: boolean;
  /** Always on the PMU, or an error (`ERR_NOT_SCHEDULED`): never multiplexed. */
  readonly pinned?: boolean;
  /** Alone on the PMU. */
  readonly exclusive?: boolean;
  /** False: `readInto` never reads the counters in user space. */
  readonly userReads?: boolean;
};

/** Throws UsageError for options that cannot be meant, before the kernel is asked. */
export function checkGroupOptions(
  { pid, cpu, cgroup }: GroupOptions,
  onlineCpus: readonly number[],
): void {
  checkWhole('pid', pid, -1);
  checkWhole('cpu', cpu, 0);
  if (cpu !== undefined && !onlineCpus.includes(cpu)) {
    throw new UsageError(`cpu: CPU ${cpu} is not online; ${formatCpuList(onlineCpus)} are`);
  }
  if (cgroup !== undefined && pid !== undefined) {
    throw new UsageError('pid and cgroup: a group counts on a thread or in a control group', [
      'leave one of them out',
    ]);
  }
  if ((pid === -1 || cgroup !== undefined) && cpu === undefined) {
    const what = pid === -1 ? 'all tasks (pid: -1)' : 'a control group';
    throw new UsageError(`${what} can only be counted on one CPU: cpu is missing`, [
      'open one group for each CPU of /sys/devices/system/cpu/online and add their counts',
    ]);
  }
}

function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new UsageError(`${name}: expected a whole number, at least ${least}, got ${value}`);
}
