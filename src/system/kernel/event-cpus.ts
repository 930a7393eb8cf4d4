import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';

/**
 * The CPUs that the events are opened on: `recorded`, or those of them that the events' PMU counts
 * on. A PMU may belong to one kind of cores, or to a socket, where one CPU answers for all.
 *
 * All events are opened on the same CPUs, so events of PMUs with different ones exclude each other.
 */
export function chooseCpus(
  specs: readonly EventSpec[],
  recorded: readonly number[],
  systemWide: boolean,
): readonly number[] {
  let first: EventSpec | null = null;
  let chosen = recorded;
  for (const spec of specs) {
    const { cpus, isUncore, name } = spec;
    if (isUncore && !systemWide) {
      throw new UsageError(`${name}: counts for a whole socket or device, not for a process`, [
        'record the whole system: add -a',
      ]);
    }
    const own = cpus === null ? recorded : recorded.filter((cpu) => cpus.includes(cpu));
    if (own.length === 0) {
      throw new UsageError(
        `${name}: counts on the CPUs ${formatCpuList(cpus ?? []) || '(none)'}, and the recording ` +
          `is of ${formatCpuList(recorded)}`,
        ['name other CPUs with -C, or leave -C out'],
      );
    }
    if (first === null) {
      first = spec;
      chosen = own;
    } else if (formatCpuList(own) !== formatCpuList(chosen)) {
      throw new UsageError(
        `${first.name} counts on the CPUs ${formatCpuList(chosen)} and ${name} on ` +
          `${formatCpuList(own)}: they can't be in one recording`,
        ['name one of them with -e, and record the other one by itself'],
      );
    }
  }
  return chosen;
}
