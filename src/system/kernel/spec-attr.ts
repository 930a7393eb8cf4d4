import type { EventExclusions, EventSpec } from '../../kernel/events/event-spec.ts';
import type { AttrFlags, EventAttr } from '../../kernel/perf-event/attr.ts';

/** Fields of an attr that say which event is meant, not how it is sampled or counted. */
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
