import { PERF_TYPE } from '../../base/event-type.ts';
import { globMatcher, isGlob } from '../../base/glob.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { didYouMean, failAt } from './event-error.ts';
import type { EventSources } from './event-sources.ts';
import { type ResolvedEvent, resolvedEvent } from './resolved-event.ts';
import type { Word } from './word.ts';

/**
 * `sched:sched_switch`, or every tracepoint that a glob in either part means, sorted by name:
 * `syscalls:sys_enter_*`.
 */
export function resolveTracepoints(
  system: Word,
  event: Word,
  sources: EventSources,
): ResolvedEvent[] {
  const { tracepoints } = sources;
  if (!isGlob(system.text) && !isGlob(event.text)) {
    const id = tracepoints.id(system.text, event.text);
    if (id === null) unknownTracepoint(system, event, sources);
    return [tracepointEvent(system.text, event.text, id)];
  }
  const isWantedSystem = globMatcher(system.text);
  const isWantedEvent = globMatcher(event.text);
  const found: ResolvedEvent[] = [];
  for (const systemName of tracepoints.systems().filter(isWantedSystem)) {
    for (const eventName of tracepoints.events(systemName).filter(isWantedEvent)) {
      const id = tracepoints.id(systemName, eventName);
      if (id !== null) found.push(tracepointEvent(systemName, eventName, id));
    }
  }
  if (found.length === 0) unknownTracepoint(system, event, sources);
  return found;
}

function tracepointEvent(system: string, event: string, id: number): ResolvedEvent {
  return resolvedEvent(`${system}:${event}`, PERF_TYPE.TRACEPOINT, BigInt(id), {
    tracepoint: { system, event },
  });
}

/** Tracepoints that someone may have meant who left their system out. */
export function tracepointsNamedLike(name: string, sources: EventSources): string[] {
  const { tracepoints } = sources;
  if (!tracepoints.isReadable()) return [];
  const fullName = new Map<string, string>();
  for (const system of tracepoints.systems()) {
    for (const event of tracepoints.events(system)) fullName.set(event, `${system}:${event}`);
  }
  return nearestNames(name, fullName.keys()).map((event) => fullName.get(event) as string);
}

function unknownTracepoint(system: Word, event: Word, { tracepoints }: EventSources): never {
  const asWritten = `${system.text}:${event.text}`;
  if (isGlob(system.text) || tracepoints.systems().includes(system.text)) {
    const names = isGlob(system.text)
      ? []
      : nearestNames(event.text, tracepoints.events(system.text));
    return failAt(event, `no tracepoint ${asWritten} on this machine`, [
      ...didYouMean(names.map((name) => `${system.text}:${name}`)),
      `perf-ts list '${system.text}:*' shows what there is`,
    ]);
  }
  const systems = nearestNames(system.text, tracepoints.systems());
  return failAt(system, `no tracepoint ${asWritten} on this machine`, [
    ...didYouMean(systems.map((name) => `${name}:…`)),
    'perf-ts list tracepoint shows what there is',
  ]);
}
