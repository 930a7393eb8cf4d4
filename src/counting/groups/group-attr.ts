import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT } from '../../kernel/perf-event/constants.ts';
import { eventFields, exclusionFlags } from '../../system/kernel/spec-attr.ts';
import type { GroupOptions } from './group-options.ts';

/** Format of a read of a group's leader; `GroupLayout` decodes it. */
const READ_FORMAT =
  PERF_FORMAT.GROUP |
  PERF_FORMAT.ID |
  PERF_FORMAT.TOTAL_TIME_ENABLED |
  PERF_FORMAT.TOTAL_TIME_RUNNING;

/**
 * The attr of one member. Only the leader starts disabled: an enabled member counts while its
 * leader does, and the leader alone is ever switched (native/core/counter/counter_group.h says why). `pinned`
 * and `exclusive` are for leaders too; the kernel refuses them of members.
 */
export function groupAttr(
  spec: EventSpec,
  options: GroupOptions,
  place: { readonly isLeader: boolean; readonly hasLost: boolean },
): EventAttr {
  return newAttr({
    ...eventFields(spec),
    readFormat: READ_FORMAT | (place.hasLost ? PERF_FORMAT.LOST : 0),
    flags: {
      disabled: place.isLeader,
      inherit: options.inherit ?? spec.inherit ?? false,
      pinned: place.isLeader && (options.pinned ?? spec.pinned),
      exclusive: place.isLeader && (options.exclusive ?? spec.exclusive),
      // `P` wishes for little skid, which a count does not have.
      preciseIp: spec.preciseIsMax ? 0 : spec.preciseIp,
      ...exclusionFlags(spec.exclude, {
        user: options.excludeUser === true,
        kernel: options.excludeKernel === true,
        hv: options.excludeHv === true,
        idle: options.excludeIdle === true,
      }),
    },
  });
}
