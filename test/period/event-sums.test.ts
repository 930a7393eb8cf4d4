import { expect, test } from 'vitest';
import { groupsByEvent } from '../../src/period/report/event-report.ts';
import { sumByEvent } from '../../src/period/report/event-sums.ts';

const samples = {
  length: 7,
  event: Int32Array.of(0, 1, 0, 1, 0, 2, 1),
  count: Float64Array.of(10, 5, 30, Number.NaN, 60, Number.NaN, 9),
};
const events = [{}, {}, {}, {}];

test('sums of each event are those of its samples alone', () => {
  const sums = sumByEvent({
    input: { samples, events } as unknown as Parameters<typeof sumByEvent>[0]['input'],
    arrivedEvents: Float64Array.of(10, 5, 20, 4, 30, 0, 2),
    elapsedEvents: Float64Array.of(10, 5, 20, 4, 31, 0, 2),
    cameFrom: Int32Array.of(-1, -1, 3, -1, 2, -1, 0),
  });
  expect(sums).toEqual([
    // 60² / (10² + 20² + 30²)
    { effectiveSamples: 3600 / 1400, eventsCounted: 61, migrations: 2 },
    // One of its samples has no count.
    { effectiveSamples: 121 / 45, eventsCounted: null, migrations: 1 },
    { effectiveSamples: null, eventsCounted: null, migrations: 0 },
    { effectiveSamples: null, eventsCounted: null, migrations: 0 },
  ]);
});

test('groups are listed by event, those of most samples first', () => {
  const groups = {
    length: 5,
    event: Int32Array.of(1, 0, 1, 1, 3),
    stream: new Int32Array(5),
    offsets: Int32Array.of(0, 2, 4, 9, 11, 12),
    rows: new Int32Array(12),
  };
  expect(groupsByEvent(groups, 4)).toEqual([[1], [2, 0, 3], [], [4]]);
});
