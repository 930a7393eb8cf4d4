import { NONE } from '../../base/brand.ts';
import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { importedEvent } from '../../formats/import/imported-profile.ts';
import type { RecordedEvent } from '../../formats/perf-data/event-list.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { eventDomain, eventRole, pmuEventOfText } from '../../kernel/events/event-role.ts';
import { HARDWARE_EVENTS, isClock, SOFTWARE_EVENTS } from '../../kernel/events/generic-events.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { findDriverRule, type SampledMachine } from '../../period/driver-rules.ts';
import { readLoopWaitEvent } from '../../profile/loop-waits.ts';
import { WAKE_UP_EVENT } from '../../profile/off-cpu/switch-pairs.ts';
import type { EventIndex, ProbedRule, ProfileEvent, SampleTable } from '../../profile/types.ts';
import { isHeapEvent, isMeasuredEvent, isOfBytes } from '../../profile/wait-event.ts';
import { type Provenance, probedRulesOf } from './provenance.ts';

/** A dummy event: counts nothing, carries side-band records; not shown among the events. */
export function isSideband(attr: EventAttr): boolean {
  return attr.type === PERF_TYPE.SOFTWARE && attr.config === BigInt(PERF_COUNT_SW.DUMMY);
}

/** Whether the event is recorded for its records or times only and does not appear in the profile. */
export function isAuxiliaryEvent({ attr, name }: Pick<RecordedEvent, 'attr' | 'name'>): boolean {
  const isOfRecords = isSideband(attr) && !isHeapEvent({ name });
  return isOfRecords || name === WAKE_UP_EVENT || readLoopWaitEvent(name) !== null;
}

/** How the event was sampled; `count` for a member of a group that only its leader samples. */
export function samplingMode(attr: EventAttr): 'frequency' | 'period' | 'clock' | 'count' {
  if (attr.samplePeriod === 0) return 'count';
  if (isClock(attr.type, attr.config)) return 'clock';
  return attr.flags.freq ? 'frequency' : 'period';
}

/** The header's facts about the machine, as far as it decides which driver took the samples. */
function sampledMachine({ features }: Pick<PerfData, 'features'>): SampledMachine {
  const { arch, osRelease, cpuId, cpuDescription, pmuMappings } = features;
  return { arch, kernel: osRelease, cpuId, cpuDescription, pmus: pmuMappings ?? [] };
}

/** The events of a recording that a profile lists. */
export function describeEvents(
  data: Pick<PerfData, 'attrs' | 'features'>,
  provenance: Provenance | null,
): ProfileEvent[] {
  const machine = sampledMachine(data);
  const probed = probedRulesOf(provenance, data.attrs.map(eventName));
  const groups = groupsOf(data);
  return data.attrs
    .map((event, attrIndex) => ({ event, probedRule: probed[attrIndex] }))
    .filter(({ event }) => !isAuxiliaryEvent(event))
    .map(({ event, probedRule }, index) => {
      const described = describeEvent(event, machine, probedRule);
      if (event.attr.samplePeriod > 0) return described;
      const group = groups.find((members) => members.includes(index as EventIndex));
      return group === undefined ? described : { ...described, leader: group[0] };
    });
}

/** The groups of the header, by the profile's events: those that only carry side-band have no row. */
export function groupsOf({
  attrs,
  features,
}: Pick<PerfData, 'attrs' | 'features'>): EventIndex[][] {
  let events = 0;
  const attrToEvent = attrs.map((event) => (isAuxiliaryEvent(event) ? NONE : events++));
  return (features.groups ?? [])
    .map(({ leaderIndex, memberCount }) =>
      attrToEvent.slice(leaderIndex, leaderIndex + memberCount).filter((event) => event !== NONE),
    )
    .filter((group) => group.length > 1) as EventIndex[][];
}

/** The event as the profile lists it. */
function describeEvent(
  event: RecordedEvent,
  machine: SampledMachine,
  probedRule: ProbedRule | null,
): ProfileEvent {
  const { attr } = event;
  if (isMeasuredEvent(event)) {
    // Its samples weigh nanoseconds or bytes, and none of them is adapted.
    const timed = { mode: 'clock', unit: isOfBytes(event) ? 'bytes' : 'nanoseconds' } as const;
    return {
      name: eventName(event),
      type: attr.type,
      ...timed,
      frequencyHz: null,
      fixedPeriod: null,
    };
  }
  if (isHeapEvent(event)) return { ...importedEvent(eventName(event), 'bytes'), areDrawn: true };
  const mode = samplingMode(attr);
  const { type, config } = attr;
  const { preciseIp, excludeUser, excludeKernel } = attr.flags;
  const name = eventName(event);
  const driverRule =
    mode === 'frequency' ? findDriverRule(machine, { type, config, preciseIp }) : null;
  return {
    name,
    type: attr.type,
    role: eventRole(type, config, pmuEventOfText(name)),
    domain: eventDomain({ user: excludeUser, kernel: excludeKernel }),
    mode: mode === 'count' ? 'period' : mode,
    frequencyHz: attr.flags.freq ? attr.samplePeriod : null,
    fixedPeriod: attr.flags.freq ? null : attr.samplePeriod,
    unit: isClock(attr.type, attr.config) ? 'nanoseconds' : 'events',
    ...(driverRule !== null && { driverRule }),
    ...(mode === 'frequency' && probedRule !== null && { probedRule }),
  };
}

/**
 * The events as their samples were taken. Where a software event with a fixed period records PERIOD,
 * the kernel samples every event with the event's own count (`perf_swevent_event`): the period asked
 * for holds for none of them, and becomes null. A period of 1 asks for just that.
 */
export function withRecordedPeriods(
  events: readonly ProfileEvent[],
  samples: Pick<SampleTable, 'length' | 'event' | 'periodEvents'>,
): ProfileEvent[] {
  const { length, event, periodEvents } = samples;
  const differs = new Uint8Array(events.length);
  const asked = Float64Array.from(events, ({ mode, fixedPeriod }) =>
    mode === 'period' && fixedPeriod !== null && fixedPeriod > 1 ? fixedPeriod : Number.NaN,
  );
  for (let row = 0; row < length; row++) {
    const index = event[row];
    const period = asked[index];
    if (period > 1 && periodEvents[row] !== period) differs[index] = 1;
  }
  return events.map((described, index) =>
    differs[index] === 1 ? { ...described, fixedPeriod: null } : described,
  );
}

/** The stored name, or one made from the attr as perf does for files without names. */
export function eventName(event: RecordedEvent): string {
  if (event.name !== null) return event.name;
  const { attr } = event;
  const base = baseName(attr);
  const { excludeUser, excludeKernel, excludeHv, excludeHost, excludeGuest, preciseIp } =
    attr.flags;
  let modifiers = '';
  if (excludeUser || excludeKernel || excludeHv) {
    if (!excludeKernel) modifiers += 'k';
    if (!excludeUser) modifiers += 'u';
    if (!excludeHv) modifiers += 'h';
  }
  // perf leaves guests out where somebody asked for anything special.
  const leavesOutGuests = modifiers !== '' || preciseIp > 0;
  modifiers += 'p'.repeat(preciseIp);
  if (excludeHost || excludeGuest === leavesOutGuests) {
    if (!excludeHost) modifiers += 'H';
    if (!excludeGuest) modifiers += 'G';
  }
  return modifiers === '' ? base : `${base}:${modifiers}`;
}

function baseName(attr: EventAttr): string {
  const config = Number(attr.config);
  switch (attr.type) {
    case PERF_TYPE.HARDWARE:
      return HARDWARE_EVENTS[config]?.name ?? `hardware-${config}`;
    case PERF_TYPE.SOFTWARE:
      return SOFTWARE_EVENTS[config]?.name ?? `software-${config}`;
    case PERF_TYPE.TRACEPOINT:
      return `tracepoint-${config}`;
    case PERF_TYPE.BREAKPOINT:
      return `mem:0x${attr.config1.toString(16)}`;
    case PERF_TYPE.RAW:
      return `r${attr.config.toString(16)}`;
    default:
      return `type-${attr.type}/config=0x${attr.config.toString(16)}/`;
  }
}
