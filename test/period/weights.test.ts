import { expect, test } from 'vitest';
import { FailedError } from '../../src/base/errors.ts';
import { finish } from '../../src/base/slices.ts';
import { computeElapsedEvents } from '../../src/period/elapsed-events.ts';
import { findRules } from '../../src/period/period-rule.ts';
import { groupByStream } from '../../src/period/streams.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import { computeWeights, effectiveSampleSize } from '../../src/period/weights.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { simulate } from './controller-simulator.ts';
import {
  CPU_CLOCK,
  CYCLES,
  everyNs,
  fixtureSamples,
  PAGE_FAULTS,
  recordingOf,
  withoutReads,
} from './recording.ts';

const elapsedOf = (input: PeriodInput): Float64Array => {
  const groups = finish(groupByStream(input));
  return finish(computeElapsedEvents(input, groups, finish(findRules(input, groups))));
};
const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);

test('samples weigh one each', () => {
  const input = recordingOf([PAGE_FAULTS], everyNs(1000, [1, 7, 100]));
  expect(computeWeights('samples', input)).toEqual({
    kind: 'samples',
    unit: 'samples',
    values: Float64Array.of(1, 1, 1),
  });
});

test('period weighs as the kernel reported, and leaves the table alone', () => {
  const input = recordingOf([PAGE_FAULTS], everyNs(1000, [1, 7, 100]));
  const weights = computeWeights('period', input);
  expect(weights.values).toEqual(Float64Array.of(1, 7, 100));
  weights.values[0] = 99;
  expect(input.samples.periodEvents[0]).toBe(1);
});

test('period weighs what was counted in between where samples read their counter, clocks as well', () => {
  for (const event of [PAGE_FAULTS, CPU_CLOCK]) {
    const input = recordingOf(
      [event],
      [
        { timeNs: 0, period: 5, stream: 0, count: 100 },
        { timeNs: 1, period: 5, stream: 1, count: 7 },
        { timeNs: 2, period: 5, stream: 0, count: 130 },
        { timeNs: 3, period: 5, stream: 0, count: 130 },
        { timeNs: 4, period: 5, stream: 1 },
      ],
    );
    expect(computeWeights('period', input).values).toEqual(Float64Array.of(100, 7, 30, 0, 5));
  }
});

test('events of a software event are what the previous sample announced', () => {
  const input = recordingOf([PAGE_FAULTS], everyNs(1000, [1, 1, 1, 10, 237, 10_010, 5455]));
  expect(elapsedOf(input)).toEqual(Float64Array.of(1, 1, 1, 1, 10, 237, 10_010));
  // Of the 9, 236 and 10 009 events between two samples each of the two gets half.
  expect(computeWeights('events', input)).toEqual({
    kind: 'events',
    unit: 'events',
    values: Float64Array.of(1, 1, 1, 5, 124, 5123, 5006),
  });
});

test('each stream is aligned by itself', () => {
  const input = recordingOf(
    [PAGE_FAULTS],
    [
      { timeNs: 0, period: 1, stream: 0 },
      { timeNs: 1, period: 7582, stream: 1 },
      { timeNs: 2, period: 5, stream: 0 },
      { timeNs: 3, period: 9860, stream: 1 },
      { timeNs: 4, period: 20, stream: 0 },
    ],
  );
  // Stream 1 was inherited: it starts with its parent's period, which it counted down first.
  expect(elapsedOf(input)).toEqual(Float64Array.of(1, 7582, 1, 7582, 5));
});

test('re-aligned periods of real recordings equal what the counter counted, sample by sample', () => {
  for (const name of [
    'page-faults-5000hz.tsv',
    'page-faults-500hz-sleeps.tsv',
    'page-faults-500hz-rare-phases.tsv',
    'page-faults-5000hz-inherited.tsv',
    'sys-enter-5000hz.tsv',
  ]) {
    const samples = fixtureSamples(name);
    const withCounts = recordingOf([PAGE_FAULTS], samples);
    const withPeriods = recordingOf([PAGE_FAULTS], withoutReads(samples));
    expect([...elapsedOf(withPeriods)], name).toEqual([...elapsedOf(withCounts)]);
    const last = new Map(samples.map((sample) => [sample.stream, sample.count!]));
    const counted = [...last.values()].reduce((a, b) => a + b, 0);
    expect(sum(computeWeights('events', withCounts).values), name).toBe(counted);
    expect(sum(computeWeights('events', withPeriods).values), name).toBe(counted);
  }
});

test("events of lost samples are in no sample's weight, but in the lost weight", () => {
  const all = fixtureSamples('page-faults-5000hz.tsv');
  // Samples 100 … 149 are lost.
  const samples = all.filter((_, i) => i < 100 || i >= 150);
  const lossGaps = [{ event: 0, cpu: 0, timeNs: samples[100].timeNs, samples: 50 }];
  const losses = [{ event: 0 as EventIndex, lostRecords: 50, lostSamples: 50 }];
  const input = recordingOf([PAGE_FAULTS], samples, { lossGaps, losses });
  const { values, lostBefore } = computeWeights('events', input);
  const own = samples[100].period;
  expect(lostBefore![100]).toBe(samples[100].count! - samples[99].count! - own);
  expect(sum(values) + sum(lostBefore!)).toBe(samples.at(-1)!.count);
  const time = computeWeights('time', input);
  expect(time.lostBefore![100]).toBeGreaterThan(0);
  const running = samples.at(-1)!.running!;
  expect(sum(time.values) + sum(time.lostBefore!)).toBeCloseTo(running, -1);
});

test('the samples around a gap without counts give the lost weight, LOST records its place', () => {
  const periods = [10, 10, 10, 10, 10, 10];
  const input = recordingOf(
    [PAGE_FAULTS],
    everyNs(1e6, periods).map((sample, i) => ({ ...sample, cpu: i % 2 })),
    {
      eventTotals: [160],
      losses: [{ event: 0 as EventIndex, lostRecords: 5, lostSamples: 10 }],
      lossGaps: [
        { event: 0, cpu: 1, timeNs: 1.9e6, samples: 4 },
        { event: 0, cpu: 0, timeNs: 3.9e6, samples: 1 },
      ],
    },
  );
  const { values, lostBefore } = computeWeights('events', input);
  expect(sum(values)).toBe(60);
  // The samples lie at 0, 1, 2 … ms, on CPUs 0, 1, 0 …
  // Five of the ten were lost after the last record that fitted.
  expect([...lostBefore!]).toEqual([0, 0, 0, 40, 10, 50]);
});

test('the counts still add up to the counter under loss; periods do not', () => {
  const samples = fixtureSamples('page-faults-5000hz.tsv').filter((_, i) => i % 4 === 0);
  const counted = sum(computeWeights('events', recordingOf([PAGE_FAULTS], samples)).values);
  const period = sum(
    computeWeights('events', recordingOf([PAGE_FAULTS], withoutReads(samples))).values,
  );
  expect(counted).toBe(samples.at(-1)!.count);
  expect(period / counted).toBeLessThan(0.3);
});

test('the weight of a driver that reports the elapsed period is that period', () => {
  const samples = simulate([{ durationNs: 50e6, eventsPerSecond: 1e6 }], {
    frequencyHz: 4000,
    rule: 'elapsed',
  });
  const elapsed = elapsedOf(recordingOf([CYCLES], withoutReads(samples)));
  expect([...elapsed]).toEqual(samples.map((sample) => sample.period));
});

test('a sample that was not read falls back to the period, also for the one after it', () => {
  const input = recordingOf(
    [PAGE_FAULTS],
    [
      { timeNs: 0, period: 1, count: 1 },
      { timeNs: 1, period: 4 },
      { timeNs: 2, period: 9, count: 6 },
      { timeNs: 3, period: 12, count: 15 },
    ],
  );
  expect(elapsedOf(input)).toEqual(Float64Array.of(1, 1, 4, 9));
});

test('a counter that went backwards is not believed', () => {
  const input = recordingOf(
    [{ ...PAGE_FAULTS, type: 0 }],
    [
      { timeNs: 0, period: 10, count: 10 },
      { timeNs: 1, period: 20, count: 3 },
      { timeNs: 2, period: 30, count: 33 },
    ],
  );
  expect(elapsedOf(input)).toEqual(Float64Array.of(10, 20, 30));
});

test('a sample that reports a period of its own weighs that in period mode, undivided', () => {
  const ofTheirOwn = {
    ...PAGE_FAULTS,
    mode: 'period',
    frequencyHz: null,
    fixedPeriod: null,
  } as const;
  const input = recordingOf([ofTheirOwn], everyNs(1000, [1000, 1, 1000]));
  expect(computeWeights('events', input).values).toEqual(Float64Array.of(1000, 1, 1000));
});

test('clocks weigh their period, in nanoseconds', () => {
  const input = recordingOf([CPU_CLOCK], everyNs(33_333, [33_333, 33_333]));
  for (const kind of ['events', 'time', 'period'] as const) {
    const weights = computeWeights(kind, input);
    expect(weights.unit).toBe('nanoseconds');
    expect(weights.values).toEqual(Float64Array.of(33_333, 33_333));
  }
});

test('a clock together with another event makes the unit events', () => {
  expect(computeWeights('events', recordingOf([CPU_CLOCK, CYCLES], [])).unit).toBe('events');
});

test('time is running time: sleep is not charged', () => {
  const samples = fixtureSamples('page-faults-500hz-sleeps.tsv');
  const { unit, values } = computeWeights('time', recordingOf([PAGE_FAULTS], samples));
  expect(unit).toBe('nanoseconds');
  expect(sum(values)).toBe(samples.at(-1)!.running);
  // The program slept twice, 800 ms in all, of 2.3 s.
  const wall = samples.at(-1)!.timeNs;
  expect(wall - (sum(values) - values[0])).toBeGreaterThan(790e6);
});

test('the second of two samples at one running time weighs 0', () => {
  const samples = [0, 40, 40, 100].map((running, i) => ({ timeNs: i, period: 1, running }));
  const { values } = computeWeights('time', recordingOf([PAGE_FAULTS], samples));
  expect([...values]).toEqual([0, 40, 0, 60]);
});

test('time without running time is refused, and the message says what to record', () => {
  const input = recordingOf([PAGE_FAULTS], everyNs(1000, [1, 2]));
  const attempt = () => computeWeights('time', input);
  expect(attempt).toThrow(FailedError);
  expect(attempt).toThrow("page-faults: this recording does not hold the event's running time");
  try {
    attempt();
  } catch (error) {
    expect((error as FailedError).hints.join(' ')).toContain('--counts');
  }
});

test('a recording without samples has no weights, of any kind', () => {
  for (const kind of ['samples', 'period', 'events', 'time'] as const) {
    expect(computeWeights(kind, recordingOf([PAGE_FAULTS], [])).values.length).toBe(0);
  }
});

test('the effective sample size counts equal weights fully and one giant as one', () => {
  const rows = Int32Array.of(0, 1, 2, 3);
  expect(effectiveSampleSize(Float64Array.of(5, 5, 5, 5), rows)).toBe(4);
  expect(effectiveSampleSize(Float64Array.of(1, 1, 1, 1e9), rows)).toBeCloseTo(1, 6);
  expect(effectiveSampleSize(Float64Array.of(0, 0, 0, 0), rows)).toBeNull();
});

test('wall divides events among the threads that ran, and leaves waits as long as they are', () => {
  const drawn = recordingOf([CPU_CLOCK], everyNs(1000, [8, 8, 8, 8]));
  const threadsRunning = Float64Array.of(1, 2, 4, Number.NaN);
  const input = { ...drawn, samples: { ...drawn.samples, threadsRunning } };
  expect(computeWeights('wall', input)).toEqual({
    kind: 'wall',
    unit: 'nanoseconds',
    values: Float64Array.of(8, 4, 2, 8),
  });
});

test('wall is refused where no switches were recorded, with the option that records them', () => {
  const input = recordingOf([CPU_CLOCK], everyNs(1000, [8, 8]));
  expect(() => computeWeights('wall', input)).toThrow(FailedError);
  try {
    computeWeights('wall', input);
  } catch (error) {
    expect((error as FailedError).hints.join()).toContain('--switch-events');
  }
});
