import { expect, it } from 'vitest';
import { editDistance, nearestNames } from '../../src/base/nearest-names.ts';

it.each([
  ['cycles', 'cycles', 0],
  ['cycels', 'cycles', 1],
  ['cyles', 'cycles', 1],
  ['cyycles', 'cycles', 1],
  ['cycler', 'cycles', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('%j is %j after %i changes', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

it('the search for near names stops counting above the limit', () => {
  expect(editDistance('abcdefgh', 'stuvwxyz', 2)).toBeGreaterThan(2);
  expect(editDistance('a', 'abcdef', 2)).toBe(3);
});

it('the search for near names puts typing errors before parts, and a shared start before a shared end', () => {
  const names = ['cache-misses', 'cs', 'branch-misses', 'LLC-load-misses', 'missed'];
  expect(nearestNames('misses', names)).toEqual([
    'missed',
    'cache-misses',
    'branch-misses',
    'LLC-load-misses',
  ]);
});

it('the search for near names ignores case, names each once and no more than four', () => {
  expect(nearestNames('dtlb-load', ['dTLB-loads', 'dTLB-loads', 'iTLB-loads'])).toEqual([
    'dTLB-loads',
    'iTLB-loads',
  ]);
  expect(nearestNames('aa', ['ab', 'ac', 'ad', 'ae', 'af'])).toEqual(['ab', 'ac', 'ad', 'ae']);
});
