import { PERF_TYPE } from '../../base/event-type.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { resolveBreakpoint } from './breakpoint-event.ts';
import { CACHE_EVENTS, findCacheEvent } from './cache-events.ts';
import { didYouMean, failAt, SEE_LIST } from './event-error.ts';
import { type EventOverrides, refuseTerms, splitOverrides } from './event-overrides.ts';
import { type EventSources, hybridPmus } from './event-sources.ts';
import type { EventSpec } from './event-spec.ts';
import { type EventSyntax, type ItemSyntax, parseSyntax } from './event-syntax.ts';
import {
  findGenericEvent,
  HARDWARE_EVENTS,
  isClock,
  isTakenSingly,
  SOFTWARE_EVENTS,
} from './generic-events.ts';
import { LIBPFM_PREFIX, resolveLibpfmEvent } from './libpfm-events.ts';
import { looksLikeModifiers, parseModifiers } from './modifiers.ts';
import { findPmus, findPmusWithEvent, onEachKindOfCore, resolvePmuEvent } from './pmu-events.ts';
import { type ResolvedEvent, resolvedEvent, shownName } from './resolved-event.ts';
import { parseNumber } from './term-value.ts';
import { resolveTracepoints, tracepointsNamedLike } from './tracepoint-events.ts';
import type { Word } from './word.ts';

const MOST_PMUS_SHOWN = 12;

/**
 * The events that `-e` names, in perf's syntax: one text or several (`-e a -e b`), each a list.
 * One name may be several events: a glob of tracepoints, a PMU that exists once per socket, a
 * hardware event on a machine with two kinds of cores.
 *
 * Throws `UsageError` with the position and the nearest names; what `sources` throws (tracepoints
 * that can't be read) passes through.
 */
export function parseEvents(texts: string | readonly string[], sources: EventSources): EventSpec[] {
  const specs: EventSpec[] = [];
  let groups = 0;
  for (const text of typeof texts === 'string' ? [texts] : texts) {
    for (const item of parseSyntax(text)) {
      const members = item.events.flatMap((syntax) => resolveEvent(syntax, sources));
      for (const group of item.isGroup ? perKindOfCore(members) : members.map((one) => [one])) {
        const number = item.isGroup ? groups++ : -1;
        group.forEach((member, index) => {
          specs.push(eventSpec(member, item, number, index === 0));
        });
      }
    }
  }
  return specs;
}

/** An event with everything that its own text states. */
type Member = {
  readonly syntax: EventSyntax;
  readonly event: ResolvedEvent;
  readonly overrides: EventOverrides;
  /** Modifiers of this event alone. */
  readonly modifiers: Word | null;
};

/**
 * A group is scheduled on one PMU, so on a machine with two kinds of cores it becomes one group
 * for each. Events that don't depend on the core are in each of them, on its CPUs: in one alone they
 * would be counted on some CPUs only.
 */
function perKindOfCore(members: readonly Member[]): Member[][] {
  const cpusOfPmu = new Map(
    members.flatMap(({ event }) =>
      event.hybridPmu === null ? [] : [[event.hybridPmu, event.cpus] as const],
    ),
  );
  if (cpusOfPmu.size === 0) return [[...members]];
  return Array.from(cpusOfPmu, ([pmu, cpus]) =>
    members.flatMap((member) => {
      const { event } = member;
      if (event.hybridPmu === pmu) return [member];
      if (event.hybridPmu !== null) return [];
      return [{ ...member, event: { ...event, hybridPmu: pmu, cpus: event.cpus ?? cpus } }];
    }),
  );
}

function eventSpec(member: Member, item: ItemSyntax, group: number, leader: boolean): EventSpec {
  const { syntax, event, overrides } = member;
  const { displayName, ...sampling } = overrides;
  const isLeader = group < 0 || leader;
  const modifiers = parseModifiers({
    own: member.modifiers,
    fromGroup: item.modifiers,
    isLeader,
    excludesGuests: event.canExclude,
    settings: event.settings,
  });
  const clock = isClock(event.type, event.config);
  return {
    text: syntax.whole.text,
    name: displayName ?? shownName(event, termsAsWritten(syntax), modifiers.modifiers),
    type: event.type,
    config: event.config,
    config1: event.config1,
    config2: event.config2,
    config3: event.config3,
    bpType: event.bpType,
    ...modifiers,
    group,
    leader: group >= 0 && leader,
    ...sampling,
    ...ratesOf(event, sampling),
    defaultPeriod: isTakenSingly(event.type, event.config) ? 1 : null,
    cpus: event.cpus,
    corePmu: event.hybridPmu,
    isUncore: event.isUncore,
    tracepoint: event.tracepoint,
    isSoftware: event.type === PERF_TYPE.SOFTWARE,
    isClock: clock,
    unit: clock ? 'nanoseconds' : 'events',
  };
}

/** A rate between the slashes takes the place of one in the name. */
function ratesOf(
  { settings }: ResolvedEvent,
  { period, frequency }: Pick<EventSpec, 'period' | 'frequency'>,
): Pick<EventSpec, 'period' | 'frequency'> {
  if (settings === null || period !== null || frequency !== null) return { period, frequency };
  return { period: settings.period, frequency: settings.frequency };
}

/** Finds what the event's words name, and which of them are modifiers. */
function resolveEvent(syntax: EventSyntax, sources: EventSources): Member[] {
  const { words } = syntax;
  const first = words[0];
  const second = words[1];
  if (first.text === 'mem' && second !== undefined) {
    const { event, modifiers } = resolveBreakpoint(syntax);
    return members(syntax, [event], modifiers);
  }
  if (first.text.startsWith(LIBPFM_PREFIX)) {
    return members(syntax, [resolveLibpfmEvent(first, sources)], []);
  }
  if (syntax.terms !== null && second === undefined) {
    const ofPmu = resolvePmuSyntax(syntax, sources);
    if (ofPmu !== null) return ofPmu;
  }
  const named = findNamedEvent(first.text, sources);
  if (named !== null) return members(syntax, named, words.slice(1));
  const ofNumber = second === undefined ? null : resolveNumber(first, second);
  if (ofNumber !== null) return members(syntax, [ofNumber], words.slice(2));
  const pmus = findPmusWithEvent(sources, first.text);
  if (pmus.length > 0)
    return resolvePmuEvents(syntax, pmus, [{ key: first, value: null }], sources);
  if (second === undefined) unknownEvent(first, sources);
  if (words.length === 2 && looksLikeModifiers(second.text)) {
    // A tracepoint may be named like modifiers; a misspelt event with modifiers is more likely.
    if (!sources.tracepoints.isReadable()) unknownEvent(first, sources);
    if (!sources.tracepoints.systems().includes(first.text)) unknownEvent(first, sources);
  }
  return members(syntax, resolveTracepoints(first, second, sources), words.slice(2));
}

/** Events that have no bits of their own to set: only overrides may stand between slashes. */
function members(
  syntax: EventSyntax,
  events: readonly ResolvedEvent[],
  rest: readonly Word[],
): Member[] {
  const { overrides, others } = splitOverrides(syntax.terms ?? []);
  refuseTerms(others, events[0].name);
  const modifiers = modifiersOf(syntax, rest);
  return events.map((event) => ({ syntax, event, overrides, modifiers }));
}

/** `pmu/terms/`; null if the word before the slash is no PMU. */
function resolvePmuSyntax(syntax: EventSyntax, sources: EventSources): Member[] | null {
  const first = syntax.words[0];
  const pmus = findPmus(sources, first.text);
  if (pmus.length > 0) return resolvePmuEvents(syntax, pmus, [], sources);
  const isName =
    findNamedEvent(first.text, sources) !== null ||
    findPmusWithEvent(sources, first.text).length > 0;
  if (isName) return null;
  const pmuNames = sources.pmus.map(({ name }) => name);
  const near = nearestNames(first.text, [...pmuNames, ...everyNamedEvent()]);
  return failAt(first, `no PMU or event '${first.text}' on this machine`, [
    ...didYouMean(near),
    `PMUs here: ${abbreviate(pmuNames)}`,
    SEE_LIST,
  ]);
}

/** The terms between the slashes, after `leading` ones, on each of `pmus`. */
function resolvePmuEvents(
  syntax: EventSyntax,
  pmus: ReturnType<typeof findPmus>,
  leading: NonNullable<EventSyntax['terms']>,
  sources: EventSources,
): Member[] {
  const { overrides, others } = splitOverrides(syntax.terms ?? []);
  const modifiers = modifiersOf(syntax, syntax.words.slice(1));
  const hybrid = hybridPmus(sources);
  const shownTerms = leading.map(({ key }) => key.text).join(',');
  return pmus.map((pmu) => {
    const event = resolvePmuEvent(pmu, [...leading, ...others], sources);
    const hybridPmu = leading.length > 0 && hybrid.includes(pmu) ? pmu.name : null;
    return { syntax, event: { ...event, terms: shownTerms, hybridPmu }, overrides, modifiers };
  });
}

/** `TYPE:CONFIG` in numbers, for what has no name: `4:0x3c`. */
function resolveNumber(first: Word, second: Word): ResolvedEvent | null {
  const type = /^\d{1,9}$/.test(first.text) ? Number(first.text) : -1;
  if (type < 0) return null;
  const config = parseNumber(second.text);
  if (config === null) failAt(second, `'${second.text}' is not a number of 64 bits`);
  return resolvedEvent(`${first.text}:${second.text}`, type, config);
}

/** The one word left for modifiers, before or after the slashes. */
function modifiersOf(syntax: EventSyntax, rest: readonly Word[]): Word | null {
  const all = syntax.tail === null ? rest : [...rest, syntax.tail];
  const extra = all[1];
  if (extra !== undefined) failAt(extra, `'${extra.text}' is one word too many`);
  return all[0] ?? null;
}

function termsAsWritten({ terms }: EventSyntax): string | null {
  if (terms === null) return null;
  return terms
    .map(({ key, value }) => {
      const end = value === null ? key.offset + key.text.length : value.offset + value.text.length;
      return key.source.slice(key.offset, end);
    })
    .join(',');
}

function unknownEvent(word: Word, sources: EventSources): never {
  const ofPmus = sources.pmus.flatMap((pmu) => [...pmu.events.keys()]);
  const names = nearestNames(word.text, [...everyNamedEvent(), ...ofPmus]);
  const near = names.length > 0 ? names : tracepointsNamedLike(word.text, sources);
  return failAt(word, `unknown event '${word.text}'`, [...didYouMean(near), SEE_LIST]);
}

/** Servers have a hundred uncore PMUs; a message has room for some. */
function abbreviate(names: readonly string[]): string {
  const shown = names.slice(0, MOST_PMUS_SHOWN);
  const rest = names.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/**
 * The event of a name that means the same on every machine: hardware, software, cache, or raw
 * (`r003c`). Several on a machine with two kinds of cores. Null for all other names.
 */
function findNamedEvent(name: string, sources: EventSources): ResolvedEvent[] | null {
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
function everyNamedEvent(): string[] {
  const generic = [...HARDWARE_EVENTS, ...SOFTWARE_EVENTS];
  return [
    ...generic.flatMap(({ name, aliases }) => [name, ...aliases]),
    ...CACHE_EVENTS.map(({ name }) => name),
  ];
}
