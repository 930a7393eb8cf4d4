import { describe, expect, it } from 'vitest';
import { coreTypeOfCpu, nameOnAllCores, planCoreJoin } from '../../src/profile/core-types.ts';
import type { CoreType, ProfileEvent } from '../../src/profile/types.ts';

const LAPTOP: readonly CoreType[] = [
  { name: 'cpu_core', cpus: [0, 1] },
  { name: 'cpu_atom', cpus: [2, 3] },
];

function event(name: string, other: Partial<ProfileEvent> = {}): ProfileEvent {
  const rate = { mode: 'frequency', frequencyHz: 4000, fixedPeriod: null } as const;
  return { name, type: 0, unit: 'events', ...rate, ...other };
}

/** Names of the events that are left, and per event the row that it goes to. */
function joined(
  events: readonly ProfileEvent[],
  coreTypes = LAPTOP,
  parts: readonly string[] | null = null,
): string | null {
  const join = planCoreJoin(events, coreTypes, parts);
  return join && `${join.events.map(({ name }) => name).join(' ')} | ${join.newRow.join(' ')}`;
}

describe('the name of an event without its kind of core', () => {
  it.each([
    ['cpu_core/cycles/', 'cycles'],
    ['cpu_atom/cycles/ppu', 'cycles:ppu'],
    ['cpu_core/L1-dcache-load-misses/P', 'L1-dcache-load-misses:P'],
    ['cpu_core/mem-loads,ldlat=60/P', 'mem-loads/ldlat=60/P'],
    ['cpu_core/cycles,period=1000/', 'cycles/period=1000/'],
    // Bits mean something else on each kind, and these PMUs are of none.
    ['cpu_core/event=0x3c/', 'cpu_core/event=0x3c/'],
    ['uncore_imc_0/cas_count_read/', 'uncore_imc_0/cas_count_read/'],
    ['cycles/period=1000/u', 'cycles/period=1000/u'],
    ['page-faults', 'page-faults'],
  ])('%s is shown as %s', (name, shown) => {
    expect(nameOnAllCores(name, LAPTOP)).toBe(shown);
  });
});

describe('events of several kinds of cores', () => {
  it('events of two kinds of cores become one, in the order of their first parts', () => {
    const names = ['cpu_core/cycles/P', 'page-faults', 'cpu_atom/cycles/P', 'cpu_core/branches/'];
    expect(joined(names.map((name) => event(name)))).toBe(
      'cycles:P page-faults cpu_core/branches/ | 0 1 0 2',
    );
  });

  it('events of two kinds stay apart where their rates differ, or what they count', () => {
    expect(joined([event('cpu_core/cycles/'), event('cpu_atom/cycles/u')])).toBeNull();
    const slow = event('cpu_atom/cycles/', { frequencyHz: 100 });
    expect(joined([event('cpu_core/cycles/'), slow])).toBeNull();
  });

  it('events that become one lose a period that only one of them has', () => {
    const rate = { mode: 'period', frequencyHz: null } as const;
    const join = planCoreJoin(
      [
        event('cpu_core/cycles/', { ...rate, fixedPeriod: 1000 }),
        event('cpu_atom/cycles/', { ...rate, fixedPeriod: null }),
      ],
      LAPTOP,
      null,
    );
    expect(join?.events[0].fixedPeriod).toBeNull();
  });

  it('events of core types are those that the recording names, where it names any', () => {
    const events = ['cpu_core/cycles/', 'page-faults', 'cpu_atom/cycles/', 'page-faults'];
    const rows = events.map((name) => event(name));
    expect(joined(rows, LAPTOP, events)).toBe('cycles page-faults | 0 1 0 1');
    expect(joined(rows, LAPTOP, [])).toBeNull();
  });

  it('events of core types are none on a machine with one kind', () => {
    const twice = [event('page-faults'), event('page-faults')];
    expect(joined(twice, [], null)).toBeNull();
    expect(joined(twice, LAPTOP.slice(0, 1), ['page-faults'])).toBeNull();
  });
});

it('a CPU has the kind whose list it is in, and above 1024 too', () => {
  const large = [
    { name: 'armv8_cortex_a720', cpus: Array.from({ length: 1100 }, (_, cpu) => cpu) },
    { name: 'armv8_cortex_a520', cpus: [1100] },
  ];
  const typeOf = coreTypeOfCpu(large);
  expect([0, 1099, 1100, 1101, -1].map(typeOf)).toEqual([0, 0, 1, -1, -1]);
});
