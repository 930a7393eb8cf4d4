import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { alignPeriods } from '../../src/period/alignment.ts';
import { simulate } from './controller-simulator.ts';
import { CYCLES, type DrawnSample, recordingOf } from './recording.ts';

const PEBS = {
  ...CYCLES,
  driverRule: { driver: 'Intel PEBS, Linux 6.14', rule: 'elapsed', countsLag: true },
} as const;

// The period climbs in the first stretch of each pair and falls in the second.
const RESTLESS = Array.from({ length: 12 }, () => [
  { durationNs: 60e6, eventsPerSecond: 1e6 },
  { durationNs: 120e6, eventsPerSecond: 200 },
]).flat();

const fresh = simulate(RESTLESS, {
  frequencyHz: 4000,
  rule: 'elapsed',
});
/** The count that the sample before had when it was taken. */
const late: DrawnSample[] = fresh.map((sample, i) => ({
  ...sample,
  count: i === 0 ? 0 : (fresh[i - 1].count ?? Number.NaN),
}));

const align = (samples: readonly DrawnSample[], event: typeof PEBS | typeof CYCLES = PEBS) =>
  finish(alignPeriods(recordingOf([event], samples)));

test('late counts of PEBS do not vote for the wrong rule, and each interval keeps its events', () => {
  const { rules, elapsedEvents } = align(late);
  expect(rules[0]).toMatchObject({ rule: 'elapsed', from: 'counts', countsLag: true });
  expect(rules[0].contradiction).toBeUndefined();
  expect(elapsedEvents).toEqual(align(fresh).elapsedEvents);
});

test('counts of PEBS that are up to date are taken as they are', () => {
  const { rules } = align(fresh);
  expect(rules[0]).toMatchObject({ rule: 'elapsed', from: 'counts' });
  expect(rules[0].countsLag).toBeUndefined();
});

test('counts that speak for the next interval and begin with it are no lag: they overrule the table', () => {
  const samples = simulate(RESTLESS, {
    frequencyHz: 4000,
    rule: 'next',
  });
  expect(align(samples).rules[0]).toMatchObject({
    rule: 'next',
    from: 'counts',
    contradiction: { table: 'elapsed', by: 'counts' },
  });
});
