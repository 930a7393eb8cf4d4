import { describe, expect, it } from 'vitest';
import { FailedError } from '../../src/base/errors.ts';
import { type EventListSection, listEvents } from '../../src/events/event-list.ts';
import type { EventSources } from '../../src/events/event-sources.ts';
import { parseEvents } from '../../src/events/parse-events.ts';
import { AMD, ARM, HYBRID, INTEL, NO_PMU, POWER } from './fake-machines.ts';

/** `kind: names` of the sections that have any. */
function draw(sections: readonly EventListSection[]): string[] {
  return sections
    .filter(({ events }) => events.length > 0)
    .map(({ kind, events }) => `${kind}: ${events.map(({ name }) => name).join(' ')}`);
}

describe('filters', () => {
  it.each([
    ['sched:*', ['tracepoint: sched:sched_process_fork sched:sched_switch sched:sched_wakeup']],
    ['switch', ['software: context-switches cgroup-switches', 'tracepoint: sched:sched_switch']],
    [
      'faults',
      ['software: page-faults minor-faults major-faults alignment-faults emulation-faults'],
    ],
    ['f?ults', ['software: page-faults']],
    [
      'pmu',
      [
        'pmu: cpu/cpu-cycles/ cpu/mem-loads/ uncore_imc_0/cas_count_read/ uncore_imc_1/cas_count_read/',
      ],
    ],
    ['cpu/*', ['pmu: cpu/cpu-cycles/ cpu/mem-loads/']],
    [
      'node',
      [
        'cache: node-loads node-load-misses node-stores node-store-misses node-prefetches node-prefetch-misses',
      ],
    ],
    [
      'hw',
      [
        'hardware: cycles instructions cache-references cache-misses branches branch-misses bus-cycles stalled-cycles-frontend stalled-cycles-backend ref-cycles',
      ],
    ],
    ['nothing-like-this', []],
  ])('%s', (filter, expected) => {
    expect(draw(listEvents(INTEL, { filter }))).toEqual(expected);
  });
});

it('lists everything that can be named, section by section', () => {
  const counts = listEvents(INTEL).map(({ kind, events }) => [kind, events.length]);
  // Caches with loads, stores and prefetches have 6 events, L1-icache 4, iTLB and branch 2.
  expect(counts).toEqual([
    ['hardware', 10],
    ['software', 12],
    ['cache', 4 * 6 + 4 + 2 + 2],
    ['pmu', 4],
    ['tracepoint', 6],
  ]);
});

it.each(Object.entries({ INTEL, AMD, ARM, HYBRID, NO_PMU, POWER }))(
  'everything listed for %s parses, unless it needs more',
  (_, sources) => {
    const complete = listEvents(sources)
      .flatMap(({ events }) => events)
      .filter(({ needs }) => needs.length === 0);
    for (const { name, aliases } of complete) {
      for (const text of [name, ...aliases]) {
        expect(parseEvents(text, sources), text).not.toEqual([]);
      }
    }
  },
);

it('says which terms an event needs, and does not probe it', () => {
  const probe = (): string => {
    throw new Error('probed');
  };
  const [section] = listEvents(POWER, { filter: 'pmu', probe });
  expect(section?.events).toEqual([
    { name: 'hv_24x7/CPM_CYC/', aliases: [], needs: ['core=…'], errorCode: null },
  ]);
});

it('tells what the probe said; an event of two kinds of cores opens if one does', () => {
  const probe = (onlyCpuType: bigint) =>
    listEvents(HYBRID, {
      filter: 'cycles',
      probe: ({ config }) => (config >> 32n === onlyCpuType ? '' : 'ENOENT'),
    })
      .find(({ kind }) => kind === 'hardware')
      ?.events.map(({ name, errorCode }) => `${name} ${errorCode || 'opens'}`);
  expect(probe(10n)).toContain('cycles opens');
  expect(probe(99n)).toContain('cycles ENOENT');
});

it('keeps the other sections where tracepoints can not be read', () => {
  const failing = (): never => {
    throw new FailedError("tracepoints can't be used: no permission");
  };
  const sources: EventSources = {
    pmus: [],
    tracepoints: { isReadable: () => false, id: failing, systems: failing, events: failing },
  };
  const sections = listEvents(sources);
  expect(sections.map(({ problem }) => problem)).toEqual([
    null,
    null,
    null,
    null,
    "tracepoints can't be used: no permission",
  ]);
  expect(sections.at(0)?.events).toHaveLength(10);
});

it('an event whose id may not be read is listed as refused, and the others are probed', () => {
  const sources: EventSources = {
    ...NO_PMU,
    tracepoints: {
      ...NO_PMU.tracepoints,
      id(system, event) {
        if (event === 'sched_switch') throw new FailedError('no permission to read its id');
        return NO_PMU.tracepoints.id(system, event);
      },
    },
  };
  const sections = listEvents(sources, { filter: 'sched:*', probe: () => '' });
  expect(sections.at(-1)?.events.map(({ name, errorCode }) => [name, errorCode])).toEqual([
    ['sched:sched_process_fork', ''],
    ['sched:sched_switch', 'EACCES'],
    ['sched:sched_wakeup', ''],
  ]);
});
