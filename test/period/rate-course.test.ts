import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import { CYCLES, type DrawnSample, recordingOf } from './recording.ts';

const eventOf = (samples: readonly DrawnSample[]) =>
  reportPeriods(recordingOf([CYCLES], samples)).events[0];

test('every sample is in one slice, at most 200 slices', () => {
  const samples = Array.from({ length: 10_001 }, (_, i) => ({ timeNs: i * 100_000, period: 1 }));
  const { rate } = eventOf(samples).streams[0];
  expect(rate).toMatchObject({ startNs: 0, endNs: 1e9 });
  expect(rate!.hz).toHaveLength(200);
  const counted = rate!.hz.reduce((sum, hz) => sum + (hz * 5e6) / 1e9, 0);
  expect(counted).toBeCloseTo(10_001, 6);
  expect(rate!.hz[7]).toBe(10_000);
});

test('the rate of an event is that of its streams together, with how many there were', () => {
  const samples: DrawnSample[] = [];
  for (let i = 0; i < 40; i++) {
    samples.push({ timeNs: i * 1e6, period: 1, stream: 0 });
    if (i >= 20) samples.push({ timeNs: i * 1e6 + 1, period: 1, stream: 1, thread: 1 });
  }
  const { rate } = eventOf(samples);
  expect(rate!.hz).toHaveLength(15);
  expect(rate!.streams.slice(0, 7)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(rate!.streams.slice(8)).toEqual([2, 2, 2, 2, 2, 2, 2]);
});

test('samples of one instant have no rate', () => {
  expect(eventOf([{ timeNs: 3, period: 1 }]).rate).toBeNull();
});
