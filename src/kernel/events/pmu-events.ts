import { parseCpuList } from '../../base/cpu-list.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import { globMatcher, isGlob } from '../../base/glob.ts';
import { findCacheEvent } from './cache-events.ts';
import { failAt } from './event-error.ts';
import { type EventSources, hybridPmus, isCorePmu, type PmuDescription } from './event-sources.ts';
import type { TermSyntax } from './event-syntax.ts';
import { findGenericEvent, HARDWARE_EVENTS } from './generic-events.ts';
import type { ConfigValues } from './pmu-format.ts';
import { applyNamedEvent, applyTerm, findPmuEvent } from './pmu-terms.ts';
import { type ResolvedEvent, resolvedEvent } from './resolved-event.ts';

/**
 * Events of a PMU, from its description in sysfs:
 *
 *   cpu/event=0x3c,umask=0x1/    bits, placed by format/event and format/umask
 *   cpu/mem-loads,ldlat=60/      events/mem-loads is `event=0xcd,umask=0x1,ldlat=3`; what is
 *                                written out wins over what the name stands for
 *   cpu/config=0x13c/            the whole field
 *   cpu_core/cycles/             a hardware or cache event of one kind of core
 */
export function resolvePmuEvent(
  pmu: PmuDescription,
  terms: readonly TermSyntax[],
  sources: EventSources,
): ResolvedEvent {
  const values: ConfigValues = { config: 0n, config1: 0n, config2: 0n, config3: 0n };
  let generic: { type: number; config: bigint } | null = null;
  const named = terms.filter((term) => isEventName(pmu, term));
  const written = terms.filter((term) => !named.includes(term));
  for (const term of named) {
    const expansion = findPmuEvent(pmu, term.key.text);
    if (expansion !== null) applyNamedEvent(pmu, term, expansion, written, values);
    else generic = findCoreEvent(pmu, term.key.text, sources);
  }
  for (const term of written) applyTerm(pmu, term, values);
  if (generic !== null && written.length > 0) {
    failAt(written[0].key, 'a named event takes no further bits');
  }
  const isCore = isCorePmu(pmu);
  return resolvedEvent(pmu.name, generic?.type ?? pmu.type, generic?.config ?? values.config, {
    config1: values.config1,
    config2: values.config2,
    config3: values.config3,
    terms: '',
    cpus: cpusOf(pmu),
    isUncore: pmu.cpumask !== null && !isCore,
    canExclude: isCore || pmu.type <= PERF_TYPE.BREAKPOINT,
  });
}

/**
 * PMUs that `name` means: the one of that name, those that a glob matches, or, as in perf, all
 * with that name and a number: `uncore_imc` and `imc` mean uncore_imc_0, uncore_imc_1 …
 */
export function findPmus(sources: EventSources, name: string): readonly PmuDescription[] {
  const exact = sources.pmus.filter((pmu) => pmu.name === name);
  if (exact.length > 0) return exact;
  if (isGlob(name)) {
    const matches = globMatcher(name);
    return sources.pmus.filter((pmu) => matches(pmu.name));
  }
  return sources.pmus.filter(
    (pmu) => isNumbered(pmu.name, name) || isNumbered(pmu.name, `uncore_${name}`),
  );
}

function isNumbered(pmuName: string, name: string): boolean {
  return pmuName.startsWith(name) && /^(?:_?\d+)?$/.test(pmuName.slice(name.length));
}

/** PMUs that have an event of that name in sysfs: perf takes `mem-loads` without its PMU. */
export function findPmusWithEvent(sources: EventSources, name: string): readonly PmuDescription[] {
  return sources.pmus.filter((pmu) => findPmuEvent(pmu, name) !== null);
}

/**
 * A hardware, cache or raw event is one event on each of two kinds of cores: the
 * PMU's type goes into the upper half of config (`PERF_PMU_CAP_EXTENDED_HW_TYPE`), or takes the
 * place of `PERF_TYPE_RAW`. Elsewhere the event itself, as on kernels that know no such types: there
 * each CPU's own PMU takes it.
 */
export function onEachKindOfCore(event: ResolvedEvent, sources: EventSources): ResolvedEvent[] {
  const pmus = hybridPmus(sources);
  const isTyped = event.type === PERF_TYPE.RAW || sources.hasExtendedTypes !== false;
  if (pmus.length === 0 || !isTyped) return [event];
  return pmus.map((pmu) => ({
    ...event,
    name: pmu.name,
    terms: event.name,
    hybridPmu: pmu.name,
    cpus: cpusOf(pmu),
    ...(event.type === PERF_TYPE.RAW
      ? { type: pmu.type }
      : { config: withPmuType(event.config, pmu) }),
  }));
}

function withPmuType(config: bigint, pmu: PmuDescription): bigint {
  return config | (BigInt(pmu.type) << 32n);
}

/** Null for a PMU that counts on every CPU. */
export function cpusOf(pmu: PmuDescription): number[] | null {
  const list = pmu.cpumask ?? pmu.cpus;
  if (list === null) return null;
  return list.trim() === '' ? [] : parseCpuList(list);
}

function isEventName(pmu: PmuDescription, term: TermSyntax): boolean {
  const name = term.key.text;
  if (term.value !== null || pmu.formats.has(name)) return false;
  if (findPmuEvent(pmu, name) !== null) return true;
  return isCorePmu(pmu) && isHardwareOrCache(name);
}

function isHardwareOrCache(name: string): boolean {
  return findGenericEvent(HARDWARE_EVENTS, name) !== null || findCacheEvent(name) !== null;
}

function findCoreEvent(
  pmu: PmuDescription,
  name: string,
  sources: EventSources,
): { type: number; config: bigint } {
  const hardware = findGenericEvent(HARDWARE_EVENTS, name);
  const config = (hardware ?? findCacheEvent(name))?.config as bigint;
  const type = hardware === null ? PERF_TYPE.HW_CACHE : PERF_TYPE.HARDWARE;
  const isOneOfSeveral = hybridPmus(sources).includes(pmu) && sources.hasExtendedTypes !== false;
  return { type, config: isOneOfSeveral ? withPmuType(config, pmu) : config };
}
