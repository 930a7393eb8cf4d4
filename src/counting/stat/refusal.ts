import { PERF_TYPE } from '../../base/event-type.ts';
import { type EventSources, isCorePmu } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { openWords } from '../../kernel/events/open-reasons.ts';
import { type KernelSettings, readKernelSettings } from '../../system/kernel/kernel-settings.ts';
import { explainRefusal } from '../../system/kernel/permission-help.ts';

/** Why an event is not counted, in a few words, with the kernel's errno name. */
export function refusalReason(spec: EventSpec, code: string, sources: EventSources): string {
  const isGeneric = spec.type === PERF_TYPE.HARDWARE || spec.type === PERF_TYPE.HW_CACHE;
  if (code === 'ENOENT' && isGeneric && !hasCorePmu(sources)) {
    return `this machine has no hardware counters (${code})`;
  }
  return openWords(code, 'counted');
}

/** What to do where the kernel does not allow an event. */
export function permissionHints(
  wants: {
    readonly systemWide: boolean;
    readonly foreignProcess: boolean;
    readonly kernel: boolean;
  },
  settings: KernelSettings = readKernelSettings(),
): string[] {
  return explainRefusal(settings, { ...wants, counting: true });
}

function hasCorePmu({ pmus }: EventSources): boolean {
  return pmus.some(
    (pmu) => isCorePmu(pmu) || pmu.type === PERF_TYPE.RAW || /^armv\d/.test(pmu.name),
  );
}
