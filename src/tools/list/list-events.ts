import {
  type EventListSection,
  type EventProbe,
  listEvents,
} from '../../kernel/events/event-list.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { checkArguments, LIST_EVENTS } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { happensOnlyInKernel } from '../../system/kernel/event-name.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';

/**
 * The events of this machine that `filter` admits, tried with the kernel.
 *
 * @example
 * ```ts
 * import { listEvents } from 'perf-ts';
 *
 * for (const { kind, events } of listEvents('*faults')) {
 *   for (const { name, errorCode } of events) console.log(kind, name, errorCode ?? 'opens');
 * }
 * ```
 */
export function listEventsHere(
  filter?: string,
  options: { readonly tryEach?: boolean } = {},
): EventListSection[] {
  if (filter !== undefined) checkArguments({ filter });
  checkOptions(LIST_EVENTS, options, 'listEvents');
  return listEvents(readEventSources(), {
    ...options,
    ...(filter !== undefined && { filter }),
    probe: eventOpener(loadBinding().probeEvent, onlineCpus()),
  });
}

/** A long period: what is opened to be tried shall not sample. */
const NEVER = 2 ** 40;

/**
 * Says whether an event opens for this process: empty, or the errno name. Kernel code is left out
 * where it is refused, so that "opens" means "can be used here in some form": of an event that happens in the
 * kernel alone, such as a switch to another task, nothing would be left. Events of a PMU that
 * belongs to the whole machine are tried on a CPU of theirs. Precise events are tried as samples,
 * which is all that they can be.
 */
export function eventOpener(
  probe: NativeBinding['probeEvent'],
  cpus: readonly number[],
): EventProbe {
  return (spec) => {
    const machineWide = spec.cpus !== null;
    const pid = machineWide ? -1 : 0;
    const cpu = machineWide ? (spec.cpus[0] ?? cpus[0] ?? 0) : -1;
    const open = (excludeKernel: boolean, samplePeriod: number): string => {
      const { type, config, config1, config2, config3, bpType, preciseIp } = spec;
      const flags = { disabled: true, excludeKernel, excludeHv: excludeKernel, preciseIp };
      const values = { type, config, config1, config2, config3, bpType, samplePeriod };
      const result = probe(encodeAttr(newAttr({ ...values, flags })), pid, cpu);
      return result.errno === 0 ? '' : result.code;
    };
    const isSampled = spec.preciseIp > 0;
    let code = open(false, isSampled ? NEVER : 0);
    const isRefused = code === 'EACCES' || code === 'EPERM';
    if (isRefused && !happensOnlyInKernel(spec)) {
      const inUserSpace = open(true, isSampled ? NEVER : 0);
      // A PMU that can't leave out the kernel says EINVAL: the permission stays the reason.
      return inUserSpace === 'EINVAL' ? code : inUserSpace;
    }
    // Some only sample (IBS), and say so with EINVAL.
    if (code === 'EINVAL' && !isSampled && open(false, NEVER) === '') code = '';
    return code;
  };
}
