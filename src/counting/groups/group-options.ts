import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import { checkOptions } from '../../options/check.ts';
import { GROUP, type GroupOptions } from '../../options/counting.ts';

/** Throws UsageError for options that cannot be meant, before the kernel is asked. */
export function checkGroupOptions(options: GroupOptions, onlineCpus: readonly number[]): void {
  checkOptions(GROUP, options, 'openGroup');
  const { pid, cpu, cgroup } = options;
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
