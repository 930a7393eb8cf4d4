import { expect, test } from 'vitest';
import { computeWeights } from '../../src/period/weights.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** Tasks with three samples each, at their 4th, 8th and 28th event; the next is due after `pending`. */
function tasks(count: number, pending: number): DrawnSample[] {
  return Array.from({ length: count }, (_, stream) => [
    { timeNs: stream * 10, period: 4, stream },
    { timeNs: stream * 10 + 1, period: 20, stream },
    { timeNs: stream * 10 + 2, period: pending, stream },
  ]).flat();
}

const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);

test('events after the last samples of many streams are counted at these', () => {
  // Of 100 events that are missing each stream counted at most 40 more.
  const input = recordingOf([PAGE_FAULTS], tasks(200, 41), { eventTotals: [200 * 28 + 4000] });
  const { values, tails } = computeWeights('events', input);
  expect([...tails!.subarray(0, 6)]).toEqual([0, 0, 20, 0, 0, 20]);
  expect(sum(values)).toBe(200 * 28 + 4000);
});

test('a stream gets no more than its pending period; the rest had no sample', () => {
  const input = recordingOf([PAGE_FAULTS], tasks(200, 41), { eventTotals: [1e6] });
  const { values, tails } = computeWeights('events', input);
  expect(tails![2]).toBe(40);
  expect(sum(values)).toBe(200 * 68);
});

test('final values of single streams tell how much came after last samples together, which all share', () => {
  const finals = Array.from({ length: 200 }, (_, stream) => ({
    event: 0,
    stream,
    count: 28 + (stream % 3),
    runningNs: Number.NaN,
  }));
  const total = finals.reduce((all, { count }) => all + count, 0);
  const input = recordingOf([PAGE_FAULTS], tasks(200, 41), { eventTotals: [total], finals });
  const { values, tails } = computeWeights('events', input);
  // One event each on average: none is given to a stream for its own last sample's being far from the end.
  expect([tails![2], tails![5], tails![8]]).toEqual([0, 1, 1]);
  expect(sum(values)).toBe(total);
});

test('a tail that would outweigh all others is in no weight, nor is that of a single stream', () => {
  const eventTotals = [1000];
  for (const count of [1, 3]) {
    const input = recordingOf([PAGE_FAULTS], tasks(count, 900), { eventTotals });
    expect(computeWeights('events', input)).not.toHaveProperty('tails');
  }
});
