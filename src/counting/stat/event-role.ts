import { PERF_TYPE } from '../../base/event-type.ts';
import { eventRole } from '../../kernel/events/event-role.ts';
import type { EventSources, PmuDescription } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';

/** The event's `eventRole`, with the names that sysfs has for its PMU's events. */
export function roleOf(spec: EventSpec, sources: EventSources): string {
  return eventRole(spec.type, spec.config, pmuEventName(spec, sources)?.event ?? '');
}

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
