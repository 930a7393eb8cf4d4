import { closeSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { formatCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, encodeAttr } from '../../kernel/perf-event/attr.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding, NativeCounterGroup, NativeError } from '../../native/types.ts';
import { checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { GROUP, type GroupOptions } from '../../options/counting.ts';
import { openCgroup } from '../../system/kernel/containers.ts';
import { detectKernelFeatures } from '../../system/kernel/kernel-features.ts';
import { readKernelSettings } from '../../system/kernel/kernel-settings.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { counterAttr } from '../../system/kernel/spec-attr.ts';
import { CounterGroup } from '../count/counter-group.ts';
import type { Distinct, EventNames, EventTable, NotEmpty } from '../count/group-names.ts';
import { explainFailedOpen } from './explain-open.ts';
import { chooseGroupEvents, type KeyedEvent } from './group-events.ts';

/**
 * Opens events as one group. Each count has the name that was asked for, or in the form of an object
 * the key that was chosen; anything else does not compile.
 *
 *     using group = openGroup(['cycles', 'instructions'], { excludeKernel: true });
 *     const { counts, value } = group.measure(() => work());
 *     const two = openGroup({ faults: 'page-faults:u', switches: 'sched:sched_switch' });
 *
 * Throws UsageError for what can't be meant, CounterError for what the kernel refuses: which event,
 * which field, why. Nothing stays open then.
 *
 * @example
 * ```ts
 * import { type GroupOptions, openGroup } from 'perf-ts';
 *
 * const options: GroupOptions = { excludeKernel: true };
 * using group = openGroup({ time: 'task-clock', faults: 'page-faults' }, options);
 * const { counts, value } = group.measure(() => new Array(1e6).fill(0).length);
 * console.log(value, counts.time, counts.faults); // bigint; null where the PMU had no room
 * ```
 */
export function openGroup<const Names extends EventNames>(
  events: Names & Distinct<Names>,
  options?: GroupOptions,
): CounterGroup<Names[number]>;
export function openGroup<const Table extends EventTable>(
  events: Table & NotEmpty<Table>,
  options?: GroupOptions,
): CounterGroup<Extract<keyof Table, string>>;
export function openGroup(
  events: readonly string[] | EventTable,
  options: GroupOptions = {},
): CounterGroup<string> {
  checkArguments({ events });
  checkGroupOptions(options, onlineCpus());
  const entries = Array.isArray(events)
    ? events.map((text: string) => [text, text] as const)
    : Object.entries(events);
  const chosen = chooseGroupEvents(entries, options, readEventSources());
  const binding = loadBinding();
  const cgroupFd = options.cgroup === undefined ? -1 : openCgroup(options.cgroup, GROUP.cgroup);
  try {
    const { handle, hasLost } = openHandle(binding, chosen, options, cgroupFd);
    const keys = chosen.map(({ key }) => key);
    return new CounterGroup(keys, handle, {
      hasLost,
      userReader: mayReadInUserSpace(chosen, options) ? handle.mapUserPages() : null,
    });
  } finally {
    if (cgroupFd >= 0) closeSync(cgroupFd);
  }
}

/** Whether the kernel has PERF_FORMAT_LOST is only asked where it may be what EINVAL is about. */
function openHandle(
  binding: NativeBinding,
  chosen: readonly KeyedEvent[],
  options: GroupOptions,
  cgroupFd: number,
): { handle: NativeCounterGroup; hasLost: boolean } {
  try {
    return { handle: open(true), hasLost: true };
  } catch (error) {
    const failure = error as NativeError;
    const mayBeLost = failure.code === 'EINVAL' && failure.eventIndex === 0;
    if (mayBeLost && !detectKernelFeatures(binding.probeEvent).lost) {
      try {
        return { handle: open(false), hasLost: false };
      } catch (second) {
        throw explained(second as NativeError, false);
      }
    }
    throw explained(failure, true);
  }

  function attrOf(index: number, hasLost: boolean) {
    const { spec } = chosen[index];
    return groupAttr(spec, options, { isLeader: index === 0, hasLost });
  }

  function open(hasLost: boolean): NativeCounterGroup {
    return new binding.CounterGroup({
      events: chosen.map((_, index) => encodeAttr(attrOf(index, hasLost))),
      pid: options.pid ?? 0,
      cpu: options.cpu ?? -1,
      ...(cgroupFd >= 0 ? { cgroupFd } : {}),
    });
  }

  function explained(error: NativeError, hasLost: boolean): Error {
    const event = chosen[error.eventIndex];
    if (error.operation !== 'perf_event_open' || event === undefined) return error;
    const pid = cgroupFd >= 0 ? -1 : (options.pid ?? 0);
    const cpu = options.cpu ?? -1;
    return explainFailedOpen(
      {
        event,
        attr: attrOf(error.eventIndex, hasLost),
        code: error.code,
        opened: chosen.slice(0, error.eventIndex).map(({ key }) => key),
        pid,
        cpu,
      },
      {
        probe: (attr, where) =>
          where === 'own-thread'
            ? binding.probeEvent(encodeAttr(attr), 0, -1)
            : binding.probeEvent(encodeAttr(attr), pid, cpu),
        settings: readKernelSettings(),
      },
    );
  }
}

/**
 * The control page speaks of the calling thread alone, and not of what it started. What the kernel
 * counts itself is in no register.
 */
function mayReadInUserSpace(
  chosen: readonly KeyedEvent[],
  { pid, cpu, inherit, cgroup, userReads }: GroupOptions,
): boolean {
  const isOwnThread = (pid === undefined || pid === 0) && cpu === undefined && cgroup === undefined;
  const isInRegisters = chosen.every(({ spec }) => !spec.isSoftware && spec.tracepoint === null);
  return isOwnThread && isInRegisters && inherit !== true && userReads !== false;
}

/** The attr of one member of the group. */
export function groupAttr(
  spec: EventSpec,
  options: GroupOptions,
  { isLeader, hasLost }: { readonly isLeader: boolean; readonly hasLost: boolean },
): EventAttr {
  const { pinned, exclusive, excludeUser, excludeKernel, excludeHv, excludeIdle } = options;
  return counterAttr(spec, isLeader, {
    hasLost,
    inherit: options.inherit ?? spec.inherit ?? false,
    ...(pinned !== undefined && { pinned }),
    ...(exclusive !== undefined && { exclusive }),
    exclude: {
      user: excludeUser === true,
      kernel: excludeKernel === true,
      hv: excludeHv === true,
      idle: excludeIdle === true,
    },
  });
}

/** Throws UsageError for options that cannot be meant, before the kernel is asked. */
export function checkGroupOptions(options: GroupOptions, onlineCpus: readonly number[]): void {
  checkOptions(GROUP, options, 'openGroup');
  const { pid, cpu, cgroup } = options;
  if (cpu !== undefined && !onlineCpus.includes(cpu)) {
    throw new UsageError(`cpu: CPU ${cpu} is not online; ${formatCpuList(onlineCpus)} are`);
  }
  if (cgroup !== undefined && pid !== undefined) {
    throw new UsageError('pid and cgroup: a group counts on a thread or in a control group', [
      'leave one of them out',
    ]);
  }
  if ((pid === -1 || cgroup !== undefined) && cpu === undefined) {
    const what = pid === -1 ? 'all tasks (pid: -1)' : 'a control group';
    throw new UsageError(`${what} can only be counted on one CPU: cpu is missing`, [
      'open one group for each CPU of /sys/devices/system/cpu/online and add their counts',
    ]);
  }
}

/**
 * The kernel's id of the calling thread: what `pid` of another thread's group takes.
 *
 * @example
 * ```ts
 * import { openGroup, threadId } from 'perf-ts';
 *
 * using group = openGroup(['task-clock'], { pid: threadId() });
 * console.log(group.read().counts['task-clock']);
 * ```
 */
export function threadId(): number {
  // "4242/task/4243"
  return Number(basename(readlinkSync('/proc/thread-self')));
}
