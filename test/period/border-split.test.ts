import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { splitBorders } from '../../src/period/border-split.ts';
import { groupByStream } from '../../src/period/streams.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** An interval: what it counted, how long it took. */
type Interval = readonly [events: number, nanos: number];

const repeat = (times: number, interval: Interval): Interval[] => Array(times).fill(interval);

/** The weights of the samples that end these intervals. */
function split(
  intervals: readonly Interval[],
  { lost = -1, running = [] as readonly number[], event = PAGE_FAULTS } = {},
): number[] {
  let timeNs = 0;
  let ran = 0;
  const drawn = intervals.map(([events, nanos], i): DrawnSample => {
    timeNs += nanos;
    ran += running[i] ?? Number.NaN;
    return { timeNs, period: events, running: ran };
  });
  const input = recordingOf([event], drawn);
  const elapsed = Float64Array.from(intervals, ([events]) => events);
  const lostBefore = new Float64Array(intervals.length);
  if (lost >= 0) lostBefore[lost] = 1;
  return [...splitBorders(elapsed, input, finish(groupByStream(input)), lostBefore)];
}

// Fast: an event every 1 µs. Slow: one every 20 µs.
const FAST: Interval = [50, 50_000];
const SLOW: Interval = [3, 60_000];
/** 40 events of the fast phase, then 10 of the slow one. */
const CROSSING: Interval = [50, 40_000 + 200_000];

test('an interval across a border is divided by the rates on either side', () => {
  const weights = split([...repeat(6, FAST), CROSSING, ...repeat(5, SLOW)]);
  expect(weights).toEqual([50, 50, 50, 50, 50, 90, 10, 3, 3, 3, 3, 3]);
});

test('an interval across a border to a higher rate is divided as well', () => {
  // 2 events of the slow phase, then 1 of the fast one.
  const weights = split([...repeat(6, SLOW), [3, 41_000], ...repeat(5, FAST)]);
  expect(weights).toEqual([3, 3, 3, 3, 3, 5, 1, 50, 50, 50, 50, 50]);
});

test('a border between phases needs rates that differ by half', () => {
  // 50 events in 62 µs, between 50 in 50 and 50 in 80: 30 µs of the fast phase, 32 of the slow one.
  const half = [...repeat(6, FAST), [50, 62_000] as const, ...repeat(5, [50, 80_000])];
  expect(split(half).slice(5, 7)).toEqual([80, 20]);
  const less = [...repeat(6, FAST), [50, 60_000] as const, ...repeat(5, [50, 70_000])];
  expect(split(less).slice(5, 7)).toEqual([50, 50]);
});

test('sleep at the border is left out where the running time was read', () => {
  const intervals = [...repeat(6, FAST), [50, 5_000_000] as const, ...repeat(5, SLOW)];
  const running = intervals.map(([, nanos]) => (nanos === 5_000_000 ? 240_000 : nanos));
  expect(split(intervals, { running }).slice(5, 7)).toEqual([90, 10]);
});

test("sleep without running times is left out of the interval's middle", () => {
  const weights = split([...repeat(6, FAST), [50, 5_000_000], ...repeat(5, SLOW)]);
  expect(weights.slice(5, 7)).toEqual([75, 25]);
});

test('phases that pass between two samples are not divided', () => {
  const intervals: Interval[] = [];
  for (let i = 0; i < 20; i++) intervals.push(...repeat(6, FAST), CROSSING, SLOW, SLOW);
  expect(split(intervals)).toEqual(intervals.map(([events]) => events));
});

test('an interval with lost samples is left alone and measures no rate', () => {
  const intervals = [...repeat(6, FAST), CROSSING, ...repeat(5, SLOW)];
  const events = intervals.map(([count]) => count);
  expect(split(intervals, { lost: 6 })).toEqual(events);
  expect(split(intervals, { lost: 5 })).toEqual(events);
});

test('a fixed period is not divided at a border', () => {
  const intervals = [...repeat(6, FAST), CROSSING, ...repeat(5, SLOW)];
  const event = { ...PAGE_FAULTS, mode: 'period' as const, frequencyHz: null, fixedPeriod: 50 };
  expect(split(intervals, { event })).toEqual(intervals.map(([events]) => events));
});

test('a stream keeps its sum, and no weight falls below zero', () => {
  const interval = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e9 }));
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 60 }), (intervals) => {
      const weights = split(intervals);
      const total = intervals.reduce((sum, [events]) => sum + events, 0);
      expect(weights.reduce((a, b) => a + b, 0)).toBe(total);
      expect(Math.min(0, ...weights)).toBe(0);
    }),
  );
});
