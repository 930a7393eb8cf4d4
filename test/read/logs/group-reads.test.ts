import { expect, test } from 'vitest';
import { GroupReads } from '../../../src/read/logs/group-reads.ts';

test('a counter has counted what its value grew by since the same instance was read', () => {
  const reads = new GroupReads();
  const elapsed = (streamId: number, id: number, value: number) =>
    reads.read({ streamId, tid: 1 }, true, id, value).elapsed;
  expect(elapsed(7, 1, 100)).toBe(100);
  expect(elapsed(7, 1, 150)).toBe(50);
  // Another counter, and the same counter of another instance, count by themselves.
  expect(elapsed(7, 2, 30)).toBe(30);
  expect(elapsed(8, 1, 5)).toBe(5);
  expect(elapsed(7, 1, 150)).toBe(0);
});
