import { join } from 'node:path';
import { PERF_TYPE } from '../../base/event-type.ts';
import { eventDomain, eventRole } from '../../kernel/events/event-role.ts';
import {
  type EventSources,
  hybridPmus,
  type PmuDescription,
} from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { cpusOf } from '../../kernel/events/pmu-events.ts';
import { readTrimmedOrNull } from '../../system/small-file.ts';

/** An event to be counted. */
export type CountedEvent = {
  /** Position in the report. */
  readonly index: number;
  readonly spec: EventSpec;
  readonly name: string;
  /** perf's generic name, by which metrics find the event; see `roleOf`. */
  readonly role: string;
  /** `u`, `k` or empty: what of the program is counted. */
  readonly domain: string;
  /** The kind of core that it counts on, of how many; null where it counts on all. */
  readonly coreType: { readonly name: string; readonly kinds: number } | null;
  /** Size and unit of one count; null: one event. */
  readonly scale: EventScale | null;
};

/** Events that are scheduled together, the leader first; a single event is a group of one. */
export type CountedGroup = {
  readonly events: readonly CountedEvent[];
  /** May be broken up where it does not fit the PMU. */
  readonly weak: boolean;
};

/** Specs in groups, in their order. */
export function groupSpecs(
  specs: readonly EventSpec[],
  sources: EventSources,
  sysfs: string,
): CountedGroup[] {
  const kinds = specs.some(({ cpus }) => cpus !== null) ? hybridPmus(sources) : [];
  const groups: { events: CountedEvent[]; weak: boolean; number: number }[] = [];
  specs.forEach((spec, index) => {
    const event: CountedEvent = {
      index,
      spec,
      name: spec.name,
      role: roleOf(spec, sources),
      domain: eventDomain(spec.exclude),
      coreType: coreTypeOf(spec, kinds),
      scale: findScale(spec, sources, sysfs),
    };
    const last = groups.at(-1);
    if (spec.group >= 0 && !spec.leader && last?.number === spec.group) last.events.push(event);
    else groups.push({ events: [event], weak: spec.weakGroup, number: spec.group });
  });
  return groups;
}

function coreTypeOf(
  { cpus, isUncore }: EventSpec,
  kinds: readonly PmuDescription[],
): CountedEvent['coreType'] {
  if (cpus === null || isUncore) return null;
  const pmu = kinds.find((kind) => cpusOf(kind)?.join() === cpus.join());
  return pmu === undefined ? null : { name: pmu.name, kinds: kinds.length };
}

/** Scale and unit of one count of an event. */
type EventScale = {
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
function findScale(spec: EventSpec, sources: EventSources, sysfs: string): EventScale | null {
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

/** The event's `eventRole`, with the names that sysfs has for its PMU's events. */
function roleOf(spec: EventSpec, sources: EventSources): string {
  return eventRole(spec.type, spec.config, pmuEventName(spec, sources)?.event ?? '');
}

/** The sysfs name of a PMU's event, if the text uses one. */
function pmuEventName(
  spec: EventSpec,
  sources: EventSources,
): { readonly pmu: PmuDescription; readonly event: string } | null {
  // The PMU of x86 cores is the one of raw events.
  if (spec.type <= PERF_TYPE.BREAKPOINT && spec.type !== PERF_TYPE.RAW) return null;
  const pmu = sources.pmus.find(({ type }) => type === spec.type);
  if (pmu === undefined) return null;
  const words = spec.text.split(/[/,:]/);
  const event = words.find((word) => pmu.events.has(word));
  return event === undefined ? null : { pmu, event };
}
