import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import { CYCLES, type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

const AT_REST = Array.from({ length: 40 }, () => 100);
const RAMP = [4, 4, 6, 10, 20, 40, 60, 80];

/** 40 settled samples, a ramp, 40 settled samples; `change` may alter each sample. */
const withRamp = (
  change: (sample: DrawnSample, index: number) => Partial<DrawnSample> = () => ({}),
) =>
  [...AT_REST, ...RAMP, ...AT_REST].map((period, i) => {
    const sample = { timeNs: i * 200_000, period };
    return { ...sample, ...change(sample, i) };
  });
const FIRST_OF_RAMP = AT_REST.length;
const rampOf = (input: PeriodInput) => {
  const stream = reportPeriods(input).events[0].streams[0];
  expect(stream.verdict).toBe('re-ramped');
  expect(stream.reRamps).toHaveLength(1);
  return stream.reRamps[0];
};

test('a ramp without a visible cause is unknown', () => {
  expect(rampOf(recordingOf([PAGE_FAULTS], withRamp()))).toMatchObject({
    cause: 'unknown',
    fromCpu: null,
    toCpu: null,
    // 80 is near enough to 100 to be settled.
    samples: RAMP.length - 1,
    lowestPeriod: 4,
    highestPeriod: 60,
  });
});

test('a ramp is caused by an idle gap of five ticks before it', () => {
  const late = withRamp(({ timeNs }, i) => ({ timeNs: timeNs + (i >= FIRST_OF_RAMP ? 5e6 : 0) }));
  expect(rampOf(recordingOf([PAGE_FAULTS], late))).toMatchObject({ cause: 'gap', gapNs: 5.2e6 });
});

test("a ramp's gap with rule next shows one sample after its end", () => {
  const late = withRamp(({ timeNs }, i) => ({
    timeNs: timeNs + (i >= FIRST_OF_RAMP - 1 ? 5e6 : 0),
  }));
  expect(rampOf(recordingOf([PAGE_FAULTS], late)).cause).toBe('gap');
});

test('a ramp is caused by migration of the task to another CPU', () => {
  const moved = withRamp((_, i) => ({ cpu: i >= FIRST_OF_RAMP ? 3 : 1 }));
  expect(rampOf(recordingOf([PAGE_FAULTS], moved))).toMatchObject({
    cause: 'migration',
    fromCpu: 1,
    toCpu: 3,
  });
});

test('a ramp is caused by another instance that sampled the thread meanwhile', () => {
  const away: DrawnSample = {
    timeNs: (FIRST_OF_RAMP - 0.5) * 200_000,
    period: 1,
    stream: 1,
    cpu: 2,
  };
  const samples = withRamp();
  const drawn = [...samples.slice(0, FIRST_OF_RAMP), away, ...samples.slice(FIRST_OF_RAMP)];
  const input = recordingOf([PAGE_FAULTS], drawn);
  expect(rampOf(input)).toMatchObject({ cause: 'migration', fromCpu: 2, toCpu: 0 });
  const [event] = reportPeriods(input).events;
  expect(event.migrations).toEqual({ count: 2, streams: 1, rampSamples: 1 });
  expect(event.streams.map((stream) => stream.startedBy)).toEqual(['new', 'migration']);
});

test('a ramp is caused by an instance given to another thread', () => {
  const given = withRamp((_, i) => ({ thread: i >= FIRST_OF_RAMP ? 1 : 0 }));
  const input = recordingOf([PAGE_FAULTS], given);
  expect(rampOf(input)).toMatchObject({ cause: 'task', fromCpu: null });
  expect(reportPeriods(input).events[0].streams[0].history).toEqual({
    count: 2,
    stays: [
      { startNs: 0, tid: 100, cpu: 0, samples: 40 },
      { startNs: FIRST_OF_RAMP * 200_000, tid: 101, cpu: 0, samples: 48 },
    ],
  });
});

test('a ramp is caused by throttling too short for the verdict', () => {
  const startNs = (FIRST_OF_RAMP - 1) * 200_000;
  const throttles = [{ event: 0, stream: 0, startNs, endNs: startNs + 150_000 }];
  const report = reportPeriods(recordingOf([CYCLES], withRamp(), { throttles }));
  expect(report.events[0].throttled).toEqual({
    count: 1,
    ns: 150_000,
    intervals: [{ streamId: '10', startNs, endNs: startNs + 150_000 }],
  });
  const longer = withRamp().concat(
    Array.from({ length: 100 }, (_, i) => ({ timeNs: (88 + i) * 200_000, period: 100 })),
  );
  expect(rampOf(recordingOf([CYCLES], longer, { throttles })).cause).toBe('throttle');
});

test('a pause without stream ids is of who sampled when it began and not while it lasted', () => {
  const drawn: DrawnSample[] = [];
  for (let i = 0; i < 100; i++) {
    const paused = i > 50 && i < 75;
    if (!paused) drawn.push({ timeNs: i * 1e6, period: 100, stream: -1, thread: 0, cpu: 0 });
    drawn.push({ timeNs: i * 1e6 + 20_000, period: 100, stream: -1, thread: 1, cpu: 1 });
    if (i % 30 === 0) drawn.push({ timeNs: i * 1e6 + 1, period: 1, stream: -1, thread: 2, cpu: 0 });
  }
  drawn.sort((a, b) => a.timeNs - b.timeNs);
  const throttles = [{ event: 0, stream: 5, startNs: 50e6, endNs: 75e6 }];
  const { streams } = reportPeriods(recordingOf([CYCLES], drawn, { throttles })).events[0];
  expect(streams.map(({ tids, verdict }) => [tids[0], verdict])).toEqual([
    [101, 'converged'],
    [100, 'throttled'],
    [102, 'too-short'],
  ]);
});

test('a pause that lasts to the end counts although no sample follows', () => {
  const throttles = [{ event: 0, stream: 0, startNs: 39 * 200_000, endNs: 60 * 200_000 }];
  const drawn = AT_REST.map((period, i) => ({ timeNs: i * 200_000, period }));
  const [stream] = reportPeriods(recordingOf([CYCLES], drawn, { throttles })).events[0].streams;
  expect(stream).toMatchObject({ verdict: 'throttled', throttledNs: 21 * 200_000 });
});
