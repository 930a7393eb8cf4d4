import { expect, test } from 'vitest';
import { libraryWords } from '../../src/base/words.ts';
import {
  bytes,
  duration,
  type Kind,
  limit,
  Misfit,
  orWhenAsked,
  pages,
  percent,
  positive,
  rate,
  share,
  switchWhen,
  taskIds,
  whole,
} from '../../src/options/kinds.ts';

test.each<[string, Kind<unknown>, string, unknown]>([
  ['a duration', duration('s'), '10', 10_000],
  ['a duration', duration('ms'), '10', 10],
  ['a duration', duration('ms'), '1.5s', 1500],
  ['a duration', duration('s'), '250ms', 250],
  ['a duration', duration('s'), '2m', 120_000],
  ['a duration', duration('s'), '.3', 300],
  ['a duration', duration('s'), '2.', 2000],
  ['a delay', orWhenAsked(duration('ms')), '-1', -1],
  ['a rate', rate, '30k', 30_000],
  ['a rate', rate, 'max', 'max'],
  ['a size', bytes, '10M', 10 * 2 ** 20],
  ['a size', bytes, '123', 123],
  ['a limit', limit, 'none', Number.POSITIVE_INFINITY],
  ['pages', pages, '64', 64],
  ['pages', pages, '512K', { bytes: 2 ** 19 }],
  ['a share', share, '1%', 0.01],
  ['a percentage', percent, '2.5', 0.025],
  ['a number', positive, '0.25', 0.25],
  ['ids', taskIds, '1,22', [1, 22]],
  ['a file switch', switchWhen, '10s', { ms: 10_000 }],
  ['a file switch', switchWhen, '5M', { bytes: 5 * 2 ** 20 }],
])('%s: %o reads "%s"', (_what, kind, words, value) => {
  expect(kind.read(words)).toEqual(value);
});

test.each<[Kind<unknown>, string]>([
  [duration('s'), '0'],
  [duration('s'), '1e3'],
  [duration('s'), '10 s'],
  [duration('ms', 10), '9'],
  [rate, '99.5'],
  [rate, '0'],
  [bytes, '0'],
  [bytes, '10T'],
  [positive, '0x10'],
  [positive, ''],
  [positive, '.'],
  [percent, '101'],
  [share, '2'],
  [whole(), '9007199254740993'],
  [taskIds, '0'],
  [switchWhen, '10'],
])('%o has no value for "%s"', (kind, words) => {
  expect(kind.read(words)).toBe(undefined);
});

test('every value that words mean is one that a program may pass', () => {
  for (const [kind, words] of [
    [duration('s'), '1m'],
    [rate, '1k'],
    [pages, '1M'],
    [switchWhen, '1h'],
    [share, '5%'],
  ] as const) {
    expect(kind.has(kind.read(words))).toBe(true);
  }
});

test.each<[Kind<unknown>, string]>([
  [duration('s', 50), 'a number of at least 50, in milliseconds'],
  [bytes, 'a whole number of bytes, at least 1'],
  [pages, 'a whole number of pages, at least 1, or { bytes }'],
  [percent, 'a number from 0 to 1'],
  [share, 'a number from 0 to 1'],
  [switchWhen, "'asked', { bytes } or { ms }"],
])('a program that passes what is no value of %o reads which values it may pass', (kind, words) => {
  expect(kind.has('10M')).toBe(false);
  expect(libraryWords(kind.expected)).toBe(words);
});

test('a misfit has hints of its own', () => {
  expect(new Misfit('unknown clock', ['known: tai']).hints).toEqual(['known: tai']);
});
