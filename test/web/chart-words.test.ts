import { expect, test } from 'vitest';
import { describeChart } from '../../web/src/flame-chart/box-words.ts';

/** Half a second of two on a CPU, with half a second in which nothing was sampled. */
const CHART = {
  precision: { stepNs: 1e6, isTimed: true, hasWaits: false },
  window: { fromNs: 0, toNs: 2e9 },
  sampledNs: 5e8,
  waitingNs: 0,
  lostNs: 0,
  boxes: { merged: [] },
} as unknown as Parameters<typeof describeChart>[0];

test('shares of a flame chart are those of the time in which events were enabled', () => {
  const spans = [
    { fromNs: -1, toNs: 1e9 },
    { fromNs: 1.5e9, toNs: 3e9 },
  ];
  const words = describeChart(CHART, 1, spans);
  expect(words).toContain('33.33% of the sampled time on a CPU, 66.67% empty');
  expect(words).toContain('Nothing was sampled in 500.0 ms, hatched.');
});

test('a flame chart of time that was sampled all along does not mention it', () => {
  for (const spans of [undefined, [{ fromNs: -1, toNs: 3e9 }]]) {
    const words = describeChart(CHART, 1, spans);
    expect(words).toContain('25.00% of this time on a CPU, 75.00% empty');
    expect(words).not.toContain('hatched');
  }
});
