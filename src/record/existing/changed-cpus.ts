import { formatCpuList } from '../../base/cpu-list.ts';

/**
 * Sentences about CPUs that came online or went offline meanwhile. Events are opened on the CPUs that
 * are online at the start, as by perf: the kernel opens none on a CPU that comes later, and closes
 * those of one that goes.
 *
 * @param recorded the CPUs on which events were opened
 * @param before the CPUs that were online then
 * @param now the CPUs that are online at the end
 */
export function changedCpusText(
  recorded: readonly number[],
  before: readonly number[],
  now: readonly number[],
): string[] {
  const came = now.filter((cpu) => !before.includes(cpu));
  const went = recorded.filter((cpu) => before.includes(cpu) && !now.includes(cpu));
  const isPart = recorded.length < before.length;
  return [
    ...(came.length === 0 || isPart
      ? []
      : [`CPU ${formatCpuList(came)} came online meanwhile: what ran there was not recorded`]),
    ...(went.length === 0
      ? []
      : [`CPU ${formatCpuList(went)} went offline meanwhile: it was recorded until then`]),
  ];
}
