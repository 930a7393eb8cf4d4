import { expect, test } from 'vitest';
import { findDistantPairs } from '../../src/period/uncertainty/distant-pairs.ts';

const countedAt = (intervals: readonly number[]): Float64Array => {
  let sum = 0;
  return Float64Array.from(intervals, (events) => {
    sum += events;
    return sum;
  });
};

test('pairs have about as many events between them as asked, on both sides of the place', () => {
  const intervals = [...Array(100).fill(10), 200, ...Array(100).fill(10)];
  const counted = countedAt(intervals);
  const pairs = findDistantPairs(counted, counted.length, 100, 200);
  expect(pairs.some(([, to]) => to < 100)).toBe(true);
  expect(pairs.some(([from]) => from >= 100)).toBe(true);
  for (const [from, to] of pairs) {
    const between = counted[to] - counted[from];
    expect(between).toBeGreaterThanOrEqual(200 / 1.6);
    expect(between).toBeLessThanOrEqual(200 * 1.6);
  }
});

test('a stream that is too short has no pairs', () => {
  const counted = countedAt([1, 2, 3, 50, 3, 2]);
  expect(findDistantPairs(counted, counted.length, 3, 500)).toEqual([]);
});
