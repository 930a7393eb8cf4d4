import { PERF_TYPE } from '../../base/event-type.ts';
import { CACHE_EVENTS } from '../../kernel/events/cache-events.ts';
import type { EventSources, PmuDescription } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import {
  findGenericEvent,
  HARDWARE_EVENTS,
  SOFTWARE_EVENTS,
} from '../../kernel/events/generic-events.ts';

/** On machines with two kinds of cores the upper half of config names the PMU. */
const CONFIG_MASK = 0xffff_ffffn;

/**
 * What an event stands for in metrics: perf's generic name of it, the name that its PMU gives it, or
 * empty. By number and not by text, so that `cpu-cycles`, `cycles:u` and `cpu_core/cycles/` are all
 * `cycles`.
 */
export function roleOf(spec: EventSpec, sources: EventSources): string {
  const config = spec.config & CONFIG_MASK;
  switch (spec.type) {
    case PERF_TYPE.HARDWARE:
      return HARDWARE_EVENTS.find((event) => event.config === config)?.name ?? '';
    case PERF_TYPE.SOFTWARE:
      return SOFTWARE_EVENTS.find((event) => event.config === config)?.name ?? '';
    case PERF_TYPE.HW_CACHE:
      return CACHE_EVENTS.find((event) => event.config === config)?.name ?? '';
    case PERF_TYPE.TRACEPOINT:
    case PERF_TYPE.BREAKPOINT:
      return '';
  }
  const name = pmuEventName(spec, sources)?.event ?? '';
  if (name.startsWith('energy-')) return 'energy';
  const generic = findGenericEvent(HARDWARE_EVENTS, name)?.name;
  return generic ?? ARM_NAMES[name] ?? name;
}

/** What the architecture's events of arm64 are called generically. */
const ARM_NAMES: Readonly<Record<string, string>> = {
  cpu_cycles: 'cycles',
  inst_retired: 'instructions',
  br_retired: 'branches',
  br_mis_pred_retired: 'branch-misses',
};

/** The sysfs name of a PMU's event, if the text uses one. */
export function pmuEventName(
  spec: EventSpec,
  sources: EventSources,
): { readonly pmu: PmuDescription; readonly event: string } | null {
  // The PMU of x86 cores is the one of raw events.
  if (spec.type <= PERF_TYPE.BREAKPOINT && spec.type !== PERF_TYPE.RAW) return null;
  const pmu = sources.pmus.find(({ type }) => type === spec.type);
  if (pmu === undefined) return null;
  const words = spec.text.split(/[/,:]/);
  const event = words.find((word) => pmu.events.has(word));
  return event === undefined ? null : { pmu, event };
}

/** What of the program an event counts: events of different domains are not compared. */
export function domainOf({ exclude }: EventSpec): string {
  return `${exclude.user ? 'k' : ''}${exclude.kernel ? 'u' : ''}`;
}
