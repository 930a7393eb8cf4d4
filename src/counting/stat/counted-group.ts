import { eventDomain } from '../../kernel/events/event-role.ts';
import {
  type EventSources,
  hybridPmus,
  type PmuDescription,
} from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { cpusOf } from '../../kernel/events/pmu-events.ts';
import { roleOf } from './event-role.ts';
import { type EventScale, findScale } from './event-scale.ts';

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
