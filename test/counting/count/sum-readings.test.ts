import { describe, expect, it } from 'vitest';
import { scaleCount } from '../../../src/counting/count/scale-count.ts';
import { spreadOf } from '../../../src/counting/count/spread.ts';
import { readingSince, sumReadings } from '../../../src/counting/count/sum-readings.ts';

const reading = (value: number, enabledNs: number, runningNs: number) => ({
  value,
  enabledNs,
  runningNs,
});

describe('the sum of instances', () => {
  it('the sum is exact where each instance was counted all the time', () => {
    expect(sumReadings([reading(3, 10, 10), reading(4, 20, 20)])).toEqual({
      value: 7,
      counted: 7,
      enabledNs: 30,
      runningNs: 30,
      runningShare: 1,
    });
  });

  it('a sum scales each instance by its own times: 100 in a quarter is 400, and 100 all the time is 100', () => {
    const sum = sumReadings([reading(100, 40, 10), reading(100, 40, 40)]);
    // By the sums of the times it would be 200 × 80 / 50 = 320.
    expect(sum.value).toBe(500);
    expect(sum.runningShare).toBe(50 / 80);
  });

  it('a sum rounds an instance as a group is rounded: 27 in 6 of 13 is 58.5, which is 59', () => {
    // The quotient 13 / 6 is rounded down in a double, and 27 times that is below 58.5.
    expect(sumReadings([reading(27, 13, 6)]).value).toBe(59);
    expect(scaleCount(27n, 13n, 6n)).toBe(59n);
  });

  it('an instance that was never counted is taken to be like the others', () => {
    const sum = sumReadings([reading(100, 40, 40), reading(0, 10, 0)]);
    expect(sum).toMatchObject({ value: 125, counted: 100 });
  });

  it('the sum of uncounted instances is null, not 0', () => {
    expect(sumReadings([reading(0, 40, 0)])).toMatchObject({ value: null, runningShare: 0 });
    expect(sumReadings([reading(0, 0, 0)])).toMatchObject({ value: null, runningShare: null });
  });

  it('the sum over an interval uses differences of the times', () => {
    const delta = readingSince(reading(70, 60, 40), reading(50, 40, 30));
    expect(sumReadings([delta]).value).toBe(40);
  });
});

describe('the spread of runs', () => {
  it('the spread is the standard error of the mean that perf prints', () => {
    expect(spreadOf([8, 10, 12])).toEqual({
      mean: 10,
      stddev: 2,
      error: expect.closeTo(2 / Math.sqrt(3), 12),
      min: 8,
      max: 12,
      runs: 3,
    });
  });

  it('the spread of large counts keeps small differences', () => {
    const base = 9e15;
    expect(spreadOf([base, base + 2])?.stddev).toBeCloseTo(Math.SQRT2, 6);
  });

  it('the spread of one run is 0, of no run unknown', () => {
    expect(spreadOf([5])).toMatchObject({ mean: 5, stddev: 0, error: 0 });
    expect(spreadOf([])).toBeNull();
  });
});
