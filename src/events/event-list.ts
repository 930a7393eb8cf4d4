import { FailedError } from '../base/errors.ts';
import { globMatcher, isGlob } from '../base/glob.ts';
import { CACHE_EVENTS } from './cache-events.ts';
import type { EventSources } from './event-sources.ts';
import type { EventSpec } from './event-spec.ts';
import { HARDWARE_EVENTS, SOFTWARE_EVENTS } from './generic-events.ts';
import { parseEvents } from './parse-events.ts';

/** Asks the kernel: empty if the event opens, the errno name otherwise (`ENOENT`, `EACCES`). */
export type EventProbe = (spec: EventSpec) => string;

export type EventListKind = 'hardware' | 'software' | 'cache' | 'pmu' | 'tracepoint';

export type ListedEvent = {
  /** What `-e` takes. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** What the probe said; null if it was not asked, or could not be (see `needs`). */
  readonly errorCode: string | null;
  /** Terms that must be added to the name, `core=…`; empty for an event that is complete. */
  readonly needs: readonly string[];
};

export type EventListSection = {
  readonly kind: EventListKind;
  readonly title: string;
  readonly events: readonly ListedEvent[];
  /** Why the section is not complete, null if it is. */
  readonly problem: string | null;
};

export type EventListOptions = {
  /**
   * Which events: a glob over names and aliases (`sched:*`), a part of a name (`switch`), or a
   * section by perf's word for it (`hw`, `sw`, `cache`, `pmu`, `tracepoint`). Absent: all.
   */
  readonly filter?: string;
  /** Asked for each listed event; absent: nobody asks. */
  readonly probe?: EventProbe;
};

/** Forms that name events without a list, for the end of the listing. */
export const EVENT_FORMS: readonly { readonly form: string; readonly meaning: string }[] = [
  { form: 'rNNNN', meaning: 'raw event of the CPU, config in hex' },
  { form: 'cpu/event=0x3c,umask=0x1/', meaning: 'event of a PMU, terms as in its format folder' },
  { form: 'mem:ADDRESS[/LENGTH][:rwx]', meaning: 'hardware breakpoint' },
  { form: 'event:MODIFIERS', meaning: 'u user, k kernel, p less skid, … ; after the second slash' },
  { form: '{event,event}:S', meaning: 'group, counted together' },
];

/** Everything that can be named on this machine, in sections as `perf list` shows them. */
export function listEvents(
  sources: EventSources,
  options: EventListOptions = {},
): EventListSection[] {
  const { kinds, isWanted } = parseFilter(options.filter ?? '');
  return SECTIONS.filter(({ kind }) => kinds === null || kinds.includes(kind)).map((section) => {
    let problem: string | null = null;
    let found: readonly Candidate[] = [];
    try {
      found = section.candidates(sources);
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      problem = error.message;
    }
    const events = found
      .filter(({ name, aliases = [] }) => [name, ...aliases].some(isWanted))
      .map((candidate) => listedEvent(candidate, sources, options.probe));
    return { kind: section.kind, title: section.title, events, problem };
  });
}

type Candidate = {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly needs?: readonly string[];
};

type Section = {
  readonly kind: EventListKind;
  readonly title: string;
  candidates(sources: EventSources): readonly Candidate[];
};

const SECTIONS: readonly Section[] = [
  { kind: 'hardware', title: 'Hardware events', candidates: () => HARDWARE_EVENTS },
  { kind: 'software', title: 'Software events', candidates: () => SOFTWARE_EVENTS },
  { kind: 'cache', title: 'Hardware cache events', candidates: () => CACHE_EVENTS },
  {
    kind: 'pmu',
    title: "Events of this machine's PMUs",
    candidates: ({ pmus }) =>
      pmus.flatMap((pmu) =>
        [...pmu.events].map(([event, terms]) => ({
          name: `${pmu.name}/${event}/`,
          needs: [...terms.matchAll(/([^,=]+)=\?/g)].map((match) => `${match[1]}=…`),
        })),
      ),
  },
  {
    kind: 'tracepoint',
    title: 'Tracepoints',
    candidates: ({ tracepoints }) =>
      tracepoints
        .systems()
        .flatMap((system) =>
          tracepoints.events(system).map((event) => ({ name: `${system}:${event}` })),
        ),
  },
];

/** perf's words for sections. */
const KIND_OF_WORD: Readonly<Record<string, EventListKind>> = {
  hw: 'hardware',
  hardware: 'hardware',
  sw: 'software',
  software: 'software',
  cache: 'cache',
  hwcache: 'cache',
  pmu: 'pmu',
  tracepoint: 'tracepoint',
};

function parseFilter(filter: string): {
  kinds: readonly EventListKind[] | null;
  isWanted: (name: string) => boolean;
} {
  if (Object.hasOwn(KIND_OF_WORD, filter)) {
    return { kinds: [KIND_OF_WORD[filter] as EventListKind], isWanted: () => true };
  }
  if (isGlob(filter)) return { kinds: null, isWanted: globMatcher(filter) };
  const part = filter.toLowerCase();
  return { kinds: null, isWanted: (name) => name.toLowerCase().includes(part) };
}

function listedEvent(
  { name, aliases = [], needs = [] }: Candidate,
  sources: EventSources,
  probe: EventProbe | undefined,
): ListedEvent {
  if (probe === undefined || needs.length > 0) return { name, aliases, needs, errorCode: null };
  return { name, aliases, needs, errorCode: probeName(name, sources, probe) };
}

/** One name may be an event on each kind of core: it opens if one of them does. */
function probeName(name: string, sources: EventSources, probe: EventProbe): string {
  let specs: readonly EventSpec[];
  try {
    specs = parseEvents(name, sources);
  } catch (error) {
    // The tracepoint's folder can be listed, its id can't be read.
    if (error instanceof FailedError) return 'EACCES';
    throw error;
  }
  const codes = specs.map(probe);
  return codes.includes('') ? '' : (codes[0] ?? 'ENOENT');
}
