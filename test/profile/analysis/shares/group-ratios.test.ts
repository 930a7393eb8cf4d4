import { describe, expect, it, test } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import type { GroupIntervals } from '../../../../src/profile/analysis/shares/group-intervals.ts';
import {
  groupRatios,
  type RatioEstimate,
} from '../../../../src/profile/analysis/shares/group-ratios.ts';
import { ratioKeys } from '../../../../src/profile/analysis/shares/ratios.ts';
import { seededRandom } from '../../../helpers/random.ts';

/** The ratio of each function, where `functions[i]` was found at sample i; `part` and `whole` are of the intervals. */
function ratiosOf(
  functions: readonly number[],
  part: readonly number[],
  whole: readonly number[] = part.map(() => 1000),
): RatioEstimate[] {
  const intervals: GroupIntervals = {
    length: part.length,
    begin: Int32Array.from(part, (_, i) => i),
    end: Int32Array.from(part, (_, i) => i + 1),
    part: Float64Array.from(part),
    whole: Float64Array.from(whole),
  };
  const count = Math.max(...functions) + 1;
  const estimate = finish(groupRatios(intervals, ratioKeys(Int32Array.from(functions), count)));
  return Array.from({ length: count }, (_, func) => estimate(func));
}

/** A program that stays in one function after the other, sampled every 1000 events of `whole`. */
type Program = {
  /** Mean stays, in intervals. */
  readonly stays: readonly number[];
  readonly ratios: readonly number[];
  /** How far a stay's ratio is from its function's: the width of its logarithm. */
  readonly noise: number;
  /** Chance of each next function, by the one that is left; default: all others alike. */
  readonly next?: readonly (readonly number[])[];
  readonly samples: number;
  /** Stays are as long as their mean, within a tenth. */
  readonly areRegular?: boolean;
};

/** Per function: its true ratio in this run, and the estimate. */
function simulate(program: Program, seed: number): (RatioEstimate & { readonly truth: number })[] {
  const { stays, ratios, noise, next, samples, areRegular = false } = program;
  const random = seededRandom(seed);
  const sums = stays.map(() => ({ part: 0, whole: 0 }));
  const functions: number[] = [];
  const parts: number[] = [];
  let [func, left, ratio] = [0, 0, 0];
  const enter = (entered: number): void => {
    func = entered;
    left = areRegular
      ? stays[func] * (0.9 + 0.2 * random())
      : -stays[func] * Math.log(1 - random());
    ratio = ratios[func] * Math.exp(noise * (random() + random() + random() - 1.5));
  };
  const leave = (): number => {
    const chances =
      next?.[func] ?? stays.map((_, other) => (other === func ? 0 : 1 / (stays.length - 1)));
    let chance = random();
    let entered = 0;
    while (entered < chances.length - 1 && chance >= chances[entered]) chance -= chances[entered++];
    return entered;
  };
  enter(0);
  for (let i = 0; i <= samples; i++) {
    functions.push(func);
    if (i === samples) break;
    let part = 0;
    for (let rest = 1; rest > 0; ) {
      const step = Math.min(rest, left);
      part += step * 1000 * ratio;
      sums[func].part += step * 1000 * ratio;
      sums[func].whole += step * 1000;
      rest -= step;
      left -= step;
      if (left <= 1e-12) enter(leave());
    }
    parts.push(Math.round(part));
  }
  return ratiosOf(functions, parts).map((estimate, of) => ({
    ...estimate,
    truth: sums[of].part / sums[of].whole,
  }));
}

const RUNS = 60;

function holds({ low, high, truth }: RatioEstimate & { readonly truth: number }): boolean {
  return (low as number) <= truth && truth <= (high as number);
}

describe('ratios of a group by function', () => {
  it('divide what was counted between samples of the function, not at its borders', () => {
    const [f, g] = [0, 1];
    const stay = (func: number) => Array.from({ length: 20 }, () => func);
    const functions = [...stay(f), ...stay(g), ...stay(f), ...stay(g), f];
    // 500 of f, 3000 of g, and where one gives way to the other something in between.
    const part = functions.slice(1).map((func, i) => {
      if (func !== functions[i]) return 1700;
      return func === f ? 500 : 3000;
    });
    const [ofF, ofG] = ratiosOf(functions, part);
    expect([ofF.value, ofG.value]).toEqual([0.5, 3]);
    expect(ofF.low).toBeLessThan(0.5);
    expect(ofF.high).toBeGreaterThan(0.5);
    expect(ofF.high).toBeLessThan(0.6);
  });

  it('group ratios weigh intervals by what they divide by', () => {
    const functions = Array.from({ length: 41 }, () => 0);
    const whole = functions.slice(1).map((_, i) => (i % 2 === 0 ? 1000 : 3000));
    const part = whole.map((events) => (events === 1000 ? 1000 : 6000));
    expect(ratiosOf(functions, part, whole)[0].value).toBe(1.75);
  });

  it('group ratios are unknown for functions that alternate faster than samples come', () => {
    const random = seededRandom(3);
    const functions = Array.from({ length: 2001 }, () => (random() < 0.5 ? 0 : 1));
    const part = functions.slice(1).map(() => 1000);
    for (const estimate of ratiosOf(functions, part)) {
      expect(estimate).toEqual({ value: null, low: null, high: null, reason: 'mixed' });
    }
  });

  it('group ratios are unknown for a function with too few samples', () => {
    const functions = [...Array.from({ length: 100 }, () => 0), 1, 1, 1, 1];
    const part = functions.slice(1).map(() => 1000);
    const [, rare] = ratiosOf(functions, part);
    expect(rare).toEqual({ value: null, low: null, high: null, reason: 'few' });
  });

  it('group ratios have an upper end where nothing was counted', () => {
    const functions = Array.from({ length: 400 }, (_, i) => Math.floor(i / 40) % 2);
    const part = functions.slice(1).map((func) => (func === 0 ? 0 : 5));
    const [none] = ratiosOf(functions, part);
    expect(none.value).toBe(0);
    expect(none.low).toBe(0);
    expect(none.high).toBeGreaterThan(0);
    expect(none.high).toBeLessThan(1e-3);
  });

  it('group ratios of one function alone are as exact as its counters', () => {
    const functions = Array.from({ length: 1001 }, () => 0);
    const part = functions.slice(1).map((_, i) => 1500 + 100 * (i % 3));
    const [{ value, low, high }] = ratiosOf(functions, part);
    expect(value).toBeCloseTo(1.6, 3);
    expect((high as number) - (low as number)).toBeLessThan(0.03);
  });

  test.each<[string, Program]>([
    ['long stays', { stays: [20, 20], ratios: [1, 4], noise: 0.1, samples: 2000 }],
    ['stays of some samples', { stays: [5, 5], ratios: [2, 0.5], noise: 0.1, samples: 2000 }],
    ['stays of two samples', { stays: [2, 2], ratios: [1, 4], noise: 0.1, samples: 2000 }],
    ['a rare function', { stays: [50, 10], ratios: [1, 3], noise: 0.2, samples: 2000 }],
    [
      'regular stays',
      { stays: [7.3, 9.1], ratios: [1, 3], noise: 0.1, samples: 2000, areRegular: true },
    ],
    ['stays that differ much', { stays: [10, 10], ratios: [1, 2], noise: 1, samples: 1000 }],
    [
      'eight functions',
      {
        stays: [3, 3, 3, 3, 3, 3, 3, 3],
        ratios: [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 3],
        noise: 0.3,
        samples: 3000,
      },
    ],
    ['few samples', { stays: [10, 10, 10], ratios: [1, 2, 4], noise: 0.2, samples: 100 }],
  ])('group ratios are inside their intervals in 93 of 100 runs: %s', (_, program) => {
    let [shown, held] = [0, 0];
    for (let run = 1; run <= RUNS; run++) {
      for (const estimate of simulate(program, run * 7919)) {
        if (estimate.value === null) continue;
        shown++;
        if (holds(estimate)) held++;
      }
    }
    expect(shown).toBeGreaterThan((RUNS * program.stays.length) / 2);
    expect(held / shown).toBeGreaterThanOrEqual(0.93);
  });

  test.each([0.3, 0.1, 0.03])(
    'a function that calls another for %d of an interval now and then has a ratio that holds, or none',
    (short) => {
      const program = {
        stays: [2, short, 20],
        ratios: [1, 4, 2],
        noise: 0.1,
        samples: 2000,
        next: [
          [0, 0.95, 0.05],
          [1, 0, 0],
          [1, 0, 0],
        ],
      };
      let [shown, held] = [0, 0];
      for (let run = 1; run <= RUNS; run++) {
        const [caller, called] = simulate(program, run * 7919);
        expect(called.value).toBeNull();
        if (caller.value === null) continue;
        shown++;
        if (holds(caller)) held++;
      }
      expect(held).toBeGreaterThanOrEqual(0.93 * shown);
    },
  );

  it('group ratios grow narrower with the stays', () => {
    const width = (stay: number): number => {
      const [{ low, high, truth }] = simulate(
        { stays: [stay, stay], ratios: [1, 4], noise: 0.1, samples: 3000 },
        5,
      );
      return ((high as number) - (low as number)) / truth;
    };
    expect(width(5)).toBeLessThan(0.2);
    expect(width(20)).toBeLessThan(0.05);
    expect(width(100)).toBeLessThan(width(5));
  });
});
