import { release } from 'node:os';
import { PERF_TYPE } from '../../base/event-type.ts';
import { type EventSources, isCorePmu } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { openWords } from '../../kernel/events/open-reasons.ts';
import { findLaterFeature } from '../../system/kernel/later-features.ts';
import { isAbsent } from '../../system/kernel/open-refusal.ts';

/** The reason why an event is not counted on a kernel of this release, in a few words, with the errno's name. */
export function refusalReason(
  spec: EventSpec,
  code: string,
  sources: EventSources,
  kernel = release(),
): string {
  const { type, config } = spec;
  const later = isAbsent(code) ? findLaterFeature({ type, config, sampleType: 0 }, kernel) : null;
  if (later !== null) return `it needs Linux ${later.since}, and this is ${kernel} (${code})`;
  const isGeneric = type === PERF_TYPE.HARDWARE || type === PERF_TYPE.HW_CACHE;
  if (code === 'ENOENT' && isGeneric && !hasCorePmu(sources)) {
    return `this machine has no hardware counters (${code})`;
  }
  return openWords(code, 'counted');
}

function hasCorePmu({ pmus }: EventSources): boolean {
  return pmus.some(
    (pmu) => isCorePmu(pmu) || pmu.type === PERF_TYPE.RAW || /^armv\d/.test(pmu.name),
  );
}
