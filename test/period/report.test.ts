import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import { simulate } from './controller-simulator.ts';
import {
  CPU_CLOCK,
  CYCLES,
  type DrawnSample,
  everyNs,
  fixtureSamples,
  PAGE_FAULTS,
  recordingOf,
} from './recording.ts';

const streamOf = (input: PeriodInput) => reportPeriods(input).events[0].streams[0];
const faultsAt = (frequencyHz: number, fixture: string) =>
  recordingOf([{ ...PAGE_FAULTS, frequencyHz }], fixtureSamples(fixture));
const even = (samples: number, periodEvents = 100): DrawnSample[] =>
  everyNs(
    200_000,
    Array.from({ length: samples }, () => periodEvents),
  );

// The six samples of the worked example, with its times and counts (a `cycles` event at 30 kHz).
const WORKED_EXAMPLE = [
  { timeNs: 34_369_394_238_916, count: 5, period: 1 },
  { timeNs: 34_369_394_243_207, count: 7, period: 2 },
  { timeNs: 34_369_394_247_374, count: 9, period: 4 },
  { timeNs: 34_369_396_586_648, count: 94_708, period: 1389 },
  { timeNs: 34_369_396_620_000, count: 96_097, period: 1390 },
  { timeNs: 34_369_396_653_155, count: 97_487, period: 1390 },
];

test('the worked example as a report: too short to judge, six periods, every event counted', () => {
  const cycles = { ...CYCLES, frequencyHz: 30_000 };
  const { events } = reportPeriods(recordingOf([cycles], WORKED_EXAMPLE));
  expect(events[0]).toMatchObject({ targetHz: 30_000, samples: 6, eventsCounted: 97_487 });
  expect(events[0].streams[0]).toMatchObject({
    verdict: 'too-short',
    settleSamples: null,
    settleNs: null,
    rampShare: null,
    events: 97_487,
    firstPeriods: [1, 2, 4, 1389, 1390, 1390],
  });
});

test('a converged recording: settle point, steady state, phases, no re-ramp', () => {
  const report = reportPeriods(faultsAt(5000, 'page-faults-5000hz.tsv'));
  expect(report.schema).toBe('perf-ts/periods@1');
  const [event] = report.events;
  expect(event).toMatchObject({
    event: 'page-faults',
    mode: 'frequency',
    targetHz: 5000,
    fixedPeriod: null,
    reportedPeriod: { rule: 'next', from: 'counts', confidence: 1 },
    samples: 1334,
    eventsCounted: 99_968,
    lost: { samples: 0, coverage: 1 },
    throttled: { count: 0, ns: 0 },
    streamCount: 1,
    restOfStreams: null,
  });
  const [stream] = event.streams;
  expect(stream).toMatchObject({
    streamId: '10',
    tids: [100],
    cpus: [0],
    verdict: 'converged',
    settleSamples: 14,
    settleNs: 1_715_304,
    reRamps: [],
    model: { hz: 250, tickDriven: false },
  });
  expect(stream.firstPeriods.slice(0, 12)).toEqual([1, 1, 1, 2, 5, 12, 39, 36, 37, 35, 40, 44]);
  expect(stream.firstPeriods.length).toBe(64);
  expect(stream.rampShare!.samples).toBeCloseTo(14 / 1334, 6);
  // The host slowed down to a sixth for 40 ms; the period followed.
  expect(stream.phases.map((phase) => phase.period)).toEqual([83, 14, 86]);
  // 1 334 samples in 304 ms, with four pauses of 6 ms for unmapping.
  expect(stream.steady!.hz).toBeGreaterThan(4300);
  expect(stream.steady!.hz).toBeLessThan(4500);
});

test('a burst after rare events is re-ramped, with gap, depth and height', () => {
  const stream = streamOf(faultsAt(500, 'page-faults-500hz-rare-phases.tsv'));
  expect(stream.verdict).toBe('re-ramped');
  expect(stream.reRamps).toHaveLength(1);
  const [ramp] = stream.reRamps;
  expect(ramp).toMatchObject({
    samples: 17,
    periodBefore: 751,
    lowestPeriod: 8,
    highestPeriod: 57_425,
  });
  expect(Math.round(ramp.gapNs / 1e6)).toBe(134);
  // A quarter of all events hang on those 17 samples, most of them on one.
  expect(ramp.events / stream.events).toBeGreaterThan(0.25);
  expect(stream.effectiveSamples).toBeLessThan(40);
});

test('sleep does not spoil the rate reached', () => {
  const stream = streamOf(faultsAt(500, 'page-faults-500hz-sleeps.tsv'));
  expect(stream.verdict).toBe('converged');
  expect(stream.idle.gaps).toBe(2);
  expect(Math.abs(stream.steady!.hz - 500)).toBeLessThan(50);
});

test('the suggested period takes as many samples as the rate asked', () => {
  const samples = simulate([{ durationNs: 200e6, eventsPerSecond: 450_000 }], {
    frequencyHz: 5000,
    rule: 'next',
  });
  const [event] = reportPeriods(recordingOf([PAGE_FAULTS], samples)).events;
  // 90, and a prime.
  expect(event.suggestedPeriod).toBe(97);
});

test("a clock's period is fixed: no convergence and no ramp", () => {
  const samples = everyNs(
    33_333,
    Array.from({ length: 100 }, () => 33_333),
  );
  const [event] = reportPeriods(recordingOf([CPU_CLOCK], samples)).events;
  expect(event).toMatchObject({ mode: 'clock', targetHz: 30_000, suggestedPeriod: null });
  expect(event.streams[0]).toMatchObject({
    verdict: 'fixed',
    settleSamples: 0,
    settleNs: 0,
    rampShare: { samples: 0, events: 0 },
    effectiveSamples: 100,
  });
  expect(event.streams[0].steady!.period).toEqual({
    median: 33_333,
    mean: 33_333,
    p05: 33_333,
    p95: 33_333,
    cv: 0,
  });
  expect(event.streams[0].steady!.hz).toBeCloseTo(30_000.3, 1);
});

test('period mode is fixed', () => {
  const every100 = { ...CYCLES, mode: 'period', frequencyHz: null, fixedPeriod: 100 } as const;
  const [event] = reportPeriods(recordingOf([every100], even(50))).events;
  expect(event).toMatchObject({ mode: 'period', targetHz: null, fixedPeriod: 100 });
  expect(event.streams[0].verdict).toBe('fixed');
});

test('a period that never settles is not-converged once there are enough samples', () => {
  const restless = Array.from({ length: 80 }, (_, i) => 100 * 2 ** ((i * 5) % 7));
  const verdictOf = (periods: number[]) =>
    streamOf(recordingOf([CYCLES], everyNs(200_000, periods))).verdict;
  expect(verdictOf(restless)).toBe('not-converged');
  expect(verdictOf(restless.slice(0, 40))).toBe('too-short');
});

test('throttled when the kernel paused the event for a hundredth of its time', () => {
  const verdictWith = (endNs: number, stream = 0) =>
    streamOf(
      recordingOf([CYCLES], even(101), {
        throttles: [{ event: 0, stream, startNs: 1e6, endNs }],
      }),
    ).verdict;
  // 101 samples span 20 ms.
  expect(verdictWith(1.2e6)).toBe('throttled');
  expect(verdictWith(1.19e6)).toBe('converged');
  expect(verdictWith(1.2e6, -1)).toBe('throttled');
  expect(verdictWith(1.2e6, 7)).toBe('converged');
});

test('losses in two figures are counted once', () => {
  const input = recordingOf([CYCLES], even(75), {
    losses: [{ event: 0, lostRecords: 20, lostSamples: 25 }] as unknown as NonNullable<
      PeriodInput['losses']
    >,
  });
  expect(reportPeriods(input).events[0].lost).toEqual({ samples: 25, coverage: 0.75 });
});

test('the final value of the counter wins over what the samples read', () => {
  const samples = fixtureSamples('page-faults-5000hz.tsv');
  const input = recordingOf([PAGE_FAULTS], samples, { eventTotals: [100_050] });
  expect(reportPeriods(input).events[0].eventsCounted).toBe(100_050);
});

test('uncounted figures are null, not zero', () => {
  expect(reportPeriods(recordingOf([CYCLES], even(50))).events[0].eventsCounted).toBeNull();
  const [empty] = reportPeriods(recordingOf([CYCLES], [])).events;
  expect(empty).toMatchObject({
    samples: 0,
    eventsCounted: null,
    lost: { samples: 0, coverage: null },
    streams: [],
    suggestedPeriod: null,
  });
});

test('the largest streams are described, the rest is one row', () => {
  const drawn: DrawnSample[] = [];
  for (let stream = 0; stream < 25; stream++) {
    for (let i = 0; i <= stream; i++) {
      drawn.push({ timeNs: drawn.length, period: 1, stream, thread: stream, cpu: stream % 2 });
    }
  }
  const input = recordingOf([CYCLES], drawn);
  const [event] = reportPeriods(input).events;
  expect(event.streamCount).toBe(25);
  expect(event.streams.map((stream) => stream.samples)).toEqual(
    Array.from({ length: 20 }, (_, i) => 25 - i),
  );
  expect(event.streams[0]).toMatchObject({ streamId: '34', tids: [124], cpus: [0] });
  expect(event.restOfStreams).toEqual({ streams: 5, samples: 1 + 2 + 3 + 4 + 5 });
  const all = reportPeriods(input, { streams: 'all' }).events[0];
  expect(all.streams.length).toBe(25);
  expect(all.restOfStreams).toBeNull();
});

test('a stream without an id has streamId null', () => {
  const input = recordingOf([CYCLES], [{ timeNs: 0, period: 1, stream: -1 }]);
  expect(streamOf(input).streamId).toBeNull();
});

test("the kernel's limits are handed through, null where unknown", () => {
  const kernel = { maxSampleRate: 100_000, maxSampleRateAfter: 25_000, cpuTimeMaxPercent: 25 };
  expect(reportPeriods(recordingOf([CYCLES], [], { kernel })).kernel).toEqual(kernel);
  expect(reportPeriods(recordingOf([CYCLES], [])).kernel).toEqual({
    maxSampleRate: null,
    maxSampleRateAfter: null,
    cpuTimeMaxPercent: null,
  });
});

test('the report is plain JSON: nothing is lost on the way out and back', () => {
  for (const input of [
    faultsAt(500, 'page-faults-500hz-rare-phases.tsv'),
    recordingOf([CPU_CLOCK, CYCLES], [{ timeNs: 0, period: 33_333 }]),
    recordingOf([CYCLES], []),
  ]) {
    const report = reportPeriods(input);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  }
});

test('samples of one instant do not make rates infinite', () => {
  const stream = streamOf(
    recordingOf(
      [CYCLES],
      Array.from({ length: 100 }, () => ({ timeNs: 0, period: 100 })),
    ),
  );
  expect(stream.steady).toBeNull();
  expect(JSON.parse(JSON.stringify(stream))).toEqual(stream);
});
