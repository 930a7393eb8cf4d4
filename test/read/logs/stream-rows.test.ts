import { expect, test } from 'vitest';
import { StreamRows } from '../../../src/read/logs/stream-rows.ts';

test('a stream id that comes with two events is a stream of each', () => {
  const rows = new StreamRows();
  const pairs = [
    [7, 0],
    [7, 1],
    [8, 1],
    [7, 0],
    [7, 1],
    [-1, 0],
  ];
  expect(pairs.map(([id, event]) => rows.of(id, event))).toEqual([0, 1, 2, 0, 1, -1]);
  expect(rows.streams.map(({ event }) => event)).toEqual([0, 1, 1]);
});
