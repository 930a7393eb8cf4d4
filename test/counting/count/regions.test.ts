import { expect, test } from 'vitest';
import { type RegionReport, Regions } from '../../../src/counting/count/regions.ts';
import { drawnGroup } from './drawn-counters.ts';

/** `name calls total/self`, indented by depth. */
function drawn(reports: readonly RegionReport<'faults'>[], depth = 0): string[] {
  return reports.flatMap(({ name, calls, total, self, inside }) => [
    `${'  '.repeat(depth)}${name} ${calls} ${total.counts.faults}/${self === null ? '?' : self.faults}`,
    ...drawn(inside, depth + 1),
  ]);
}

test('regions nest by being handed on, and calls of one name add up', () => {
  const { group, counters } = drawnGroup(['faults']);
  const fault = (times: number) => counters.happen({ values: [times], enabledNs: 10 });
  const regions = new Regions(group);
  for (const size of [100, 50]) {
    const length = regions.measure('load', (load) => {
      fault(20);
      return load.measure('parse', (parse) => {
        parse.measure('scan', () => fault(size));
        fault(1);
        return size;
      });
    });
    expect(length).toBe(size);
    fault(9);
  }
  regions.measure('parse', () => fault(7));
  expect(drawn(regions.report())).toEqual([
    'load 2 192/40',
    '  parse 2 152/2',
    '    scan 2 150/150',
    'parse 1 7/7',
  ]);
});

test('a multiplexed region is scaled by its own times, over all calls', () => {
  const { group, counters } = drawnGroup(['faults']);
  const regions = new Regions(group);
  regions.measure('a', () => counters.happen({ values: [10], enabledNs: 10, runningNs: 10 }));
  regions.measure('a', () => counters.happen({ values: [0], enabledNs: 10, runningNs: 0 }));
  const [report] = regions.report();
  expect(report?.total.counts.faults).toBe(20n);
  expect(report?.total.scaled).toBe(true);
  expect(report?.total.runningShare).toBe(0.5);
});

test('async regions are marked shared and have no self count', async () => {
  const { group, counters } = drawnGroup(['faults']);
  const regions = new Regions(group);
  const value = await regions.measure('request', async (request) => {
    const parts = ['a', 'b'].map((name) =>
      request.measure(name, async () => {
        await Promise.resolve();
        counters.happen({ values: [5], enabledNs: 10 });
        return name;
      }),
    );
    return (await Promise.all(parts)).join('');
  });
  expect(value).toBe('ab');
  const [report] = regions.report();
  expect(report?.shared).toBe(true);
  expect(report?.self).toBeNull();
  expect(report?.total.counts.faults).toBe(10n);
  expect(report?.inside.map(({ name, calls }) => [name, calls])).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

test('a call that throws is left out', () => {
  const { group, counters } = drawnGroup(['faults']);
  const regions = new Regions(group);
  const fail = () => {
    counters.happen({ values: [5], enabledNs: 10 });
    throw new Error('oops');
  };
  expect(() => regions.measure('a', fail)).toThrow('oops');
  regions.measure('a', () => counters.happen({ values: [1], enabledNs: 10 }));
  expect(drawn(regions.report())).toEqual(['a 1 1/1']);
});
