import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { groupByStream } from '../../src/period/streams.ts';
import {
  createShareEstimator,
  secondsToSeparate,
  wilsonInterval,
} from '../../src/period/uncertainty/uncertainty.ts';
import {
  keysOfSelected,
  sumStepsByKey,
  sumStepsOfNeighbours,
} from '../../src/profile/analysis/shares/share-steps.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';
import { seededRandom } from './simulated-program.ts';

type Drawn = { readonly func: number; readonly weight: number; readonly stream: number };

type EstimateOptions = { scale?: number; select?: number; pending?: number };

const FUNCS = 4;

/** The estimate from the first `select` samples. `pending`: the period that was running when the last one was taken. */
function estimate(
  drawn: readonly Drawn[],
  { scale = 1, select = drawn.length, pending }: EstimateOptions = {},
) {
  const input = recordingOf(
    [PAGE_FAULTS],
    drawn.map(({ stream }, i): DrawnSample => ({ timeNs: i * 1000, period: 1, stream })),
  );
  const weights = Float64Array.from(drawn, ({ weight }) => weight * scale);
  const rows = Int32Array.from({ length: select }, (_, row) => row);
  const funcs = keysOfSelected(
    Int32Array.from(drawn, ({ func }) => func),
    rows,
  );
  const estimator = finish(
    createShareEstimator({
      weights,
      rows,
      groups: finish(groupByStream(input)),
      event: 0,
      ...(pending !== undefined && {
        course: {
          arrivedEvents: weights,
          periodEvents: weights.slice().fill(pending),
          isHalved: true,
        },
      }),
    }),
  );
  const sums = finish(sumStepsByKey(estimator.steps, funcs, FUNCS));
  const total = rows.reduce((sum, row) => sum + weights[row], 0);
  const shares = Array.from({ length: FUNCS }, (_, func) => {
    let self = 0;
    for (const row of rows) if (funcs[row] === func) self += weights[row];
    return self / total;
  });
  const intervals = shares.map((share, func) => estimator.intervalOf(share, sums, func));
  const errorOf = (a: number, b: number) => {
    const keys = funcs.map((func) => (func === a ? 0 : func === b ? 1 : -1));
    const [difference] = sumStepsOfNeighbours(estimator.steps, keys, 2);
    return estimator.errorOfDifference(shares[a], shares[b], difference);
  };
  return { shares, intervals, errorOf };
}

const drawnSamples = fc.array(
  fc.record({
    func: fc.integer({ min: 0, max: FUNCS - 1 }),
    weight: fc.integer({ min: 1, max: 1000 }),
    stream: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 60 },
);

/** `funcs` as samples of one stream and of equal weight. */
const ofEqualWeight = (funcs: readonly number[], weight = 100): Drawn[] =>
  funcs.map((func) => ({ func, weight, stream: 0 }));

/** 0 or 1, each drawn anew. */
function drawnFuncs(length: number): number[] {
  const random = seededRandom(7);
  return Array.from({ length }, () => (random() < 0.5 ? 0 : 1));
}

const width = ({ low, high }: { low: number; high: number }) => high - low;

test('an interval holds its share and stays within 0 and 1', () => {
  fc.assert(
    fc.property(drawnSamples, (drawn) => {
      const { shares, intervals } = estimate(drawn);
      for (const [func, { low, high }] of intervals.entries()) {
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(shares[func]);
        expect(high).toBeGreaterThanOrEqual(shares[func]);
        expect(high).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('weights in another unit give the same intervals', () => {
  fc.assert(
    fc.property(drawnSamples, (drawn) => {
      const once = estimate(drawn).intervals;
      // A power of two, so that not even rounding differs.
      expect(estimate(drawn, { scale: 1024 }).intervals).toEqual(once);
    }),
  );
});

test("the interval does not depend on the function's name", () => {
  fc.assert(
    fc.property(drawnSamples, (drawn) => {
      const turned = drawn.map((sample) => ({ ...sample, func: (sample.func + 1) % FUNCS }));
      const before = estimate(drawn).intervals;
      const after = estimate(turned).intervals;
      for (let func = 0; func < FUNCS; func++) {
        expect(after[(func + 1) % FUNCS].low).toBeCloseTo(before[func].low, 9);
        expect(after[(func + 1) % FUNCS].high).toBeCloseTo(before[func].high, 9);
      }
    }),
  );
});

test('streams that alternate are estimated apart', () => {
  // One thread is always in 0, the other in 1: nothing alternates.
  const drawn = Array.from({ length: 400 }, (_, i) => ({
    func: i % 2,
    weight: 100,
    stream: i % 2,
  }));
  const oneStream = drawn.map((sample) => ({ ...sample, stream: 0 }));
  expect(width(estimate(drawn).intervals[0])).toBeLessThan(
    width(estimate(oneStream).intervals[0]) / 5,
  );
});

test('long phases are known better than the same samples in any order', () => {
  const phases = ofEqualWeight(Array.from({ length: 400 }, (_, i) => Math.floor(i / 50) % 2));
  const mixed = ofEqualWeight(drawnFuncs(400));
  expect(width(estimate(phases).intervals[0])).toBeLessThan(
    width(estimate(mixed).intervals[0]) / 4,
  );
});

test('four times the samples halve the interval', () => {
  const funcs = drawnFuncs(4000);
  const all = width(estimate(ofEqualWeight(funcs)).intervals[0]);
  const quarter = width(estimate(ofEqualWeight(funcs.slice(0, 1000))).intervals[0]);
  expect(quarter / all).toBeGreaterThan(1.8);
  expect(quarter / all).toBeLessThan(2.2);
});

test('a function in every sample may have been elsewhere in 3.84 of n more', () => {
  const { low, high } = estimate(ofEqualWeight(Array(100).fill(0))).intervals[0];
  expect(high).toBe(1);
  expect(low).toBeCloseTo(1 - 3.84 / 103.84, 3);
});

test('Wilson: 5 of 100', () => {
  const { low, high } = wilsonInterval(0.05, (0.05 * 0.95) / 100, 100);
  expect(low).toBeCloseTo(0.0215, 4);
  expect(high).toBeCloseTo(0.1118, 4);
});

test('the error of a difference includes what moves between two functions', () => {
  const { errorOf } = estimate(ofEqualWeight([...drawnFuncs(600), ...Array(300).fill(2)]));
  // Drawn, x is 1 or −1 in 600 of 900 samples; against function 2 it is 1 in half of them. The
  // estimate itself is off by some per cent.
  const textbook = [Math.sqrt(600) / 900, Math.sqrt(600 / 4) / 900];
  expect(Math.abs(errorOf(0, 1) / textbook[0] - 1)).toBeLessThan(0.15);
  expect(Math.abs(errorOf(0, 2) / textbook[1] - 1)).toBeLessThan(0.15);
  expect(errorOf(1, 0)).toBeCloseTo(errorOf(0, 1), 12);
});

test('time to separate: the error falls with the root of it', () => {
  // 1.96 standard errors must fit into the difference: here they are twice as much.
  expect(secondsToSeparate(0.01, 0.02 / 1.959964, 10)).toBeCloseTo(30, 6);
  expect(secondsToSeparate(-0.01, 0.02 / 1.959964, 10)).toBeCloseTo(30, 6);
  expect(secondsToSeparate(0.1, 0.02, 10)).toBe(0);
  expect(secondsToSeparate(0.001, 0.02, 10)).toBeNull();
  expect(secondsToSeparate(0, 0.02, 10)).toBeNull();
});

test('a stream without selected samples makes no interval of a selection wider', () => {
  const selected = ofEqualWeight(drawnFuncs(50));
  const others: Drawn[] = drawnFuncs(50).map((func) => ({ func, weight: 1000, stream: 1 }));
  const alone = estimate(selected).intervals;
  expect(estimate([...selected, ...others], { select: selected.length }).intervals).toEqual(alone);
});

test('a sample of a twentieth of all weight stands for itself, whatever is around it', () => {
  const widthWith = (weight: number) => {
    const drawn = Array.from({ length: 191 }, (_, i) =>
      // In the middle of a run of function 0, which is at work nine tenths of the time.
      i === 95
        ? { func: 0, weight, stream: 0 }
        : { func: i % 10 === 0 ? 1 : 0, weight: 10, stream: 0 },
    );
    const { low, high } = estimate(drawn).intervals[0];
    return high - low;
  };
  // 100 of 2000 is the least that does.
  expect(widthWith(100)).toBeGreaterThan(1.15 * widthWith(99));
});

test('a function that only one long interval speaks for may have had all of it, or nothing', () => {
  const { shares, intervals } = estimate([
    ...ofEqualWeight([2, 2, 2, 2], 1),
    { func: 3, weight: 1500, stream: 0 },
    ...ofEqualWeight(drawnFuncs(400)),
  ]);
  // Pairs of samples as far apart, all of them in the work, show no border of this function.
  expect(intervals[3].low).toBe(0);
  expect(intervals[3].high).toBeGreaterThan(shares[3]);
  expect(intervals[3].high).toBeLessThan(3 * shares[3]);
});

test('the events after the last sample are at most the period that was running', () => {
  const drawn = [...ofEqualWeight(drawnFuncs(400)), { func: 3, weight: 1, stream: 0 }];
  const { intervals } = estimate(drawn, { pending: 2000 });
  const ofPending = 2000 / (400 * 100);
  expect(intervals[3].high).toBeGreaterThan(ofPending);
  // Wilson's shape for as large a variance of so small a share goes up to 0.996.
  expect(intervals[3].high).toBeLessThan(1.5 * ofPending);
});
