import type { EventSpec } from '../../kernel/events/event-spec.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { ProbedRule } from '../../profile/types.ts';
import type { KernelFeatures } from '../../system/kernel/kernel-features.ts';
import type { Notices } from './notices.ts';

/** An event that opens by itself. */
export type OpenableEvent = {
  /** Shown and stored name: as written, with the modifiers that were added. */
  readonly name: string;
  readonly spec: EventSpec;
  readonly attr: EventAttr;
};

/** An event that opens, and where. */
export type PlacedOpenable = OpenableEvent & {
  /** CPUs of the event's PMU among the recorded ones, ascending; null: all of them. */
  readonly cpus: readonly number[] | null;
};

/** One event as it will be opened, after the one that leads it. */
export type PlannedEvent = PlacedOpenable & {
  /** Index of the group's leader among the planned events, −1 for a leader or a single event. */
  readonly leader: number;
  /** The attr for an opening outside of the group. */
  readonly singleAttr: EventAttr;
  /** The interval that its periods count here, where it was measured (`period-probe.ts`). */
  readonly probedRule?: ProbedRule;
};

/**
 * Puts groups together. In a plain group every member samples at its own rate. In one with `S` the
 * leader alone samples, and each of its samples reads all counters:
 *
 *   {cycles,instructions}:S      attr of the leader        attr of a member
 *     sample_period              its own                   0: never sampled
 *     sample_type                its own | READ            the leader's, as its samples stand for it
 *     read_format                its own | GROUP           the leader's
 *
 * A single event with `S` reads its own counter. Kernels that can't read inherited counters with a
 * sample get these events without inherit, as perf opens them.
 */
export function joinGroups(
  events: readonly PlacedOpenable[],
  features: KernelFeatures,
  notices: Notices,
): PlannedEvent[] {
  const leaders = events.map(({ spec }, index) => leaderIndex(events, spec, index));
  const planned: PlannedEvent[] = [];
  events.forEach((event, index) => {
    const leader = leaders[index];
    const leads = leaders.includes(index);
    let { attr } = event;
    if (event.spec.sampleGroup) {
      const lead = planned[leader];
      attr =
        lead === undefined
          ? readingAttr(event, leads, features, notices)
          : memberAttr(attr, lead.attr);
    }
    planned.push({ ...event, attr, leader, singleAttr: event.attr });
  });
  return planned;
}

/**
 * The plan's events after the kernel refused one of a weak group (`W`): its members singly. Null if
 * `refused` is in no weak group.
 */
export function breakWeakGroup(
  events: readonly PlannedEvent[],
  refused: number,
): PlannedEvent[] | null {
  const event = events[refused];
  if (event === undefined || event.leader < 0 || !event.spec.weakGroup) return null;
  return events.map((other, index) => {
    const isOfGroup = index === event.leader || other.leader === event.leader;
    return isOfGroup ? { ...other, attr: other.singleAttr, leader: -1 } : other;
  });
}

/** The names of a group's events in braces. */
export function groupName(events: readonly PlannedEvent[], leader: number): string {
  const members = events.filter((event, index) => index === leader || event.leader === leader);
  return `{${members.map(({ name }) => name).join(',')}}`;
}

function leaderIndex(events: readonly OpenableEvent[], spec: EventSpec, index: number): number {
  if (spec.group < 0) return -1;
  const first = events.findIndex((other) => other.spec.group === spec.group);
  return first === index ? -1 : first;
}

function readingAttr(
  { name, attr }: OpenableEvent,
  leads: boolean,
  features: KernelFeatures,
  notices: Notices,
): EventAttr {
  const inherit = attr.flags.inherit && features.inheritedRead;
  if (attr.flags.inherit && !inherit) {
    notices.add(
      `${name}: this kernel can't read counters of inherited events with each sample (Linux 6.12 ` +
        'can), so the modifier S leaves out threads and children that are started later',
    );
  }
  return {
    ...attr,
    sampleType: attr.sampleType | PERF_SAMPLE.READ,
    readFormat: attr.readFormat | (leads ? PERF_FORMAT.GROUP : 0),
    flags: { ...attr.flags, inherit, inheritStat: inherit && attr.flags.inheritStat },
  };
}

function memberAttr(attr: EventAttr, leader: EventAttr): EventAttr {
  return {
    ...attr,
    samplePeriod: 0,
    sampleType: leader.sampleType,
    readFormat: leader.readFormat,
    sampleMaxStack: leader.sampleMaxStack,
    flags: {
      ...attr.flags,
      freq: false,
      inherit: leader.flags.inherit,
      inheritStat: leader.flags.inheritStat,
    },
  };
}
