import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { splitIntervals } from '../../src/period/interval-split.ts';
import { groupByStream } from '../../src/period/streams.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** The weights of samples that end intervals of so many events, `streams` of them in turn. */
function split(
  events: readonly number[],
  { lost = -1, streams = 1, event = PAGE_FAULTS } = {},
): number[] {
  const drawn = events.map(
    (period, i): DrawnSample => ({ timeNs: i * 1000, period, stream: i % streams }),
  );
  const input = recordingOf([event], drawn);
  const lostBefore = new Float64Array(events.length);
  if (lost >= 0) lostBefore[lost] = 1;
  const groups = finish(groupByStream(input));
  return [...splitIntervals(Float64Array.from(events), input, groups, lostBefore)];
}

test('each of two samples gets half of the events between them', () => {
  // 6, 19 and 9 events lie between; the odd one goes to either side in turn.
  expect(split([1, 7, 20, 10])).toEqual([1 + 3, 4 + 9, 11 + 5, 5]);
});

test('an interval of one event is the sample that ends it', () => {
  expect(split([1, 1, 1, 1])).toEqual([1, 1, 1, 1]);
});

test('an interval is divided among samples of its own stream', () => {
  expect(split([1, 1, 101, 41], { streams: 2 })).toEqual([1 + 50, 1 + 20, 51, 21]);
});

test('visits that end anywhere have what they made on average, though their intervals grow', () => {
  const events = [1, ...Array.from({ length: 30 }, (_, k) => 40 + 8 * k)];
  const weights = split(events);
  let off = 0;
  const [shortest, longest] = [700, 3700];
  for (let end = shortest; end < longest; end++) {
    let counted = 0;
    for (let k = 0, sampled = 1; sampled <= end; sampled += events[++k]) counted += weights[k];
    off += (counted - end) / (longest - shortest);
  }
  // A sixth of 8 events would be too much with halves; less than one can be given, and events are whole.
  expect(Math.abs(off)).toBeLessThan(0.6);
});

test('an interval in which samples were lost is left to the sample that ends it', () => {
  expect(split([1, 7, 20, 11], { lost: 2 })).toEqual([1 + 3, 4, 20 + 5, 6]);
});

test('a fixed period is divided too: only the ends of a stream weigh more or less than it', () => {
  const event = { ...PAGE_FAULTS, mode: 'period' as const, frequencyHz: null, fixedPeriod: 51 };
  expect(split([51, 51, 51, 51], { event })).toEqual([51 + 25, 51, 51, 26]);
});

test("a clock's intervals are not divided", () => {
  const event = { ...PAGE_FAULTS, mode: 'clock' as const, unit: 'nanoseconds' as const };
  expect(split([50, 50, 50], { event })).toEqual([50, 50, 50]);
});

test('a stream keeps its sum, and no weight falls below zero', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e6 }), { maxLength: 60 }), (events) => {
      const weights = split(events);
      const total = events.reduce((sum, count) => sum + count, 0);
      expect(weights.reduce((a, b) => a + b, 0)).toBe(total);
      expect(Math.min(0, ...weights)).toBe(0);
    }),
  );
});

/** Weights of 30 tasks, by turns; each is sampled every 37th event, in these functions. */
function splitTasks(tasks: readonly (readonly number[])[]): number[][] {
  const event = { ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: 37 } as const;
  const all = Array.from({ length: 30 }, (_, stream) => tasks[stream % tasks.length]);
  const drawn = all.flatMap((funcs, stream) =>
    funcs.map((func, k) => ({ timeNs: stream * 1000 + k, period: 37, stream, func })),
  );
  const input = recordingOf([event], drawn);
  const func = Int32Array.from(drawn, (sample) => sample.func);
  const groups = finish(groupByStream(input));
  const elapsed = new Float64Array(drawn.length).fill(37);
  const places = { func, stack: func, caller: func };
  const values = splitIntervals(elapsed, input, groups, null, places);
  return tasks.map((_, stream) => [...values.filter((__, row) => drawn[row].stream === stream)]);
}

test('half of an interval whose border all tasks have in common is given to nobody', () => {
  const [short] = splitTasks([
    [0, 1, 1, 1, 1, 1],
    [0, 1, 1, 1, 2],
  ]);
  // The start keeps what perf gives it, and the work has none of the start's half.
  expect(short).toEqual([37, 37, 37, 37, 37, 19]);
});

test('a border that lies at other samples in each task is divided', () => {
  const [short] = splitTasks([
    [0, 1, 1, 1, 1, 1],
    [0, 0, 1, 1, 1, 1],
  ]);
  expect(short).toEqual([55, 37, 37, 37, 37, 19]);
});

test('half of first intervals is given to nobody where much of all came before first samples', () => {
  const [short] = splitTasks([
    [1, 1],
    [1, 2],
    [1, 1, 2],
  ]);
  expect(short).toEqual([37, 19]);
});
