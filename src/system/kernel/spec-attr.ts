import type { EventExclusions, EventSpec } from '../../kernel/events/event-spec.ts';
import { type AttrFlags, type EventAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT } from '../../kernel/perf-event/constants.ts';

/** Fields of an attr that state which event is meant, not how it is sampled or counted. */
export function eventFields(
  spec: EventSpec,
): Pick<EventAttr, 'type' | 'config' | 'config1' | 'config2' | 'config3' | 'bpType'> {
  const { type, config, config1, config2, config3, bpType } = spec;
  return { type, config, config1, config2, config3, bpType };
}

/** Flags of an attr that leave out what is excluded; `also` leaves out more. */
export function exclusionFlags(
  { user, kernel, hv, idle, host, guest }: EventExclusions,
  also: Partial<EventExclusions> = {},
): Partial<AttrFlags> {
  return {
    excludeUser: user || also.user === true,
    excludeKernel: kernel || also.kernel === true,
    excludeHv: hv || also.hv === true,
    excludeIdle: idle || also.idle === true,
    excludeHost: host || also.host === true,
    excludeGuest: guest || also.guest === true,
  };
}

/** How a counter is opened, beyond what its event says. */
export type CounterMode = {
  readonly inherit: boolean;
  /** Whether the target's exec enables it; else its leader is switched on. */
  readonly enableOnExec?: boolean;
  readonly pinned?: boolean;
  readonly exclusive?: boolean;
  /** Left out in addition to what the event leaves out. */
  readonly exclude?: Partial<EventExclusions>;
  /** The kernel has PERF_FORMAT_LOST. */
  readonly hasLost?: boolean;
};

/**
 * The attr of one member of a group of counters, whose values are read with the kernel's ids and the times that
 * scaling needs (`counting/count/group-layout.ts`). Only the leader starts disabled: an enabled member counts while its
 * leader does, and the leader alone is ever switched (native/core/counter/counter_group.h states why). `pinned` and
 * `exclusive` are for leaders too; the kernel refuses them of members.
 */
export function counterAttr(spec: EventSpec, isLeader: boolean, mode: CounterMode): EventAttr {
  const { GROUP, ID, TOTAL_TIME_ENABLED, TOTAL_TIME_RUNNING, LOST } = PERF_FORMAT;
  return newAttr({
    ...eventFields(spec),
    readFormat:
      GROUP | ID | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING | (mode.hasLost === true ? LOST : 0),
    flags: {
      disabled: isLeader,
      enableOnExec: isLeader && mode.enableOnExec === true,
      inherit: mode.inherit,
      pinned: isLeader && (mode.pinned ?? spec.pinned),
      exclusive: isLeader && (mode.exclusive ?? spec.exclusive),
      // `P` wishes for little skid, which a count does not have.
      preciseIp: spec.preciseIsMax ? 0 : spec.preciseIp,
      ...exclusionFlags(spec.exclude, mode.exclude),
    },
  });
}
