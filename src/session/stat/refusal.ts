import { type EventSources, isCorePmu } from '../../events/event-sources.ts';
import { EVENT_TYPE, type EventSpec } from '../../events/event-spec.ts';
import { type KernelSettings, readKernelSettings } from '../record/kernel-settings.ts';
import { isRefused } from '../record/open-refusal.ts';
import { explainRefusal } from '../record/permission-help.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'this CPU does not have it',
  ENODEV: 'this machine does not have it',
  ENXIO: 'this machine does not have it',
  EOPNOTSUPP: 'its PMU does not count it, or not with these modifiers',
  EINVAL: 'the kernel finds its settings invalid',
  EOVERFLOW: 'a value of it is too large for the kernel',
  ENOSPC: 'no counter or breakpoint of the CPU is left for it',
  EBUSY: 'another user of the counters has them to itself',
  E2BIG: "this kernel's perf_event_attr ends before its fields",
  ENOSYS: 'this kernel has no perf events, or a seccomp filter hides them',
};

/** Why an event is not counted, in a few words, with the kernel's errno name. */
export function refusalReason(spec: EventSpec, code: string, sources: EventSources): string {
  if (isRefused(code)) return `the kernel does not allow it (${code})`;
  const isGeneric = spec.type === EVENT_TYPE.HARDWARE || spec.type === EVENT_TYPE.HW_CACHE;
  if (code === 'ENOENT' && isGeneric && !hasCorePmu(sources)) {
    return `this machine has no hardware counters (${code})`;
  }
  const reason = REASONS[code];
  return reason === undefined ? code : `${reason} (${code})`;
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
  return explainRefusal(settings, wants).map((line) =>
    line.replace('perf-ts record', 'perf-ts stat'),
  );
}

function hasCorePmu({ pmus }: EventSources): boolean {
  return pmus.some(
    (pmu) => isCorePmu(pmu) || pmu.type === EVENT_TYPE.RAW || /^armv\d/.test(pmu.name),
  );
}
