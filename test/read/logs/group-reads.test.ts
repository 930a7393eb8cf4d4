import { expect, test } from 'vitest';
import { GroupReads } from '../../../src/read/logs/group-reads.ts';

test('a counter has counted what its value grew by since the same instance was read', () => {
  const reads = new GroupReads();
  expect(reads.instanceOf(7, 1).elapsed(100)).toBe(100);
  expect(reads.instanceOf(7, 1).elapsed(150)).toBe(50);
  // Another counter, and the same counter of another instance, count by themselves.
  expect(reads.instanceOf(7, 2).elapsed(30)).toBe(30);
  expect(reads.instanceOf(8, 1).elapsed(5)).toBe(5);
  expect(reads.instanceOf(7, 1).elapsed(150)).toBe(0);
});
