import { describe, expect, it } from 'vitest';
import { CounterError } from '../../../src/counting/count/counter-error.ts';
import { CounterGroup } from '../../../src/counting/count/counter-group.ts';
import { openPerfmon, Perfmon } from '../../../src/counting/processor/perfmon.ts';
import { rawEventText } from '../../../src/counting/processor/raw-event-text.ts';
import { readKernelRate } from '../../../src/counting/processor/time-stamp-counter.ts';
import { eventSelectLayout } from '../../../src/kernel/events/event-select-layouts.ts';
import type { PmuDescription } from '../../../src/kernel/events/event-sources.ts';
import { freshPages, touch } from '../../helpers/fresh-pages.ts';
import { describeLive } from '../../helpers/live.ts';

/** Counters in memory: each counts 10 while enabled and read. */
function drawnPerfmon(count = 2) {
  const opened: string[] = [];
  const log: string[] = [];
  const open = (event: string) => {
    opened.push(event);
    let value = 0n;
    let timeNs = 0n;
    let isEnabled = false;
    const handle = {
      ids: BigUint64Array.of(7n),
      enable: () => {
        isEnabled = true;
      },
      disable: () => {
        isEnabled = false;
      },
      read(into: BigUint64Array) {
        if (isEnabled) {
          value += 10n;
          timeNs += 5n;
        }
        into.set([1n, timeNs, timeNs, value, 7n]);
        return 40;
      },
      close: () => log.push(`closed ${event}`),
    };
    return new CounterGroup(['counter'], handle, { hasLost: false });
  };
  const counters = new Perfmon({
    count,
    target: () => ({ pmu: null, vendor: 'intel' }),
    open,
    timeStamp: { error: new CounterError('ENOENT', 'no time stamp counter') },
    nominal: null,
  });
  return { counters, opened, log };
}

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('counters one by one, by the rules of perfmon(4)', () => {
  it('perfmon counters are numbered below their count', () => {
    const { counters } = drawnPerfmon(2);
    for (const number of [2, -1, 0.5]) {
      expect(() => counters.setup(number, { event: 0xc0 })).toThrow(RangeError);
      expect(() => counters.read(number)).toThrow(
        `counter: expected a whole number from 0 to 1, got ${number}`,
      );
    }
  });

  it('setup resets a perfmon counter, which stays stopped', () => {
    const { counters, log } = drawnPerfmon();
    counters.setup(0, { event: 0xc0 });
    counters.start(0);
    expect(counters.read(0).value).toBe(10n);
    counters.setup(0, { event: 0x3c });
    expect(log).toEqual(['closed rc0']);
    expect(counters.read(0)).toEqual({ value: 0n, scaled: false, runningShare: null });
  });

  it('reset refuses a running perfmon counter', () => {
    const { counters } = drawnPerfmon();
    counters.setup(1, { event: 0xc0 });
    counters.start(1);
    expect(() => counters.reset(1)).toThrow(code('ERR_RUNNING'));
    counters.stop(1);
    counters.reset(1);
    expect(counters.read(1).value).toBe(0n);
  });

  it('a stopped perfmon counter keeps its value and continues from it', () => {
    const { counters } = drawnPerfmon();
    counters.setup(0, { event: 0xc0 });
    counters.start(0);
    counters.read(0);
    counters.stop(0);
    expect(counters.read(0).value).toBe(10n);
    counters.start(0);
    expect(counters.read(0).value).toBe(20n);
  });

  it("perfmon get returns all fields of a counter's set-up", () => {
    const { counters } = drawnPerfmon();
    expect(counters.get(0)).toBeNull();
    counters.setup(0, { event: 0x2e, unitMask: 0x41, kernel: false });
    expect(counters.get(0)).toEqual({
      event: 0x2e,
      unitMask: 0x41,
      user: true,
      kernel: false,
      edge: false,
      invert: false,
      counterMask: 0,
    });
    counters.setup(0, 'page-faults');
    expect(counters.get(0)).toBe('page-faults');
  });

  it('perfmon counters take threshold, edge and invert', () => {
    const { counters, opened } = drawnPerfmon();
    counters.setup(0, { event: 0xc2, unitMask: 2, counterMask: 1, invert: true });
    counters.setup(0, { event: 0x9c, unitMask: 1, counterMask: 5, edge: true });
    expect(opened).toEqual(['r18002c2', 'r504019c']);
  });

  // A departure: perfmon's counters had to be stopped in the reverse of their order.
  it('perfmon counters start and stop in any order', () => {
    const { counters } = drawnPerfmon();
    counters.setup(0, { event: 0xc0 });
    counters.setup(1, { event: 0x3c });
    counters.start(1);
    counters.start(0);
    counters.stop(0);
    expect(counters.read(1).value).toBe(10n);
    counters.stop(1);
  });

  it('perfmon errors name what is missing: set-up, open object, time stamp counter', () => {
    const { counters, log } = drawnPerfmon();
    expect(() => counters.start(0)).toThrow(code('ERR_NOT_SET_UP'));
    expect(() => counters.timeStamp()).toThrow('no time stamp counter');
    counters.setup(0, { event: 0xc0 });
    counters.close();
    counters.close();
    expect(log).toEqual(['closed rc0']);
    expect(() => counters.read(0)).toThrow(code('ERR_CLOSED'));
  });

  it('a failed setup leaves the perfmon counter unchanged', () => {
    const { counters } = drawnPerfmon();
    counters.setup(0, { event: 0xc0 });
    expect(() => counters.setup(0, { event: 0x100 })).toThrow('event: 0x100 does not fit');
    expect(() => counters.setup(0, { event: 1, user: false, kernel: false })).toThrow(
      'such a counter counts nothing',
    );
    expect(counters.get(0)).toMatchObject({ event: 0xc0 });
    expect(() => openPerfmon({ counters: 0 })).toThrow('counters 0: expected');
  });
});

describe('a raw counter as an event', () => {
  it("a raw counter uses the PMU's own format", () => {
    const pmu = (name: string, formats: readonly [string, string][]): PmuDescription => ({
      name,
      type: 4,
      formats: new Map(formats),
      events: new Map(),
      cpumask: null,
      cpus: '0-3',
      caps: new Map(),
    });
    const arm = pmu('armv8_pmuv3_0', [
      ['event', 'config:0-15'],
      ['threshold', 'config1:5-16'],
      ['threshold_compare', 'config1:3-4'],
    ]);
    const spec = { event: 0x11, counterMask: 2, kernel: false };
    expect(rawEventText(spec, { pmu: arm, vendor: 'arm' })).toBe(
      'armv8_pmuv3_0/config=0x11,config1=0x50/u',
    );
    const amd = pmu('cpu', [...eventSelectLayout('amd').formats]);
    expect(rawEventText({ event: 0x1d0, user: false }, { pmu: amd, vendor: 'amd' })).toBe(
      'cpu/config=0x1000000d0/k',
    );
    expect(rawEventText({ event: 0x1d0 }, { pmu: null, vendor: 'amd' })).toBe('r1000000d0');
    expect(rawEventText({ event: 0xc0, kernel: false }, { pmu: null, vendor: 'intel' })).toBe(
      'rc0:u',
    );
  });
});

describe('the rate that the kernel found for the time stamp counter', () => {
  const cpuinfo = (flags: string) => `cpu MHz\t\t: 2596.130\nflags\t\t: fpu tsc ${flags}\n`;

  it('the TSC rate is that of /proc/cpuinfo, unless that is the current frequency', () => {
    expect(readKernelRate(cpuinfo('msr'))).toEqual({ hz: 2_596_130_000, where: '/proc/cpuinfo' });
    expect(readKernelRate(cpuinfo('aperfmperf msr'))).toBeNull();
    expect(readKernelRate('')).toBeNull();
  });
});

describeLive('counters on this machine', () => {
  it('perfmon counts the page faults of a piece of code', () => {
    const counters = openPerfmon();
    try {
      counters.setup(0, 'page-faults:u');
      counters.setup(1, 'page-faults:u');
      counters.start(0);
      counters.start(1);
      touch(freshPages(500));
      counters.stop(1);
      const { value } = counters.read(1);
      expect(Number(value)).toBeGreaterThanOrEqual(500);
      expect(counters.read(0).value).toBeGreaterThanOrEqual(value as bigint);
      expect(counters.read(1).value).toBe(value);
    } finally {
      counters.close();
    }
  });

  it('perfmon counts a raw event or names it in the error', () => {
    const counters = openPerfmon();
    try {
      counters.setup(0, { event: 0xc0, unitMask: 0, kernel: false });
      counters.start(0);
      expect(counters.read(0).value).toBeGreaterThan(0n);
    } catch (error) {
      expect(error).toBeInstanceOf(CounterError);
      expect((error as CounterError).code).toMatch(/^E(NOENT|OPNOTSUPP|INVAL)$/);
    } finally {
      counters.close();
    }
  });

  it.skipIf(process.arch !== 'x64')("perfmon's time stamp runs at the nominal rate", () => {
    const counters = openPerfmon();
    try {
      let stamp = counters.timeStamp();
      const first = stamp.value;
      for (let turns = 0; turns < 10_000; turns++) stamp = counters.timeStamp();
      expect(stamp.value > first).toBe(true);
      expect(stamp.measuredHz).toBeGreaterThan(1e8);
      const { nominal } = stamp;
      if (nominal !== null) expect((stamp.measuredHz ?? 0) / nominal.hz).toBeCloseTo(1, 1);
    } finally {
      counters.close();
    }
  });
});
