import { expect, test } from 'vitest';
import {
  PERF_RECORD,
  PERF_SAMPLE,
  PERF_SAMPLE_MAX,
  recordTypeName,
  sampleTypeNames,
} from '../../../src/kernel/perf-event/constants.ts';

test('records are named as in the kernel, without the prefix', () => {
  expect([9, 10, 13, 68, 81].map(recordTypeName)).toEqual([
    'SAMPLE',
    'MMAP2',
    'LOST_SAMPLES',
    'FINISHED_ROUND',
    'COMPRESSED',
  ]);
  expect(recordTypeName(32777)).toBe('UNKNOWN(32777)');
});

test('no two record types share a number', () => {
  const types = Object.values(PERF_RECORD);
  expect(new Set(types).size).toBe(types.length);
});

test('every bit below PERF_SAMPLE_MAX has a name', () => {
  const all = Object.values(PERF_SAMPLE).reduce((sum, bit) => sum | bit, 0);
  expect(all).toBe(PERF_SAMPLE_MAX - 1);
  expect(sampleTypeNames(0x107)).toEqual(['IP', 'TID', 'TIME', 'PERIOD']);
});
