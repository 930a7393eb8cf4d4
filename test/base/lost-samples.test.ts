import { expect, test } from 'vitest';
import { lostSamplesOf, lostSamplesOfAll } from '../../src/base/lost-samples.ts';

const loss = (event: number, lostRecords: number, lostSamples: number) => ({
  event,
  lostRecords,
  lostSamples,
});

test('lost samples: the larger figure where the event has rings to itself', () => {
  expect(lostSamplesOf([loss(0, 5, 7)], 0)).toBe(7);
  expect(lostSamplesOf([loss(0, 7, 0)], 0)).toBe(7);
  expect(lostSamplesOf([loss(0, 7, 5)], 1)).toBe(0);
  expect(lostSamplesOf([], 0)).toBe(0);
});

test('lost samples: the counters alone where events share rings, if they were read', () => {
  // Event 0 wrote next after a loss that was mostly event 1's.
  const shared = [loss(0, 100, 3), loss(1, 0, 97)];
  expect(lostSamplesOf(shared, 0)).toBe(3);
  expect(lostSamplesOf(shared, 1)).toBe(97);
  const unread = [loss(0, 100, 0), loss(1, 4, 0)];
  expect(lostSamplesOf(unread, 0)).toBe(100);
});

test('lost samples of all events: the sum of those of each', () => {
  const sum = (losses: ReturnType<typeof loss>[]) => ({
    lostRecords: losses.reduce((total, { lostRecords }) => total + lostRecords, 0),
    lostSamples: losses.reduce((total, { lostSamples }) => total + lostSamples, 0),
  });
  for (const losses of [
    [loss(0, 5, 7)],
    [loss(0, 7, 0)],
    [loss(0, 100, 3), loss(1, 0, 95)],
    [loss(0, 100, 0), loss(1, 4, 0)],
  ]) {
    const ofEach = losses.map(({ event }) => lostSamplesOf(losses, event));
    const all = lostSamplesOfAll(sum(losses), losses.length);
    expect(all).toBe(ofEach.reduce((total, lost) => total + lost, 0));
  }
  expect(lostSamplesOfAll({ lostRecords: 4, lostSamples: null }, 2)).toBe(4);
});
