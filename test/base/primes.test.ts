import { describe, expect, test } from 'vitest';
import { primeFrom, primeUpTo } from '../../src/base/primes.ts';

const GREATEST = 2 ** 32 - 5;

describe('primes', () => {
  test.each([
    [-1, 2, 2],
    [2, 2, 2],
    [8, 11, 7],
    [8.5, 11, 7],
    [13, 13, 13],
    [1e6, 1_000_003, 999_983],
  ])('the primes nearest to %d are %d and %d', (value, above, below) => {
    expect([primeFrom(value), primeUpTo(value)]).toEqual([above, below]);
  });

  test.each([GREATEST, 2 ** 32, 2 ** 53, 2 ** 64, Number.MAX_VALUE, Infinity])(
    '%d, which a file may name, is answered by the greatest one',
    (value) => {
      expect([primeFrom(value), primeUpTo(value)]).toEqual([GREATEST, GREATEST]);
    },
  );

  test('no number has the least prime', () => {
    expect([primeFrom(Number.NaN), primeUpTo(Number.NaN)]).toEqual([2, 2]);
  });
});
