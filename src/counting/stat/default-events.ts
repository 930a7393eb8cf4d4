import { type EventSources, isCorePmu } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';

/** Shown where the CPU has them; asked of every CPU, so without a word where it has not. */
const STALLS = ['stalled-cycles-frontend', 'stalled-cycles-backend'] as const;

/**
 * perf stat's default events. What is divided by each other is in one group, so that both were
 * counted in the same time; where a PMU has too few counters the group is broken up, and the ratio
 * is unknown rather than wrong.
 */
const HARDWARE = `{cycles,instructions,branches,branch-misses}:W`;

/**
 * `-d`, `-dd`, `-ddd`: the caches, each with the instructions that misses are told per thousand of.
 */
const DETAILS: readonly (readonly string[])[] = [
  [
    '{instructions,L1-dcache-loads,L1-dcache-load-misses}:W',
    '{instructions,LLC-loads,LLC-load-misses}:W',
  ],
  [
    '{instructions,L1-icache-loads,L1-icache-load-misses}:W',
    '{instructions,dTLB-loads,dTLB-load-misses}:W',
    '{instructions,iTLB-loads,iTLB-load-misses}:W',
  ],
  ['{instructions,L1-dcache-prefetches,L1-dcache-prefetch-misses}:W'],
];

/** The events that are counted if none are named. */
export function defaultEvents(
  { systemWide, detail, opens }: DefaultsContext,
  sources: EventSources,
): EventSpec[] {
  const stalls = STALLS.filter((name) => parseEvents(name, sources).every(opens));
  const hardware = HARDWARE.replace('}', ['', ...stalls].join(',').concat('}'));
  return parseEvents(
    [
      systemWide ? 'cpu-clock' : 'task-clock',
      'context-switches',
      'cpu-migrations',
      'page-faults',
      hardware,
      ...DETAILS.slice(0, detail).flat(),
    ],
    sources,
  );
}

export type DefaultsContext = {
  /** All tasks of CPUs are counted, and not some threads wherever they run. */
  readonly systemWide: boolean;
  /** How many of the details join in. */
  readonly detail: number;
  /** Whether the kernel opens an event by itself. */
  readonly opens: (spec: EventSpec) => boolean;
};

/** Groups of events for top-down level 1, the first that the core's PMU has; null without any. */
export function topdownEvents(sources: EventSources): EventSpec[] | null {
  const texts = sources.pmus.filter(isTopdownPmu).flatMap((pmu) => {
    const found = TOPDOWN.find((events) => events.every((event) => pmu.events.has(event)));
    return found === undefined
      ? []
      : [`{${found.map((event) => `${pmu.name}/${event}/`).join(',')}}`];
  });
  return texts.length === 0 ? null : parseEvents(texts, sources);
}

/** The three ways of `counting/count/metrics-topdown.ts`. `slots` has to lead its group. */
const TOPDOWN: readonly (readonly string[])[] = [
  ['slots', 'topdown-retiring', 'topdown-bad-spec', 'topdown-fe-bound', 'topdown-be-bound'],
  [
    'topdown-total-slots',
    'topdown-slots-issued',
    'topdown-slots-retired',
    'topdown-fetch-bubbles',
    'topdown-recovery-bubbles',
  ],
  ['cpu_cycles', 'stall_slot_frontend', 'stall_slot_backend', 'op_retired', 'op_spec'],
];

type Pmu = EventSources['pmus'][number];

function isTopdownPmu(pmu: Pmu): boolean {
  return isCorePmu(pmu) || pmu.name.startsWith('armv');
}

/** arm64: micro-operations that may issue in a cycle (`caps/slots`, PMMIR_EL1.SLOTS). */
export function slotsPerCycle(sources: EventSources): number | null {
  for (const { caps } of sources.pmus) {
    const slots = Number(caps.get('slots') ?? 0);
    if (slots > 0) return slots;
  }
  return null;
}
