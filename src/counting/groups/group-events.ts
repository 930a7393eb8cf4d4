import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import type { GroupOptions } from '../../options/counting.ts';

/** An event of a group and the name its count is told by. */
export type KeyedEvent = { readonly key: string; readonly spec: EventSpec };

/** The events of a group, each of them exactly one. Throws UsageError. */
export function chooseGroupEvents(
  entries: readonly (readonly [key: string, text: string])[],
  options: GroupOptions,
  sources: EventSources,
): KeyedEvent[] {
  if (entries.length === 0) throw new UsageError('a group needs at least one event');
  const keys = new Set<string>();
  return entries.map(([key, text]) => {
    if (keys.has(key)) {
      throw new UsageError(`${printable(key)}: asked for twice in one group`, [
        'give each a name of its own: openGroup({ first: …, second: … })',
      ]);
    }
    keys.add(key);
    const spec = theOnlyEvent(text, options, sources);
    checkPlace(spec, options);
    return { key, spec };
  });
}

/** The event of the counted CPU, where each kind of core has one. */
function theOnlyEvent(text: string, { cpu }: GroupOptions, sources: EventSources): EventSpec {
  const all = parseEvents(text, sources);
  const ofCpu =
    cpu === undefined
      ? []
      : all.filter(({ corePmu, cpus }) => corePmu !== null && cpus?.includes(cpu));
  const specs = ofCpu.length === 1 ? ofCpu : all;
  const [first] = specs;
  if (specs.length === 1 && first !== undefined && first.group < 0) return first;
  if (first !== undefined && first.group >= 0) {
    throw new UsageError(`${printable(text)}: braces are not needed here`, [
      'all events of openGroup are one group: name them one by one',
    ]);
  }
  const names = specs.map(({ name, cpus }) =>
    cpus === null ? name : `${name} (CPUs ${formatCpuList(cpus)})`,
  );
  const shown = names.length > 8 ? [...names.slice(0, 8), `${names.length - 8} more`] : names;
  throw new UsageError(`${printable(text)}: is ${specs.length} events, a count needs one`, [
    `name one of: ${shown.join(', ')}`,
    ...(specs.some(({ corePmu }) => corePmu !== null)
      ? [
          'each kind of core has its own: run on one kind (taskset -c CPUS), or give { pid: -1, cpu }',
        ]
      : []),
  ]);
}

/** Some PMUs count for a socket, or on some CPUs only: the kernel says EINVAL to all else. */
function checkPlace({ name, cpus, isUncore }: EventSpec, { pid, cpu, cgroup }: GroupOptions): void {
  const where = cpus === null ? '' : formatCpuList(cpus);
  if (isUncore && (pid !== -1 || cgroup !== undefined)) {
    throw new UsageError(`${name}: counts for a whole socket or device, not for a thread`, [
      `count it for all tasks: { pid: -1, cpu: ${cpus?.[0] ?? 0} }`,
    ]);
  }
  if (cpus !== null && cpu !== undefined && !cpus.includes(cpu)) {
    throw new UsageError(`${name}: counts on the CPUs ${where || '(none)'}, not on ${cpu}`, [
      `give one of them: { cpu: ${cpus[0] ?? 0} }`,
    ]);
  }
}
