import { expect, test } from 'vitest';
import { type ComparedProfile, compareWeights } from '../../src/period/report/disagreement.ts';

/** Four samples of `hot` and one of `cold`, which stands for as many events as these together. */
const compared = (more: Partial<ComparedProfile> = {}): ComparedProfile => ({
  weights: {
    samples: Float64Array.of(1, 1, 1, 1, 1),
    period: Float64Array.of(10, 10, 10, 40, 10),
    events: Float64Array.of(10, 10, 10, 10, 40),
  },
  funcOfSample: Int32Array.of(0, 0, 0, 0, 1),
  funcCount: 2,
  nameOf: (func) => ['hot', 'cold'][func] ?? '[no stack]',
  ...more,
});
const ONE_EVENT = new Int32Array(5);

test('the distance of two weights is the share under different functions', () => {
  const { distance, functions } = compareWeights(compared(), 0, ONE_EVENT)!;
  expect(distance.samples).toBeCloseTo(0.3, 12);
  expect(distance.period).toBeCloseTo(0.375, 12);
  expect(distance.time).toBeNull();
  expect(functions.map((shares) => shares.function)).toEqual(['hot', 'cold']);
  expect(functions[1]).toEqual({
    function: 'cold',
    samples: 0.2,
    period: 0.125,
    events: 0.5,
    time: null,
  });
});

test('weight time is compared where it was recorded, and lists no function', () => {
  const weights = {
    samples: Float64Array.of(1, 1),
    period: Float64Array.of(1, 1),
    events: Float64Array.of(1, 1),
    time: Float64Array.of(3, 1),
  };
  const result = compareWeights(
    compared({ weights, funcOfSample: Int32Array.of(0, 1) }),
    0,
    new Int32Array(2),
  )!;
  expect(result).toEqual({ distance: { samples: 0, period: 0, time: 0.25 }, functions: [] });
});

test('samples without a stack compare as one function', () => {
  const { functions } = compareWeights(
    compared({ funcOfSample: Int32Array.of(0, 0, 0, 0, -1) }),
    0,
    ONE_EVENT,
  )!;
  expect(functions.map((shares) => shares.function)).toEqual(['[no stack]', 'hot']);
});

test('the comparison uses only samples of the event, and is null without weight', () => {
  const { distance } = compareWeights(compared(), 0, Int32Array.of(0, 0, 0, 1, 1))!;
  expect(distance).toEqual({ samples: 0, period: 0, time: null });
  expect(compareWeights(compared(), 2, ONE_EVENT)).toBeNull();
});

test('the five functions that differ most are listed', () => {
  const samples = Float64Array.from({ length: 8 }, () => 1);
  const events = Float64Array.from({ length: 8 }, (_, i) => 1 + i * i);
  const { functions } = compareWeights(
    {
      weights: { samples, period: samples, events },
      funcOfSample: Int32Array.from({ length: 8 }, (_, i) => i),
      funcCount: 8,
      nameOf: (func) => `f${func}`,
    },
    0,
    new Int32Array(8),
  )!;
  expect(functions.map((shares) => shares.function)).toEqual(['f7', 'f6', 'f0', 'f1', 'f2']);
});
