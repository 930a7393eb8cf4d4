import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { findRules } from '../../src/period/period-rule.ts';
import { groupByStream } from '../../src/period/streams.ts';
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
  withoutReads,
} from './recording.ts';

const rulesOf = (input: PeriodInput) => finish(findRules(input, finish(groupByStream(input))));

// Dense stretches with stretches of few events on a busy CPU between them: ticks bring the period
// down, and it ramps up again.
const RESTLESS = Array.from({ length: 12 }, () => [
  { durationNs: 60e6, eventsPerSecond: 1e6 },
  { durationNs: 120e6, eventsPerSecond: 200 },
]).flat();

test('the counts show rule next: the last sample reported the interval counted', () => {
  const input = recordingOf([PAGE_FAULTS], fixtureSamples('page-faults-5000hz.tsv'));
  expect(rulesOf(input)).toEqual([{ rule: 'next', from: 'counts', confidence: 1 }]);
});

test('the counts show rule elapsed: a driver reports the past period', () => {
  const samples = simulate([{ durationNs: 50e6, eventsPerSecond: 1e6 }], {
    frequencyHz: 4000,
    rule: 'elapsed',
  });
  expect(rulesOf(recordingOf([CYCLES], samples))).toEqual([
    { rule: 'elapsed', from: 'counts', confidence: 1 },
  ]);
});

test('the counts overrule the table', () => {
  const samples = simulate([{ durationNs: 50e6, eventsPerSecond: 1e6 }], {
    frequencyHz: 5000,
    rule: 'elapsed',
  });
  expect(rulesOf(recordingOf([PAGE_FAULTS], samples))[0].rule).toBe('elapsed');
});

/** A stream of pairs; each counts what its sample reported, or its elder, and `off` more. */
function pairsThatVote(votes: string, off = 0): DrawnSample[] {
  let count = 0;
  const samples = [{ timeNs: 0, period: 100, count }];
  for (const [i, vote] of [...votes].entries()) {
    const period = i % 2 === 0 ? 10_000 : 100;
    count += (vote === 'n' ? samples[i].period : period) + off;
    samples.push({ timeNs: 1e6 * (i + 1), period, count });
  }
  return samples;
}

test.each([
  ['nnnnnnnn', 0, 'next', 1],
  ['eeeeeeee', 0, 'elapsed', 1],
  ['nnnnnnn', 0, 'too few', null],
  ['nnnnnnnnne', 0, 'next', 0.9],
  ['nnnnnnnne', 0, 'too divided', null],
  // 100 and 11 are within a tenth of 111, 100 and 12 are not of 112; large ones always are.
  ['n-n-n-n-n-n-n-n', 11, 'next', 1],
  ['n-n-n-n-n-n-n-n', 12, 'too far off', null],
])('pairs that vote %s, %d off: %s', (drawn, off, rule, confidence) => {
  // Of pairs drawn with a gap only those that follow a period of 100 vote.
  const samples = pairsThatVote(drawn, off);
  const isGapped = drawn.includes('-');
  const streams = samples.map((sample, i) =>
    isGapped ? { ...sample, stream: Math.floor(i / 2) } : sample,
  );
  const [found] = rulesOf(recordingOf([CYCLES], streams));
  if (confidence === null) expect(found.from).not.toBe('counts');
  else expect(found).toEqual({ rule, from: 'counts', confidence });
});

test('counts that fit neither candidate decide nothing', () => {
  // Every second sample was lost: differences are sums of two periods.
  const samples = fixtureSamples('page-faults-5000hz.tsv').filter((_, i) => i % 2 === 0);
  const [rule] = rulesOf(recordingOf([CYCLES], samples));
  expect(rule.from).not.toBe('counts');
});

test('software events, tracepoints and breakpoints report the next period, also without counts', () => {
  const samples = withoutReads(fixtureSamples('sys-enter-5000hz.tsv'));
  for (const type of [1, 2, 5]) {
    expect(rulesOf(recordingOf([{ ...PAGE_FAULTS, type }], samples))).toEqual([
      { rule: 'next', from: 'table', confidence: 1 },
    ]);
  }
});

test('a period that never changes follows rule elapsed', () => {
  const fixed = { ...CYCLES, mode: 'period', frequencyHz: null, fixedPeriod: 1000 } as const;
  const input = recordingOf([fixed, CPU_CLOCK], everyNs(1000, [1000, 1000]));
  expect(rulesOf(input).map(({ rule }) => rule)).toEqual(['elapsed', 'elapsed']);
});

for (const { rule, frequencyHz } of [
  { rule: 'next', frequencyHz: 5000 },
  { rule: 'elapsed', frequencyHz: 500 },
] as const) {
  test(`jumps of the period show without counts that a driver reports the ${rule} interval`, () => {
    const samples = withoutReads(simulate(RESTLESS, { frequencyHz, rule }));
    const [found] = rulesOf(recordingOf([CYCLES], samples));
    expect(found).toMatchObject({ rule, from: 'fit' });
    expect(found.confidence).toBeGreaterThan(0.75);
  });
}

test.each([
  ['x86-next', 'next'],
  ['pebs', 'elapsed'],
] as const)(
  'the loop of %s, which answers at the next sample, does not bend the fit',
  (rule, truth) => {
    for (const frequencyHz of [997, 3989]) {
      const samples = withoutReads(simulate(RESTLESS, { frequencyHz, rule }));
      expect(rulesOf(recordingOf([CYCLES], samples))[0].rule).toBe(truth);
    }
  },
);

const ARM = { driver: 'ARM', rule: 'elapsed', countsLag: false } as const;

test('the table of drivers decides without counts, however even the periods are', () => {
  const steady = everyNs(250_000, new Array(500).fill(100_000));
  expect(rulesOf(recordingOf([{ ...CYCLES, driverRule: ARM }], steady))).toEqual([
    { rule: 'elapsed', from: 'table', confidence: 1, driver: 'ARM' },
  ]);
});

test('a sequence of periods that contradicts the table of drivers leaves the rule unknown, and says so', () => {
  const samples = withoutReads(simulate(RESTLESS, { frequencyHz: 3989, rule: 'x86-next' }));
  expect(rulesOf(recordingOf([{ ...CYCLES, driverRule: ARM }], samples))).toEqual([
    {
      rule: 'unknown',
      from: 'table',
      confidence: 0,
      driver: 'ARM',
      contradiction: { table: 'elapsed', by: 'fit' },
    },
  ]);
});

test('a real recording without counts is recognized by its jumps, were its event not known', () => {
  const samples = withoutReads(fixtureSamples('page-faults-500hz-rare-phases.tsv'));
  expect(rulesOf(recordingOf([CYCLES], samples))[0]).toMatchObject({ rule: 'next', from: 'fit' });
});

test('the rule stays unknown without counts and without jumps', () => {
  const steady = everyNs(
    250_000,
    Array.from({ length: 500 }, (_, i) => 100_000 + (i % 7)),
  );
  expect(rulesOf(recordingOf([CYCLES], steady))).toEqual([
    { rule: 'unknown', from: 'fit', confidence: 0 },
  ]);
});

test('jumps whose event rate is noise leave the rule unknown', () => {
  // Interval lengths that have nothing to do with either period.
  let time = 0;
  const noise = Array.from({ length: 400 }, (_, i) => {
    time += 20_000 * 2 ** ((i * 37) % 11);
    return { timeNs: time, period: 1000 * 2 ** ((i * 53) % 9) };
  });
  expect(rulesOf(recordingOf([CYCLES], noise))[0].rule).toBe('unknown');
});
