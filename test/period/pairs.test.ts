import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import {
  CYCLES,
  type DrawnSample,
  fixtureSamples,
  PAGE_FAULTS,
  recordingOf,
  withoutReads,
} from './recording.ts';

// The six samples of the worked example, with its times and counts (a `cycles` event at 30 kHz).
const WORKED_EXAMPLE: readonly DrawnSample[] = [
  { timeNs: 34_369_394_238_916, count: 5, period: 1 },
  { timeNs: 34_369_394_243_207, count: 7, period: 2 },
  { timeNs: 34_369_394_247_374, count: 9, period: 4 },
  { timeNs: 34_369_396_586_648, count: 94_708, period: 1389 },
  { timeNs: 34_369_396_620_000, count: 96_097, period: 1390 },
  { timeNs: 34_369_396_653_155, count: 97_487, period: 1390 },
];

const pairsOf = (samples: readonly DrawnSample[], event = CYCLES, pairs: number | 'all' = 'all') =>
  reportPeriods(recordingOf([event], samples), { pairs }).events[0].streams[0].pairs!;
const rounded = (value: number | null) => Math.round(value! * 10) / 10;

test('pairs of the worked example', () => {
  const pairs = pairsOf(WORKED_EXAMPLE, { ...CYCLES, frequencyHz: 30_000 });
  expect(
    pairs.map(({ intervalNs, events, periods, eventRateHz, hz }) => ({
      intervalNs,
      events,
      periods,
      lambda: rounded(eventRateHz),
      f: rounded(hz),
    })),
  ).toEqual([
    // Sample 0 reports 1 and sample 1 reports 2; 2 were counted, so P is 2: 233 046 Hz.
    { intervalNs: 4291, events: 2, periods: [1, 2], lambda: 466_091.8, f: 233_045.9 },
    { intervalNs: 4167, events: 2, periods: [2, 4], lambda: 479_961.6, f: 239_980.8 },
    // The example leaves samples out here, so this "pair" is no interval of the kernel's.
    { intervalNs: 2_339_274, events: 94_699, periods: [4, 1389], lambda: 40_482_218, f: 427.5 },
    { intervalNs: 33_352, events: 1389, periods: [1389, 1390], lambda: 41_646_677.9, f: 29_983.2 },
    { intervalNs: 33_155, events: 1390, periods: [1390, 1390], lambda: 41_924_295, f: 30_161.4 },
  ]);
  expect(pairs.every((pair) => pair.from === 'counts')).toBe(true);
});

test('the events of a pair without counts are the period in force', () => {
  const samples = fixtureSamples('page-faults-5000hz.tsv');
  const counted = pairsOf(samples, PAGE_FAULTS);
  const uncounted = pairsOf(withoutReads(samples), PAGE_FAULTS);
  expect(uncounted.every((pair) => pair.from === 'periods')).toBe(true);
  expect(uncounted.map(({ events, hz }) => ({ events, hz }))).toEqual(
    counted.map(({ events, hz }) => ({ events, hz })),
  );
});

test('the number of pairs is the one requested; none by default', () => {
  expect(pairsOf(WORKED_EXAMPLE, CYCLES, 2)).toHaveLength(2);
  const [stream] = reportPeriods(recordingOf([CYCLES], WORKED_EXAMPLE)).events[0].streams;
  expect(stream).not.toHaveProperty('pairs');
});

test('two samples of one instant have no rate', () => {
  const [pair] = pairsOf([
    { timeNs: 5, period: 1, count: 1 },
    { timeNs: 5, period: 1, count: 2 },
  ]);
  expect(pair).toMatchObject({ events: 1, eventRateHz: null, hz: null });
});
