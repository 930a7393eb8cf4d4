import { expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatKnownShare,
  formatNanos,
  formatPoints,
  formatShare,
  formatShareInterval,
  formatShort,
} from '../../src/base/numbers.ts';

test.each([
  [0, '0.00%'],
  [0.00001, '0.00%'],
  [0.00123, '0.12%'],
  [0.5, '50.00%'],
  [1, '100.00%'],
])('a share of %d is %j', (share, text) => {
  expect(formatShare(share)).toBe(text);
});

test('an interval is two shares with a decimal more than the share has, and nothing where it is not known', () => {
  expect(formatShareInterval({ low: 0.121, high: 0.1452 })).toBe('12.1–14.5%');
  expect(formatShareInterval({ low: 0.121, high: 0.1242 })).toBe('12.10–12.42%');
  expect(formatShareInterval({ low: 0.12101, high: 0.12104 })).toBe('12.10–12.10%');
  expect(formatShareInterval(undefined)).toBe('');
});

test('a share has the decimals that its interval leaves known', () => {
  const around = (half: number) =>
    formatKnownShare(0.1234, { low: 0.1234 - half, high: 0.1234 + half });
  expect([0.02, 0.006, 0.004, 0.0006, 0.0004].map(around)).toEqual([
    '12%',
    '12%',
    '12.3%',
    '12.3%',
    '12.34%',
  ]);
  expect(formatKnownShare(0.1234, undefined)).toBe('12.34%');
});

test('a difference of shares has a sign', () => {
  expect([0.0123, -0.5, 0].map(formatPoints)).toEqual(['+1.23', '-50.00', '0.00']);
});

test('counts are whole numbers in groups of three digits', () => {
  expect([999, 1234567, 1234.5678, -1234, 1e21].map(formatCount)).toEqual([
    '999',
    '1 234 567',
    '1 235',
    '-1 234',
    '1 000 000 000 000 000 000 000',
  ]);
});

test('durations and sizes name their unit', () => {
  expect([890, 1500, 2.5e6, 1.2345e9].map(formatNanos)).toEqual([
    '890 ns',
    '1.5 µs',
    '2.5 ms',
    '1.23 s',
  ]);
  expect([512, 3200, 14.7e6].map(formatBytes)).toEqual(['512 B', '3.2 kB', '14.7 MB']);
});

test('a short number keeps the digits asked for', () => {
  const numbers = [0, 0.123, 879, 1234, 57_300, 1e6];
  expect(numbers.map((value) => formatShort(value))).toEqual([
    '0',
    '0.12',
    '879',
    '1.2k',
    '57k',
    '1M',
  ]);
  expect(numbers.map((value) => formatShort(value, 3))).toEqual([
    '0',
    '0.123',
    '879',
    '1.23k',
    '57.3k',
    '1M',
  ]);
});
