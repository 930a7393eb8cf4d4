import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import { CYCLES, type DrawnSample, fixtureSamples, PAGE_FAULTS, recordingOf } from './recording.ts';

/** Samples with these times since the one before, in µs; the rate asked is 5 000 Hz: 200 µs. */
const spaced = (...micros: number[]): DrawnSample[] => {
  let timeNs = 0;
  return micros.map((interval) => {
    timeNs += interval * 1000;
    return { timeNs, period: 10 };
  });
};
const even = (samples: number) => Array.from({ length: samples }, () => 200);
const burstsOf = (samples: readonly DrawnSample[], event = PAGE_FAULTS) =>
  reportPeriods(recordingOf([event], samples)).events[0].streams[0].bursts;

test('fast samples right after an idle gap are a burst', () => {
  const samples = spaced(...even(30), 5000, 20, 20, 20, 20, 20, ...even(30));
  expect(burstsOf(samples)).toEqual({
    count: 1,
    samples: 5,
    events: 50,
    peakHz: 50_000,
    largest: [
      { startNs: samples[31].timeNs, gapNs: 5_000_000, samples: 5, events: 50, hz: 50_000 },
    ],
  });
});

test('the first sample after the gap may still have the old period', () => {
  const samples = spaced(...even(30), 5000, 190, 20, 20, 20, 20, ...even(30));
  expect(burstsOf(samples)).toMatchObject({ count: 1, samples: 4 });
});

test('the start-up ramp is not a burst', () => {
  const bursts = burstsOf(spaced(...Array.from({ length: 20 }, () => 10), ...even(40)));
  expect(bursts).toEqual({ count: 0, samples: 0, events: 0, peakHz: null, largest: [] });
});

test('few fast samples, or below four times the rate, are not a burst', () => {
  expect(burstsOf(spaced(...even(30), 5000, 20, 20, 20, ...even(30)))!.count).toBe(0);
  expect(burstsOf(spaced(...even(30), 5000, 60, 60, 60, 60, 60, ...even(30)))!.count).toBe(0);
});

test('the burst of a real recording: four samples at 12 kHz, 500 requested', () => {
  const samples = fixtureSamples('page-faults-500hz-rare-phases.tsv');
  const bursts = burstsOf(samples, { ...PAGE_FAULTS, frequencyHz: 500 })!;
  expect(bursts).toMatchObject({ count: 1, samples: 4 });
  expect(Math.round(bursts.peakHz! / 100)).toBe(122);
  expect(Math.round(bursts.largest[0].gapNs / 1e6)).toBe(134);
});

test('a fixed period has no bursts', () => {
  const every10 = { ...CYCLES, mode: 'period', frequencyHz: null, fixedPeriod: 10 } as const;
  expect(burstsOf(spaced(...even(30)), every10)).toBeNull();
});
