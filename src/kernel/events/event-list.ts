import { FailedError, UsageError } from '../../base/errors.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import { globMatcher, isGlob } from '../../base/glob.ts';
import { addToList } from '../../base/group-by.ts';
import type { EventSources } from './event-sources.ts';
import type { EventSpec } from './event-spec.ts';
import {
  type EventListKind,
  type EventSource,
  KIND_OF_WORD,
  LIST_SECTIONS,
  type ListCandidate,
  type ListSection,
} from './list-candidates.ts';
import { parseEvents } from './parse-events.ts';
import { explainPrecise } from './precise-help.ts';

/** Asks the kernel: empty if the event opens, the errno name otherwise (`ENOENT`, `EACCES`). */
export type EventProbe = (spec: EventSpec) => string;

/** The fields of `perf_event_attr` that choose an event. */
export type EventEncoding = Pick<EventSpec, 'type' | 'config' | 'config1' | 'config2'>;

/** One event of the list, and whether it opens here. */
export type ListedEvent = {
  /** The name that `-e` takes. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Empty where the source has no words for it. */
  readonly description: string;
  /** The first event's, where one name is several events; null where the name can't be used as it is. */
  readonly encoding: EventEncoding | null;
  /** The probe's answer; null if it was not asked, or could not be (see `needs`, `problem`). */
  readonly errorCode: string | null;
  /** True if the probe was asked about this event, false if about others of its kind. */
  readonly isTried: boolean;
  /** Terms that must be added to the name, `core=…`; empty for an event that is complete. */
  readonly needs: readonly string[];
  /** Names of other sources that stand for the same attr. */
  readonly alsoNamed: readonly string[];
  /** Why the name can't be used as it is, null if it can. */
  readonly problem: string | null;
};

/** The events of one source: a PMU, a tracepoint system, a kind of software event. */
export type EventListSection = {
  readonly kind: EventListKind | 'asked';
  readonly title: string;
  readonly source: EventSource | null;
  readonly events: readonly ListedEvent[];
  /** Why the section is not complete, null if it is. */
  readonly problem: string | null;
};

export type EventListOptions = {
  /**
   * Which events: a glob over names and aliases (`sched:*`), a part of a name (`switch`), or a
   * section by perf's word for it (`hw`, `sw`, `cache`, `pmu`, `tracepoint`, `pfm`); case does not
   * count. What is none of these is tried as the text of an event (`cycles:pp`). Absent: all.
   */
  readonly filter?: string;
  /** Asked for each listed event; absent: nobody asks. */
  readonly probe?: EventProbe;
  /** Every tracepoint is tried, however many. Closing one takes the kernel some 20 ms. */
  readonly tryEach?: boolean;
};

/**
 * So many tracepoints are tried each. Of more only two, one that every user may use on their own
 * tasks (system calls) and one that is not: what decides beside that is the tracepoint's id, which
 * the kernel shows for just those that perf can open. Closing one waits for all CPUs to have left
 * it, one after the other for all of them; 2 000 take more than a minute. ftrace's own have rules of
 * their own (ftrace:function), so each of these is tried.
 */
const MOST_TRIED_TRACEPOINTS = 8;
const SYSTEM_CALLS = 'syscalls:';
const FTRACE = 'ftrace:';

/** Forms that name events without a list, for the end of the listing. */
export const EVENT_FORMS: readonly { readonly form: string; readonly meaning: string }[] = [
  { form: 'rNNNN', meaning: 'raw event of the CPU, config in hex' },
  { form: 'cpu/event=0x3c,umask=0x1/', meaning: 'event of a PMU, terms as in its format folder' },
  { form: 'mem:ADDRESS[/LENGTH][:rwx]', meaning: 'hardware breakpoint' },
  { form: 'pfm::[MODEL::]EVENT:MASK:u', meaning: "libpfm's name, with its modifiers" },
  { form: 'event:MODIFIERS', meaning: 'u user, k kernel, p less skid, … ; after the second slash' },
  { form: '{event,event}:S', meaning: 'group, counted together' },
];

/** Everything that can be named on this machine, in sections as `perf list` shows them. */
export function listEvents(
  sources: EventSources,
  options: EventListOptions = {},
): EventListSection[] {
  const filter = options.filter ?? '';
  const { kinds, isWanted } = parseFilter(filter);
  const sections = LIST_SECTIONS.filter(({ kind }) => kinds === null || kinds.includes(kind)).map(
    (section) => listSection(section, isWanted, sources, options),
  );
  const isFound = kinds !== null || sections.some(({ events }) => events.length > 0);
  if (isFound || isGlob(filter)) return nameAlike(sections);
  // A folder that could not be read may have had it.
  const unread = sections.filter(({ problem }) => problem !== null);
  return [...unread, listAsked(filter, sources, options)];
}

function parseFilter(filter: string): {
  kinds: readonly EventListKind[] | null;
  isWanted: (name: string) => boolean;
} {
  if (Object.hasOwn(KIND_OF_WORD, filter)) {
    return { kinds: [KIND_OF_WORD[filter]], isWanted: () => true };
  }
  const text = filter.toLowerCase();
  const matches = isGlob(text) ? globMatcher(text) : (name: string) => name.includes(text);
  return { kinds: null, isWanted: (name) => matches(name.toLowerCase()) };
}

function listSection(
  section: ListSection,
  isWanted: (name: string) => boolean,
  sources: EventSources,
  options: EventListOptions,
): EventListSection {
  let problem = section.problem?.(sources) ?? null;
  let found: readonly ListCandidate[] = [];
  try {
    found = section.candidates(sources);
  } catch (error) {
    if (!(error instanceof FailedError)) throw error;
    problem = error.message;
  }
  const wanted = found.filter(({ name, aliases }) => [name, ...aliases].some(isWanted));
  const { kind, title, source } = section;
  const inBulk =
    kind === 'tracepoint' && wanted.length > MOST_TRIED_TRACEPOINTS && options.tryEach !== true;
  const events = inBulk
    ? listTracepoints(wanted, sources, options.probe)
    : wanted.map((candidate) => listedEvent(candidate, sources, options.probe));
  return { kind, title, source, events, problem };
}

/** A text that names no listed event, but may be an event all the same: `cycles:pp`, `r1a8`. */
function listAsked(
  text: string,
  sources: EventSources,
  { probe }: EventListOptions,
): EventListSection {
  const section = { kind: 'asked', title: 'As asked', source: null } as const;
  let specs: readonly EventSpec[];
  try {
    specs = parseEvents(text, sources);
  } catch (error) {
    if (error instanceof FailedError) return { ...section, events: [], problem: error.message };
    if (!(error instanceof UsageError)) throw error;
    const near = error.hints.filter((hint) => hint.startsWith('did you mean'));
    return { ...section, events: [], problem: [error.message, ...near].join('; ') };
  }
  const help = new Set<string>();
  const events = specs.map((spec) => {
    const event = unasked({ name: spec.name, aliases: [], needs: [], description: '' });
    const encoding = encodingOf(spec);
    if (probe === undefined) return { ...event, encoding };
    const errorCode = probe(spec);
    for (const hint of explainPrecise(spec, errorCode, sources)) help.add(hint);
    return { ...event, encoding, errorCode, isTried: true };
  });
  return { ...section, events, problem: help.size === 0 ? null : [...help].join('; ') };
}

function unasked({ name, aliases, needs, description }: ListCandidate): ListedEvent {
  return {
    name,
    aliases,
    description,
    needs,
    encoding: null,
    errorCode: null,
    isTried: false,
    alsoNamed: [],
    problem: null,
  };
}

/** One name may be an event on each kind of core: it opens if one of them does. */
function listedEvent(
  candidate: ListCandidate,
  sources: EventSources,
  probe: EventProbe | undefined,
): ListedEvent {
  const event = unasked(candidate);
  if (event.needs.length > 0) return event;
  let specs: readonly EventSpec[];
  try {
    specs = parseEvents(event.name, sources);
  } catch (error) {
    // The tracepoint's folder can be listed, its id can't be read.
    if (error instanceof FailedError) {
      return probe === undefined ? event : { ...event, errorCode: 'EACCES', isTried: true };
    }
    if (error instanceof UsageError) return { ...event, problem: error.message };
    throw error;
  }
  const encoding = encodingOf(specs[0]);
  if (probe === undefined) return { ...event, encoding };
  const codes = specs.map(probe);
  const errorCode = codes.includes('') ? '' : (codes[0] ?? 'ENOENT');
  return { ...event, encoding, errorCode, isTried: true };
}

/** Thousands of them: two are tried and those of ftrace, of the others the id is read. */
function listTracepoints(
  candidates: readonly ListCandidate[],
  sources: EventSources,
  probe: EventProbe | undefined,
): ListedEvent[] {
  const isSystemCall = ({ name }: ListCandidate): boolean => name.startsWith(SYSTEM_CALLS);
  const tried = new Map<boolean, ListedEvent>();
  return candidates.map((candidate) => {
    if (candidate.name.startsWith(FTRACE)) return listedEvent(candidate, sources, probe);
    const ofKind = isSystemCall(candidate);
    const first = tried.get(ofKind);
    if (first === undefined) {
      const event = listedEvent(candidate, sources, probe);
      tried.set(ofKind, event);
      return event;
    }
    const event = unasked(candidate);
    const colon = event.name.indexOf(':');
    let id: number | null;
    try {
      id = sources.tracepoints.id(event.name.slice(0, colon), event.name.slice(colon + 1));
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      return probe === undefined ? event : { ...event, errorCode: 'EACCES', isTried: true };
    }
    if (id === null) return { ...event, problem: 'it has gone meanwhile' };
    const encoding = { type: PERF_TYPE.TRACEPOINT, config: BigInt(id), config1: 0n, config2: 0n };
    return { ...event, encoding, errorCode: first.errorCode };
  });
}

function encodingOf({ type, config, config1, config2 }: EventSpec): EventEncoding {
  return { type, config, config1, config2 };
}

/** Fills `alsoNamed`: what two sources know, each by its own name. */
function nameAlike(sections: readonly EventListSection[]): EventListSection[] {
  const namesOf = new Map<string, { name: string; source: EventSource | null }[]>();
  for (const { source, kind, events } of sections) {
    if (kind === 'tracepoint') continue;
    for (const { name, encoding } of events) {
      if (encoding === null) continue;
      const key = keyOf(encoding);
      addToList(namesOf, key, { name, source });
    }
  }
  return sections.map((section) => ({
    ...section,
    events: section.events.map((event) => {
      const same = event.encoding === null ? undefined : namesOf.get(keyOf(event.encoding));
      const alsoNamed = (same ?? [])
        .filter(({ source }) => source !== section.source)
        .map(({ name }) => name);
      return alsoNamed.length === 0 ? event : { ...event, alsoNamed };
    }),
  }));
}

function keyOf({ type, config, config1, config2 }: EventEncoding): string {
  return `${type}:${config}:${config1}:${config2}`;
}
