import { describe, expect, test } from 'vitest';
import {
  changeOf,
  leastSeen,
  type Quantity,
  runsThatDecide,
  spreadOfRuns,
} from '../../../src/profile/analysis/change.ts';
import { seededRandom } from '../../helpers/random.ts';

/** Share of one function of runs of 500 samples, with the interval of samples drawn at random. */
const SAMPLES = 500;
const SHARE = 0.25;
/** Runs of a program under a clock differ a third to a half as much as if each sample were drawn. */
const REGULAR = 0.35;
const RANDOM = 1;
const TRIES = 4000;

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The share that a run reports, whose spread is so much of that of random draws. */
function runOf(share: number, part: number, random: () => number): Quantity {
  const spread = Math.sqrt((share * (1 - share)) / SAMPLES);
  const value = Math.round((share + part * spread * normal(random)) * SAMPLES) / SAMPLES;
  const half = 1.96 * Math.sqrt(Math.max(1 / SAMPLES, value * (1 - value)) / SAMPLES);
  return { value, interval: { low: value - half, high: value + half } };
}

/** The part of comparisons in which the function certainly has more, where its cost has changed by a factor. */
function seen(factor: number, runs: number, part: number, base = SHARE): number {
  const random = seededRandom(runs * 100 + factor * 10 + part);
  const share = (base * factor) / (1 - base + base * factor);
  let met = 0;
  for (let i = 0; i < TRIES; i++) {
    const there = Array.from({ length: runs }, () => runOf(base, part, random));
    const here = Array.from({ length: runs }, () => runOf(share, part, random));
    if ((changeOf(here, there).interval?.low ?? 0) > 0) met++;
  }
  return met / TRIES;
}

describe('a change between several runs a side', () => {
  test.each([
    [3, REGULAR],
    [5, REGULAR],
    [3, RANDOM],
    [5, RANDOM],
  ])(
    'of %i equal runs that spread by %d one in forty at most is reported as more',
    (runs, part) => {
      expect(seen(1, runs, part)).toBeLessThan(0.03);
      // A sample or two in a run, which may be equal in all.
      expect(seen(1, runs, part, 0.002)).toBeLessThan(0.03);
    },
  );

  test('a function that takes 1.3 times as long is seen with three runs a side', () => {
    expect(seen(1.3, 3, REGULAR)).toBeGreaterThan(0.95);
    expect(seen(1.3, 5, REGULAR)).toBeGreaterThan(0.99);
  });

  test.each([
    [2, 2],
    [3, 3],
    [5, 5],
    [10, 10],
  ])(
    'of %i runs a side the least change that could be seen is seen four times in five by others as many',
    (here, there) => {
      const random = seededRandom(here);
      const side = (mean: number, count: number) =>
        Array.from({ length: count }, () => ({
          value: mean + 0.01 * normal(random),
          interval: null,
        }));
      const decided = (least: number, count: number): number =>
        (changeOf(side(0.2 + least, count), side(0.2, count)).interval?.low ?? 0) > 0 ? 1 : 0;
      let [seen, planned, plans] = [0, 0, 0];
      for (let i = 0; i < TRIES; i++) {
        const spread = spreadOfRuns(changeOf(side(0.2, here), side(0.2, there)), { here, there });
        if (spread === null) continue;
        seen += decided(leastSeen(spread, { here, there }), here);
        const count = runsThatDecide(spread, 0.012);
        if (count === null) continue;
        plans++;
        planned += decided(0.012, count);
      }
      expect(seen / TRIES).toBeGreaterThan(0.77);
      expect(seen / TRIES).toBeLessThan(0.84);
      expect(planned / plans).toBeGreaterThan(0.77);
    },
  );

  test('one recording a side gives no number of runs', () => {
    const one = (value: number) => [{ value, interval: { low: value - 0.1, high: value + 0.1 } }];
    expect(spreadOfRuns(changeOf(one(0.3), one(0.2)), { here: 1, there: 1 })).toBeNull();
  });
});
