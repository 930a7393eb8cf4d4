import { describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { CACHE_EVENTS } from '../../../src/kernel/events/cache-events.ts';
import { type EventListSection, listEvents } from '../../../src/kernel/events/event-list.ts';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { HARDWARE_EVENTS, SOFTWARE_EVENTS } from '../../../src/kernel/events/generic-events.ts';
import {
  describeCacheEvent,
  describeGenericEvent,
} from '../../../src/kernel/events/list-candidates.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { fakeLibpfm } from './fake-libpfm.ts';
import {
  AMD,
  ARM,
  BIG_LITTLE,
  fakeSources,
  HYBRID,
  INTEL,
  NO_PMU,
  POWER,
} from './fake-machines.ts';

const HARDWARE_AND_SOFTWARE = [...HARDWARE_EVENTS, ...SOFTWARE_EVENTS].map(({ name }) => name);

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
    ['SCHED:*switch', ['tracepoint: sched:sched_switch']],
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

it('a list without a filter lists everything that can be named, section by section', () => {
  const counts = listEvents(INTEL).map(({ kind, events }) => [kind, events.length]);
  // Caches with loads, stores and prefetches have 6 events, L1-icache 4, iTLB and branch 2.
  expect(counts).toEqual([
    ['hardware', 10],
    ['software', 12],
    ['cache', 4 * 6 + 4 + 2 + 2],
    ['pmu', 4],
    ['tracepoint', 6],
    ['libpfm', 0],
  ]);
});

it.each(Object.entries({ INTEL, AMD, ARM, BIG_LITTLE, HYBRID, NO_PMU, POWER }))(
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

it('an event that needs terms is listed with them, not probed', () => {
  const probe = (): string => {
    throw new Error('probed');
  };
  const [section] = listEvents(POWER, { filter: 'pmu', probe });
  expect(section?.events).toEqual([
    {
      name: 'hv_24x7/CPM_CYC/',
      aliases: [],
      description: 'domain=0x2,offset=0x98,core=?',
      encoding: null,
      needs: ['core=…'],
      errorCode: null,
      isTried: false,
      alsoNamed: [],
      problem: null,
    },
  ]);
});

it("list reports the probe's result; an event of two core types opens if one does", () => {
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

it('unreadable tracepoints leave the other sections of the list', () => {
  const failing = (): never => {
    throw new FailedError("tracepoints can't be used: no permission");
  };
  const sources: EventSources = {
    pmus: [],
    tracepoints: { isReadable: () => false, id: failing, systems: failing, events: failing },
  };
  const sections = listEvents(sources);
  expect(sections.slice(0, 5).map(({ problem }) => problem)).toEqual([
    null,
    null,
    null,
    null,
    "tracepoints can't be used: no permission",
  ]);
  expect(sections.at(0)?.events).toHaveLength(10);
  const unfound = listEvents(sources, { filter: 'sched' });
  expect(unfound.map(({ kind, problem }) => [kind, problem])).toEqual([
    ['tracepoint', "tracepoints can't be used: no permission"],
    ['asked', "unknown event 'sched'"],
  ]);
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
  const tracepoints = sections.find(({ kind }) => kind === 'tracepoint');
  expect(tracepoints?.events.map(({ name, errorCode }) => [name, errorCode])).toEqual([
    ['sched:sched_process_fork', ''],
    ['sched:sched_switch', 'EACCES'],
    ['sched:sched_wakeup', ''],
  ]);
});

describe('many tracepoints', () => {
  const NAMES = Array.from({ length: 50 }, (_, i) => [`wake_${String(i).padStart(2, '0')}`, i]);
  const manySources: EventSources = fakeSources(
    {},
    {
      ftrace: { function: 1 },
      sched: Object.fromEntries(NAMES),
      syscalls: { sys_enter_read: 702, sys_exit_read: 701 },
    },
  );

  it('many tracepoints are probed by one of each kind, and by id', () => {
    const asked: string[] = [];
    const probe = ({ name }: { name: string }): string => {
      asked.push(name);
      return name.startsWith('sched:') ? 'EACCES' : '';
    };
    const [section] = listEvents(manySources, { filter: 'tracepoint', probe });
    expect(asked).toEqual(['ftrace:function', 'sched:wake_00', 'syscalls:sys_enter_read']);
    const drawn = section?.events.map(
      ({ name, errorCode, isTried, encoding }) =>
        `${name} ${errorCode || 'opens'} ${isTried} ${encoding?.type}:${encoding?.config}`,
    );
    expect(drawn?.slice(0, 3)).toEqual([
      'ftrace:function opens true 2:1',
      'sched:wake_00 EACCES true 2:0',
      'sched:wake_01 EACCES false 2:1',
    ]);
    expect(drawn?.slice(-2)).toEqual([
      'syscalls:sys_enter_read opens true 2:702',
      'syscalls:sys_exit_read opens false 2:701',
    ]);
  });

  it('few tracepoints, or --try-each, are probed one by one', () => {
    let asked = 0;
    const probe = (): string => {
      asked++;
      return '';
    };
    listEvents(manySources, { filter: 'sched:wake_1?', probe });
    // Ten of them, all of one kind.
    expect(asked).toBe(1);
    const few = listEvents(manySources, { filter: 'sched:wake_1[0-5]', probe });
    expect(asked).toBe(1 + 6);
    expect(few.flatMap(({ events }) => events).every(({ isTried }) => isTried)).toBe(true);
    listEvents(manySources, { filter: 'tracepoint', probe, tryEach: true });
    expect(asked).toBe(1 + 6 + 53);
  });

  it('tracepoints that are gone or unreadable are listed as such', () => {
    const sources: EventSources = {
      ...manySources,
      tracepoints: {
        ...manySources.tracepoints,
        id(system, event) {
          if (event === 'wake_07') throw new FailedError('no permission to read its id');
          return event === 'wake_09' ? null : manySources.tracepoints.id(system, event);
        },
      },
    };
    const [section] = listEvents(sources, { filter: 'tracepoint', probe: () => '' });
    const event = (name: string) => section?.events.find((each) => each.name === name);
    expect(event('sched:wake_07')).toMatchObject({ errorCode: 'EACCES', isTried: true });
    expect(event('sched:wake_09')).toMatchObject({
      errorCode: null,
      problem: 'it has gone meanwhile',
    });
  });
});

describe('names of libpfm', () => {
  const sources: EventSources = {
    ...INTEL,
    libpfm: fakeLibpfm({
      'skl::INST_RETIRED:ANY_P': { config: 0x3cn },
      'skl::INST_RETIRED:PREC_DIST': { config: 0x1c0n },
      'skl::MEM_LOAD_RETIRED:L1_HIT': { config: 0x1d1n },
      'skl::MEM_LOAD_RETIRED:L3_MISS': -5,
    }),
  };

  it("libpfm's names are listed with unit masks, descriptions and aliases", () => {
    const sections = listEvents(sources, { probe: () => 'ENOENT' });
    const drawn = sections
      .find(({ kind }) => kind === 'libpfm')
      ?.events.map(({ name, errorCode, problem, alsoNamed }) =>
        [name, problem ?? errorCode, ...alsoNamed].join(' '),
      );
    expect(drawn).toEqual([
      'pfm::skl::INST_RETIRED:ANY_P ENOENT cpu/cpu-cycles/',
      'pfm::skl::INST_RETIRED:PREC_DIST ENOENT',
      'pfm::skl::MEM_LOAD_RETIRED:L1_HIT ENOENT',
      "pfm::skl::MEM_LOAD_RETIRED:L3_MISS MEM_LOAD_RETIRED: libpfm reports 'error -5'",
    ]);
    const descriptions = sections.at(-1)?.events.map(({ description }) => description);
    expect(descriptions?.slice(0, 2)).toEqual([
      'Number of instructions at retirement: ANY_P in words (default)',
      'Number of instructions at retirement: PREC_DIST in words (can be precise)',
    ]);
  });

  it("libpfm's names are found by glob; a missing library is noted", () => {
    expect(draw(listEvents(sources, { filter: 'pfm::*:L1_HIT' }))).toEqual([
      'libpfm: pfm::skl::MEM_LOAD_RETIRED:L1_HIT',
    ]);
    const without = { ...INTEL, libpfm: { ...fakeLibpfm(), problem: 'no file', models: () => [] } };
    expect(listEvents(without).at(-1)).toMatchObject({
      kind: 'libpfm',
      events: [],
      problem: 'none: no file; as root: apt-get install libpfm4',
    });
  });
});

describe('a text that names no listed event', () => {
  it('a text that names no listed event is probed as an event', () => {
    const asked: string[] = [];
    const sections = listEvents(INTEL, {
      filter: 'cycles:pp',
      probe: ({ name, preciseIp }) => {
        asked.push(`${name} ${preciseIp}`);
        return 'EOPNOTSUPP';
      },
    });
    expect(asked).toEqual(['cycles:pp 2']);
    expect(sections.map(({ kind, events }) => [kind, events[0]?.errorCode])).toEqual([
      ['asked', 'EOPNOTSUPP'],
    ]);
  });

  it('a precise event that does not open is explained', () => {
    const [asked] = listEvents(AMD, { filter: 'r076:ppp', probe: () => 'EOPNOTSUPP' });
    expect(asked?.problem).toMatch(/AMD samples precisely with IBS: cycles, r076 and r0c1/);
    const [opens] = listEvents(AMD, { filter: 'r076:pp', probe: () => '' });
    expect(opens?.problem).toBeNull();
  });

  it('a text that is not an event is reported with the nearest names', () => {
    expect(listEvents(INTEL, { filter: 'cycels' })).toEqual([
      {
        kind: 'asked',
        title: 'As asked',
        source: null,
        events: [],
        problem: "unknown event 'cycels'; did you mean cycles?",
      },
    ]);
  });
});

it.each(HARDWARE_AND_SOFTWARE)('%s has a description', (name) => {
  expect(describeGenericEvent(name)).not.toBe('');
});

it('cache events are described by cache, operation and result', () => {
  expect(CACHE_EVENTS.map(({ name }) => describeCacheEvent(name)).slice(0, 8)).toEqual([
    'first-level data cache: loads',
    'first-level data cache: loads that missed',
    'first-level data cache: stores',
    'first-level data cache: stores that missed',
    'first-level data cache: prefetches',
    'first-level data cache: prefetches that missed',
    'first-level instruction cache: loads',
    'first-level instruction cache: loads that missed',
  ]);
});

it('a PMU with a format and no events is one event, whose terms are its options', () => {
  expect(listEvents(AMD, { filter: 'ibs_op//' }).flatMap(({ events }) => events)).toMatchObject([
    { name: 'ibs_op//', description: 'terms: cnt_ctl (config:19), l3missonly (config:16)' },
  ]);
});
