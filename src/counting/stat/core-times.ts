import { NONE } from '../../base/brand.ts';
import type { InstanceReading } from '../count/sum-readings.ts';
import type { OpenGroup, Snapshot } from './counters.ts';

/**
 * Readings whose enabled time is that on the kind of core that the event counts on.
 *
 * A thread that moves between kinds of cores has counters on each, and the kernel lets the enabled time
 * of all of them run on wherever it is. By these times a thread that was for 1 % of its time on
 * `cpu_core` had 1 % of a counter, and its count would be taken a hundredfold:
 *
 *                       enabled   running   value            value by enabled / running
 *     cpu_core/cycles/   100 ms      1 ms   3 million        300 million
 *     cpu_atom/cycles/   100 ms     99 ms   200 million      202 million
 *
 * How long a thread was on a kind is the longest running time of the kind's groups. What all kinds
 * together are short of the enabled time, their groups have waited for counters; it is shared out. Where
 * a kind is not counted at all, waiting can't be told from being there, and counts as being there.
 */
export function onOwnCores(groups: readonly OpenGroup[], readings: Snapshot): Snapshot {
  const times = new Map<string, Map<string, number>>();
  groups.forEach(({ events, instances }, g) => {
    const kind = kindOf(events);
    if (kind === null) return;
    instances.forEach(({ place: { tid, cpu } }, i) => {
      const running = readings[g]?.[i]?.[0]?.runningNs ?? 0;
      if (cpu !== NONE) return;
      const ofThread = times.get(String(tid)) ?? new Map<string, number>();
      ofThread.set(kind.name, Math.max(running, ofThread.get(kind.name) ?? 0));
      times.set(String(tid), ofThread);
    });
  });
  if (times.size === 0) return readings;
  return groups.map(({ events, instances }, g) => {
    const kind = kindOf(events);
    return instances.map(({ place: { tid, cpu } }, i) => {
      const own = readings[g]?.[i] ?? [];
      const ofThread = times.get(String(tid));
      if (kind === null || cpu !== NONE || ofThread === undefined) return own;
      const isComplete = ofThread.size === kind.kinds;
      return own.map((reading) => withOwnTime(reading, ofThread, kind.name, isComplete));
    });
  });
}

function withOwnTime(
  reading: InstanceReading,
  nsOnKind: ReadonlyMap<string, number>,
  kind: string,
  isComplete: boolean,
): InstanceReading {
  const own = nsOnKind.get(kind) ?? 0;
  let all = 0;
  for (const ns of nsOnKind.values()) all += ns;
  const share = isComplete && all > 0 ? Math.max(1, reading.enabledNs / all) : 1;
  return { ...reading, enabledNs: Math.min(reading.enabledNs, own * share) };
}

/** A group counts on one kind of core, its software events too; null where it counts on all. */
function kindOf(events: OpenGroup['events']): OpenGroup['events'][number]['coreType'] {
  return events.find(({ coreType }) => coreType !== null)?.coreType ?? null;
}
