import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { computeSpread, median } from '../../src/period/distribution.ts';
import { slidingMedians } from '../../src/period/report/sliding-median.ts';

test('each window has the median that sorting it gives', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(Infinity));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), (values) => {
      const expected: number[] = [];
      for (let k = 0; k + 8 <= values.length; k++) {
        const sorted = values.slice(k, k + 8).sort((a, b) => a - b);
        expected.push((sorted[3] + sorted[4]) / 2);
      }
      expect([...finish(slidingMedians(Float64Array.from(values), 8))]).toEqual(expected);
    }),
  );
});

test('the spread of 1 … 101', () => {
  const values = Float64Array.from({ length: 101 }, (_, i) => 101 - i);
  const { median: middle, mean, p05, p95, cv } = finish(computeSpread(values));
  expect({ middle, mean, p05, p95 }).toEqual({ middle: 51, mean: 51, p05: 6, p95: 96 });
  // Standard deviation of 101 equally spaced values: √((101² − 1) / 12).
  expect(cv).toBeCloseTo(Math.sqrt((101 ** 2 - 1) / 12) / 51, 12);
});

test('quantiles between two values are in proportion, as sorting gives them', () => {
  const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(values, (drawn) => {
      const sorted = Float64Array.from(drawn).sort();
      const quantile = (share: number) => {
        const position = share * (sorted.length - 1);
        const below = sorted[Math.floor(position)];
        return below + (sorted[Math.ceil(position)] - below) * (position % 1);
      };
      const { median: middle, p05, p95 } = finish(computeSpread(Float64Array.from(drawn)));
      expect(middle).toBeCloseTo(quantile(0.5), 9);
      expect(p05).toBeCloseTo(quantile(0.05), 9);
      expect(p95).toBeCloseTo(quantile(0.95), 9);
    }),
  );
});

test('the median is what sorting gives, ties and infinities included', () => {
  const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
      const sorted = Float64Array.from(values).sort();
      const lower = sorted[(sorted.length - 1) >> 1];
      const upper = sorted[sorted.length >> 1];
      const expected = sorted.length % 2 === 1 ? upper : (lower + upper) / 2;
      // −0 and 0 are one value.
      expect(median(values) + 0).toEqual(expected + 0);
    }),
  );
});

test('the median of an even number of values is the mean of the middle two', () => {
  expect(median([9, 1, 4, 2])).toBe(3);
});

test('a median or spread of nothing is a mistake of the caller', () => {
  expect(() => median([])).toThrow(RangeError);
  expect(() => finish(computeSpread(new Float64Array(0)))).toThrow(RangeError);
});
