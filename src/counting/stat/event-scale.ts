import { join } from 'node:path';
import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { readTrimmedOrNull } from '../../system/small-file.ts';
import { pmuEventName } from './event-role.ts';

/** Scale and unit of one count of an event. */
export type EventScale = {
  /** The count is multiplied with this: Joules per count of `power/energy-pkg/`, 2⁻³². */
  readonly factor: number;
  /** `Joules`, `MiB`, `ms`; empty for mere events. */
  readonly unit: string;
};

/** Clocks count nanoseconds and are shown as perf does. */
const MILLISECONDS: EventScale = { factor: 1e-6, unit: 'msec' };

/**
 * The `.scale` and `.unit` beside the event in sysfs:
 *
 *     /sys/bus/event_source/devices/power/events/energy-pkg          event=0x02
 *     /sys/bus/event_source/devices/power/events/energy-pkg.scale    2.3283064365386962890625e-10
 *     /sys/bus/event_source/devices/power/events/energy-pkg.unit     Joules
 *
 * Null for an event without them: its count is its count.
 */
export function findScale(
  spec: EventSpec,
  sources: EventSources,
  sysfs: string,
): EventScale | null {
  if (spec.isClock) return MILLISECONDS;
  const named = pmuEventName(spec, sources);
  if (named === null) return null;
  const file = join(sysfs, 'bus/event_source/devices', named.pmu.name, 'events', named.event);
  const scale = readTrimmedOrNull(`${file}.scale`);
  const unit = readTrimmedOrNull(`${file}.unit`);
  const factor = scale === null || scale === '' ? 1 : Number(scale);
  if (!Number.isFinite(factor)) return null;
  return factor === 1 && unit === null ? null : { factor, unit: unit ?? '' };
}
