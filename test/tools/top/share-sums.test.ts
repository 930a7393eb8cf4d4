import { describe, expect, test } from 'vitest';
import {
  ShareSums,
  type SumRow,
  type TableSums,
  WindowSums,
} from '../../../src/tools/top/share-sums.ts';

/** A slice in which each sample weighs `weight`. */
function slice(samples: Readonly<Record<string, number>>, weight = 1): TableSums {
  const rows = Object.entries(samples).map(
    ([name, count]): SumRow => ({
      names: [name],
      self: count * weight,
      total: count * weight,
      samples: count,
      squares: count * weight * weight,
    }),
  );
  const all = rows.reduce((sum, row) => sum + row.samples, 0);
  return { weight: all * weight, samples: all, squares: all * weight * weight, rows };
}

describe('sums of slices', () => {
  test('rows of one name are one row, heaviest first', () => {
    const sums = new ShareSums();
    sums.add(slice({ parse: 1, render: 2 }));
    sums.add(slice({ parse: 5, gc: 2 }));
    const { rows, samples } = sums.table();
    expect(samples).toBe(10);
    expect(rows.map(({ names, self }) => [names[0], self])).toEqual([
      ['parse', 6],
      ['render', 2],
      ['gc', 2],
    ]);
    expect(rows[0]?.selfShare).toBe(0.6);
  });

  test('later slices do not change the sums of an earlier one', () => {
    const first = slice({ parse: 1 });
    const sums = new ShareSums();
    sums.add(first);
    sums.add(slice({ parse: 5 }));
    expect(first.rows[0]?.self).toBe(1);
  });

  test('an interval of equal weights is that of a drawn share', () => {
    const sums = new ShareSums();
    sums.add(slice({ parse: 400, rest: 600 }, 250_000));
    // Wilson, 400 of 1000: https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval
    const { low, high } = sums.table().rows[1].selfInterval!;
    expect(low).toBeCloseTo(0.3701, 3);
    expect(high).toBeCloseTo(0.4307, 3);
  });

  test('a few heavy samples widen the interval', () => {
    const even = new ShareSums();
    even.add(slice({ parse: 500, rest: 500 }));
    const uneven = new ShareSums();
    uneven.add(slice({ parse: 500, rest: 400 }));
    uneven.add(slice({ rest: 1 }, 100));
    const widthOf = (sums: ShareSums): number => {
      const { low, high } = sums.table().rows.find(({ names }) => names[0] === 'parse')!
        .selfInterval!;
      return high - low;
    };
    expect(widthOf(uneven)).toBeGreaterThan(2 * widthOf(even));
  });

  test('a row is absent without a sample', () => {
    expect(new ShareSums().table()).toEqual({
      samples: 0,
      weight: 0,
      effectiveSamples: 0,
      rows: [],
    });
  });

  test('names are bounded, and the heavy ones stay', () => {
    const sums = new ShareSums();
    sums.add(slice({ hot: 1_000_000 }));
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`f${i}`, 1]));
    const others = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`g${i}`, 1]));
    sums.add(slice(many));
    sums.add(slice(others));
    const { rows, samples } = sums.table();
    expect(rows.length).toBeLessThanOrEqual(100_000);
    expect(rows[0]?.names).toEqual(['hot']);
    expect(samples).toBe(1_120_000);
  });
});

describe('a window', () => {
  test('a window forgets what is older than it is long', () => {
    const sums = new WindowSums(10_000);
    sums.add(slice({ old: 7 }), 1000);
    sums.add(slice({ young: 3 }), 6000);
    expect(sums.table().samples).toBe(10);
    sums.add(slice({ young: 1 }), 11_000);
    expect(sums.table().rows.map(({ names, self }) => [names[0], self])).toEqual([['young', 4]]);
  });

  test('a window has as many slices as fit, though none comes just in time', () => {
    const sums = new WindowSums(3000);
    for (const ms of [1000, 2003, 2998, 4001, 5000, 6002]) sums.add(slice({ parse: 10 }), ms);
    expect(sums.table().samples).toBe(30);
    expect(sums.samples).toBe(30);
  });

  test('a window shows the last slice, however old it is', () => {
    const sums = new WindowSums(1000);
    sums.add(slice({ old: 7 }), 1000);
    sums.add(slice({ young: 3 }), 60_000);
    expect(sums.table().rows.map(({ names }) => names[0])).toEqual(['young']);
  });
});
