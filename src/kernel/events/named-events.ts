import { PERF_TYPE } from '../../base/event-type.ts';
import { CACHE_EVENTS, findCacheEvent } from './cache-events.ts';
import type { EventSources } from './event-sources.ts';
import { findGenericEvent, HARDWARE_EVENTS, SOFTWARE_EVENTS } from './generic-events.ts';
import { onEachKindOfCore } from './pmu-events.ts';
import { type ResolvedEvent, resolvedEvent } from './resolved-event.ts';

/**
 * The event of a name that means the same on every machine: hardware, software, cache, or raw
 * (`r003c`). Several on a machine with two kinds of cores. Null for all other names.
 */
export function findNamedEvent(name: string, sources: EventSources): ResolvedEvent[] | null {
  const software = findGenericEvent(SOFTWARE_EVENTS, name);
  if (software !== null) {
    return [resolvedEvent(software.name, PERF_TYPE.SOFTWARE, software.config)];
  }
  const core = findCoreEvent(name);
  return core === null ? null : onEachKindOfCore(core, sources);
}

function findCoreEvent(name: string): ResolvedEvent | null {
  const hardware = findGenericEvent(HARDWARE_EVENTS, name);
  if (hardware !== null) return resolvedEvent(hardware.name, PERF_TYPE.HARDWARE, hardware.config);
  const cache = findCacheEvent(name);
  if (cache !== null) return resolvedEvent(cache.name, PERF_TYPE.HW_CACHE, cache.config);
  const raw = /^r(?:0x)?([0-9a-fA-F]{1,16})$/.exec(name)?.[1];
  return raw === undefined ? null : resolvedEvent(name, PERF_TYPE.RAW, BigInt(`0x${raw}`));
}

/** Every such name, aliases included. */
export function everyNamedEvent(): string[] {
  const generic = [...HARDWARE_EVENTS, ...SOFTWARE_EVENTS];
  return [
    ...generic.flatMap(({ name, aliases }) => [name, ...aliases]),
    ...CACHE_EVENTS.map(({ name }) => name),
  ];
}
