import { type EventAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT } from '../../kernel/perf-event/constants.ts';
import { eventFields, exclusionFlags } from '../../system/kernel/spec-attr.ts';
import type { CountedEvent } from './counted-group.ts';

/** How the counters of a run are switched on. */
export type CounterMode = {
  /** Whether the target's exec enables it; else `enable()` does. */
  readonly enableOnExec: boolean;
  /** Threads and children that start later count, too. */
  readonly inherit: boolean;
  /** The kernel lets this user count user code only. */
  readonly userOnly: boolean;
};

/** Values by the kernel's id, with the times that scaling needs (`counting/count/group-layout.ts`). */
const READ_FORMAT =
  PERF_FORMAT.GROUP |
  PERF_FORMAT.ID |
  PERF_FORMAT.TOTAL_TIME_ENABLED |
  PERF_FORMAT.TOTAL_TIME_RUNNING;

/** Only a leader starts disabled: its members follow it. Nothing is sampled. */
export function counterAttr(
  { spec }: CountedEvent,
  isLeader: boolean,
  { enableOnExec, inherit, userOnly }: CounterMode,
): EventAttr {
  return newAttr({
    ...eventFields(spec),
    readFormat: READ_FORMAT,
    flags: {
      disabled: isLeader,
      enableOnExec: isLeader && enableOnExec,
      inherit,
      pinned: isLeader && spec.pinned,
      exclusive: isLeader && spec.exclusive,
      preciseIp: spec.preciseIsMax ? 0 : spec.preciseIp,
      ...exclusionFlags(spec.exclude, { kernel: userOnly, hv: userOnly }),
    },
  });
}
