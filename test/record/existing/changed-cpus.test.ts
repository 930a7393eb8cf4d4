import { expect, test } from 'vitest';
import { changedCpusText } from '../../../src/record/existing/changed-cpus.ts';

test('nothing is said where the same CPUs are online', () => {
  expect(changedCpusText([0, 1], [0, 1], [0, 1])).toEqual([]);
});

test('a CPU that came online was not recorded', () => {
  expect(changedCpusText([0, 1], [0, 1], [0, 1, 2, 3])).toEqual([
    'CPU 2-3 came online meanwhile: what ran there was not recorded',
  ]);
});

test('a CPU that came online does not matter where chosen ones were recorded', () => {
  expect(changedCpusText([0], [0, 1], [0, 1, 2])).toEqual([]);
});

test('a CPU that went offline was recorded until then, if it was recorded', () => {
  const text = 'CPU 1 went offline meanwhile: it was recorded until then';
  expect(changedCpusText([0, 1], [0, 1], [0])).toEqual([text]);
  expect(changedCpusText([0], [0, 1], [0])).toEqual([]);
});
