import { CACHE_EVENTS } from './cache-events.ts';
import type { EventSources, PmuDescription } from './event-sources.ts';
import { HARDWARE_EVENTS, SOFTWARE_EVENTS } from './generic-events.ts';
import { LIBPFM_PREFIX } from './libpfm-events.ts';
import type { LibpfmEvent, LibpfmModel } from './libpfm-source.ts';

/** The source that knows an event: the kernel's ABI or tracefs, the PMU folders of sysfs, libpfm4. */
export type EventSource = 'kernel' | 'sysfs' | 'libpfm';

export type EventListKind = 'hardware' | 'software' | 'cache' | 'pmu' | 'tracepoint' | 'libpfm';

/** An event that may be listed, before anyone asks whether it opens. */
export type ListCandidate = {
  /** The name that `-e` takes. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Terms that must be added to the name, `core=…`. */
  readonly needs: readonly string[];
  readonly description: string;
};

export type ListSection = {
  readonly kind: EventListKind;
  readonly title: string;
  readonly source: EventSource;
  /** Throws `FailedError` where names can't be read. */
  candidates(sources: EventSources): readonly ListCandidate[];
  /** Why there may be less than there could be. */
  problem?(sources: EventSources): string | null;
};

export const LIST_SECTIONS: readonly ListSection[] = [
  {
    kind: 'hardware',
    title: 'Hardware events',
    source: 'kernel',
    candidates: () =>
      HARDWARE_EVENTS.map(({ name, aliases }) =>
        candidate(name, describeGenericEvent(name), aliases),
      ),
  },
  {
    kind: 'software',
    title: 'Software events',
    source: 'kernel',
    candidates: () =>
      SOFTWARE_EVENTS.map(({ name, aliases }) =>
        candidate(name, describeGenericEvent(name), aliases),
      ),
  },
  {
    kind: 'cache',
    title: 'Hardware cache events',
    source: 'kernel',
    candidates: () => CACHE_EVENTS.map(({ name }) => candidate(name, describeCacheEvent(name))),
  },
  {
    kind: 'pmu',
    title: "Events of this machine's PMUs",
    source: 'sysfs',
    candidates: ({ pmus }) => pmus.flatMap(pmuCandidates),
  },
  {
    kind: 'tracepoint',
    title: 'Tracepoints',
    source: 'kernel',
    candidates: ({ tracepoints }) =>
      tracepoints
        .systems()
        .flatMap((system) =>
          tracepoints.events(system).map((event) => candidate(`${system}:${event}`, '')),
        ),
  },
  {
    kind: 'libpfm',
    title: 'Events by the names of libpfm',
    source: 'libpfm',
    // Its other models are new names of what the kernel names above.
    candidates: ({ libpfm }) =>
      (libpfm?.models() ?? [])
        .filter(({ isVendor }) => isVendor)
        .flatMap((model) =>
          (libpfm?.events(model) ?? []).flatMap((event) => libpfmCandidates(model, event)),
        ),
    problem: ({ libpfm }) =>
      libpfm === undefined || libpfm.problem === null
        ? null
        : `none: ${libpfm.problem}; as root: apt-get install libpfm4`,
  },
];

/** perf's words for sections, and ours. */
export const KIND_OF_WORD: Readonly<Record<string, EventListKind>> = {
  hw: 'hardware',
  hardware: 'hardware',
  sw: 'software',
  software: 'software',
  cache: 'cache',
  hwcache: 'cache',
  pmu: 'pmu',
  tracepoint: 'tracepoint',
  pfm: 'libpfm',
  libpfm: 'libpfm',
};

/** PMUs whose events are made by the user: nothing of theirs can be listed. */
const MADE_BY_USER = new Set(['kprobe', 'uprobe']);

/**
 * The events in a PMU's folder. One without any, but with a format, is an event by itself: ibs_op//,
 * whose terms are its options.
 */
function pmuCandidates(pmu: PmuDescription): ListCandidate[] {
  if (pmu.events.size === 0) {
    if (pmu.formats.size === 0 || MADE_BY_USER.has(pmu.name)) return [];
    const terms = [...pmu.formats].map(([term, bits]) => `${term} (${bits})`).join(', ');
    return [candidate(`${pmu.name}//`, `terms: ${terms}`)];
  }
  return [...pmu.events].map(([event, terms]) => {
    const needs = [...terms.matchAll(/([^,=]+)=\?/g)].map((match) => `${match[1]}=…`);
    return { ...candidate(`${pmu.name}/${event}/`, terms), needs };
  });
}

/** An event with each of its unit masks, or by itself where it has none. */
function libpfmCandidates(model: LibpfmModel, event: LibpfmEvent): ListCandidate[] {
  const name = `${LIBPFM_PREFIX}${model.name}::${event.name}`;
  const equivalent = event.equivalent === '' ? '' : ` (the same as ${event.equivalent})`;
  if (event.unitMasks.length === 0) return [candidate(name, event.description + equivalent)];
  return event.unitMasks.map((mask) => {
    const marks = [
      ...(mask.isDefault ? ['default'] : []),
      ...(mask.isPrecise ? ['can be precise'] : []),
    ];
    const marked = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
    const description = `${event.description}${equivalent}: ${mask.description}${marked}`;
    return candidate(`${name}:${mask.name}`, description);
  });
}

function candidate(
  name: string,
  description: string,
  aliases: readonly string[] = [],
): ListCandidate {
  return { name, aliases, needs: [], description };
}

/** Descriptions of hardware and software events, in a line each. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  cycles: 'cycles of the CPU core, at its present frequency',
  instructions: 'instructions that were completed',
  'cache-references': 'accesses to the last cache, as the CPU defines them',
  'cache-misses': 'accesses that the last cache could not serve',
  branches: 'branch instructions that were completed',
  'branch-misses': 'branches that were predicted wrongly',
  'bus-cycles': 'cycles of the bus clock',
  'stalled-cycles-frontend': 'cycles without instructions from fetch and decode',
  'stalled-cycles-backend': 'cycles without room or results in execution',
  'ref-cycles': 'cycles at the nominal frequency',
  'cpu-clock': 'nanoseconds of wall time while on a CPU',
  'task-clock': 'nanoseconds that the task ran',
  'page-faults': 'pages that were not mapped when used',
  'context-switches': 'switches to another task',
  'cpu-migrations': 'moves of the task to another CPU',
  'minor-faults': 'page faults served from memory',
  'major-faults': 'page faults served from storage',
  'alignment-faults': 'unaligned accesses that the kernel mended',
  'emulation-faults': 'instructions that the kernel emulated',
  dummy: 'nothing; carries side-band records',
  'bpf-output': 'records that BPF programs write',
  'cgroup-switches': 'switches to a task of another control group',
};

/** A description of what the event counts, in a few words; empty for a name that is not generic. */
export function describeGenericEvent(name: string): string {
  return DESCRIPTIONS[name] ?? '';
}

const CACHES: readonly (readonly [start: string, words: string])[] = [
  ['L1-dcache', 'first-level data cache'],
  ['L1-icache', 'first-level instruction cache'],
  ['LLC', 'last-level cache'],
  ['dTLB', 'translations of data addresses'],
  ['iTLB', 'translations of instruction addresses'],
  ['branch', 'branch prediction'],
  ['node', "memory of the CPU's own node"],
];

const OPERATIONS = ['loads', 'stores', 'prefetches'];

/** `L1-dcache-load-misses` -> `first-level data cache: loads that missed`. */
export function describeCacheEvent(name: string): string {
  const [start, cache] = CACHES.find(([word]) => name.startsWith(`${word}-`)) ?? ['', ''];
  const rest = name.slice(start.length + 1);
  const operation = OPERATIONS.find((word) => rest.startsWith(word.slice(0, 4))) ?? rest;
  return `${cache}: ${operation}${rest.endsWith('-misses') ? ' that missed' : ''}`;
}
