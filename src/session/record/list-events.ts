import { type EventListSection, listEvents } from '../../events/event-list.ts';
import type { EventSpec } from '../../events/event-spec.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { encodeAttr, newAttr } from '../../perf-event/attr.ts';
import { onlineCpus, readEventSources } from './event-sources.ts';

/** The events of this machine that `filter` admits, each tried with the kernel. */
export function listEventsHere(filter?: string): EventListSection[] {
  return listEvents(readEventSources(), {
    ...(filter !== undefined && { filter }),
    probe: eventOpener(loadBinding().probeEvent, onlineCpus()),
  });
}

/**
 * Says whether an event opens for this process: empty, or the errno name. Kernel code is left out
 * where it is refused, so that "opens" means "can be used here in some form". Events of a PMU that
 * belongs to the whole machine are tried on a CPU of theirs.
 */
function eventOpener(
  probe: NativeBinding['probeEvent'],
  cpus: readonly number[],
): (spec: EventSpec) => string {
  return (spec) => {
    const machineWide = spec.cpus !== null;
    const pid = machineWide ? -1 : 0;
    const cpu = machineWide ? (spec.cpus[0] ?? cpus[0] ?? 0) : -1;
    const open = (excludeKernel: boolean): string => {
      const { type, config, config1, config2, config3, bpType } = spec;
      const flags = { disabled: true, excludeKernel, excludeHv: excludeKernel };
      const attr = newAttr({ type, config, config1, config2, config3, bpType, flags });
      const result = probe(encodeAttr(attr), pid, cpu);
      return result.errno === 0 ? '' : result.code;
    };
    const code = open(false);
    return code === 'EACCES' || code === 'EPERM' ? open(true) : code;
  };
}
