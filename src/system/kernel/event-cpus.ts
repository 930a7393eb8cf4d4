import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { RECORD } from '../../options/record.ts';

/** An event and the CPUs that it is opened on. */
export type PlacedEvent = {
  readonly spec: EventSpec;
  /** The recorded CPUs that the event's PMU has, ascending; null: all recorded ones. */
  readonly cpus: readonly number[] | null;
};

/**
 * The CPUs that each event is opened on: `recorded`, or those of them that the event's PMU counts on. A
 * PMU may belong to one kind of cores, or to a socket, where one CPU answers for all.
 *
 * An event that a name means on several kinds of cores is left out where none of its CPUs is recorded
 * but those of another kind are. Throws `UsageError` for every other event that has no CPU.
 */
export function placeEvents(
  specs: readonly EventSpec[],
  recorded: readonly number[],
  systemWide: boolean,
): PlacedEvent[] {
  const isRecorded = new Set(recorded);
  const placed = specs.map((spec): PlacedEvent => {
    const { cpus, isUncore, name } = spec;
    if (isUncore && !systemWide) {
      throw new UsageError(`${name}: counts for a whole socket or device, not for a process`, [
        words`record the whole system: add ${RECORD.systemWide}`,
      ]);
    }
    return { spec, cpus: cpus === null ? null : cpus.filter((cpu) => isRecorded.has(cpu)) };
  });
  const kept = placed.filter(
    ({ spec, cpus }) => cpus === null || cpus.length > 0 || !hasOtherKind(spec, placed),
  );
  for (const { spec, cpus } of kept) {
    if (cpus === null || cpus.length > 0) continue;
    throw new UsageError(
      `${spec.name}: counts on the CPUs ${formatCpuList(spec.cpus ?? []) || '(none)'}, and the ` +
        `recording is of ${formatCpuList(recorded)}`,
      [words`name other CPUs with ${RECORD.cpus}, or leave it out`],
    );
  }
  return kept;
}

/** Whether the name that `spec` comes from is recorded on another kind of core. */
function hasOtherKind(spec: EventSpec, placed: readonly PlacedEvent[]): boolean {
  if (spec.corePmu === null) return false;
  return placed.some(
    ({ spec: other, cpus }) =>
      other.corePmu !== null && other.text === spec.text && (cpus === null || cpus.length > 0),
  );
}

/** The CPUs that any of the events is opened on, ascending. */
export function cpusOfEvents(
  placed: readonly PlacedEvent[],
  recorded: readonly number[],
): readonly number[] {
  if (placed.some(({ cpus }) => cpus === null)) return recorded;
  return [...new Set(placed.flatMap(({ cpus }) => cpus ?? []))].sort((a, b) => a - b);
}
