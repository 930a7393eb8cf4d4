import { expect, test } from 'vitest';
import { adjustPeriod } from '../../src/period/controller.ts';
import { simulate } from './controller-simulator.ts';
import { fixtureSamples } from './recording.ts';

test('the period moves an eighth of the way to what the rate asks for', () => {
  // 600 events in 1 ms at 5 000 Hz: 120 events per sample.
  expect(adjustPeriod(40, 600, 1e6, 5000)).toBe(40 + 10);
  expect(adjustPeriod(200, 600, 1e6, 5000)).toBe(200 - 10);
  expect(adjustPeriod(120, 600, 1e6, 5000)).toBe(120);
});

test('a small surplus is corrected by new kernels and left alone by old ones', () => {
  // 109 events in 200 µs at 5 000 Hz want a period of 109.
  expect(adjustPeriod(120, 109, 200_000, 5000, 'away')).toBe(118);
  expect(adjustPeriod(120, 109, 200_000, 5000, 'up')).toBe(120);
  expect(adjustPeriod(124, 109, 200_000, 5000, 'up')).toBe(123);
});

test('a shortfall is corrected by at least one event either way', () => {
  expect(adjustPeriod(120, 121, 200_000, 5000, 'away')).toBe(121);
  expect(adjustPeriod(120, 121, 200_000, 5000, 'up')).toBe(121);
});

test('the period never becomes 0', () => {
  expect(adjustPeriod(1, 1, 1e9, 5000)).toBe(1);
});

test('recorded periods follow from the two before them, as the kernel computes them', () => {
  // Overflow i makes P(i+2) from P(i+1) and the time since overflow i−1. Ticks interfere: one in
  // twenty samples at 5 000 Hz and HZ = 250.
  const samples = fixtureSamples('page-faults-5000hz.tsv');
  let exact = 0;
  let compared = 0;
  for (let i = 1; i + 2 < samples.length; i++) {
    const period = samples[i + 1].period;
    const nanos = samples[i].timeNs - samples[i - 1].timeNs;
    compared++;
    if (adjustPeriod(period, period, nanos, 5000) === samples[i + 2].period) exact++;
  }
  expect(exact / compared).toBeGreaterThan(0.9);
});

test('a simulated software event starts as real ones do, growing by more than eighths', () => {
  // Real faults under a period of 1 come at 30 000 to 60 000 a second, sampled one by one.
  const periods = simulate(
    [
      { durationNs: 150_000, eventsPerSecond: 50_000 },
      { durationNs: 50e6, eventsPerSecond: 450_000 },
    ],
    { frequencyHz: 5000, rule: 'next' },
  ).map((sample) => sample.period);
  expect(periods.slice(0, 3)).toEqual([1, 1, 1]);
  expect(periods.slice(20, 200).every((period) => Math.abs(period - 90) <= 12)).toBe(true);
});
