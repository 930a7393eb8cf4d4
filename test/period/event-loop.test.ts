import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../bench/coverage/random.mjs';
import { findEventLoop } from '../../src/period/event-loop.ts';
import { inStepRemedy, inStepText } from '../../src/period/report/in-step-words.ts';
import { PAGE_FAULTS } from './recording.ts';

/** The loop found of samples at intervals by `intervalOf`, in functions by `funcOf` of what was counted. */
function find(
  seed: number,
  intervalOf: (random: Random) => number,
  funcOf: (counted: number, random: Random) => number,
) {
  const random = createRandom(seed);
  let sum = random.integer(1000);
  const counted = Float64Array.from({ length: 900 }, () => {
    sum += intervalOf(random);
    return sum;
  });
  return findEventLoop(
    counted,
    Int32Array.from(counted, (count) => funcOf(count, random)),
  );
}

const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);
/** Nearly two turns of a loop of 50: half an event less on average. */
const nearTwoTurns = (random: Random) => 98 + random.integer(4);
const inLoopOf = (length: number) => (count: number) => (count % length < 0.7 * length ? 0 : 1);

describe('a loop of events', () => {
  it('a loop that samples move through slowly is reported', () => {
    for (const seed of SEEDS) {
      const found = find(seed, nearTwoTurns, inLoopOf(50));
      expect(found, `seed ${seed}`).toMatchObject({ kind: 'loop' });
      // Neighbouring samples are in one function for some twenty samples: drawn ones tell more.
      expect(found!.times).toBeGreaterThan(1.2);
    }
  });

  it('a loop is named by its events, with the rate that avoids it', () => {
    const found = find(1, nearTwoTurns, inLoopOf(50))!;
    expect(found.events).toBeCloseTo(50, 1);
    expect(inStepText(found)).toContain('again every 50 events or so');
    expect(inStepRemedy(found, { ...PAGE_FAULTS, frequencyHz: 1000 })).toBe('record with -F 719');
  });

  it('a loop that samples see all over is not reported', () => {
    const anywhere = (random: Random) => 60 + random.integer(80);
    for (const seed of SEEDS) expect(find(seed, anywhere, inLoopOf(50))).toBeNull();
  });

  it('a loop is not seen in drawn samples, nor in phases of any length', () => {
    for (const seed of SEEDS) {
      expect(find(seed, nearTwoTurns, (_, random) => random.pick([0.6, 0.3, 0.1]))).toBeNull();
      let func = 0;
      let until = 0;
      const inPhases = (counted: number, random: Random) => {
        while (counted > until) {
          until += random.between(500, 4000);
          func = 1 - func;
        }
        return func;
      };
      expect(find(seed, nearTwoTurns, inPhases), `phases, seed ${seed}`).toBeNull();
    }
  });

  it('a loop of many intervals is seen as it is', () => {
    for (const seed of SEEDS) expect(find(seed, nearTwoTurns, inLoopOf(2500))).toBeNull();
  });

  describe('samples whose period comes to rest', () => {
    /** The k-th interval: from 700 events down to 299, and 299 from then on. */
    const toRest = (k: number) => 299 + Math.floor(400 * 0.85 ** k);
    const findFrom = (start: number, funcOf: (counted: number, k: number) => number) => {
      let sum = start;
      const counted = Float64Array.from({ length: 900 }, (_, k) => {
        sum += toRest(k);
        return sum;
      });
      const states = Int32Array.from(counted, funcOf);
      return {
        settled: findEventLoop(counted.slice(110), states.slice(110)),
        all: findEventLoop(counted, states, false),
      };
    };

    it('a loop of nearly one interval is told by the way to the rest, and by that alone', () => {
      const found = SEEDS.map((seed) => findFrom(seed * 37, inLoopOf(300)));
      expect(found.filter(({ settled }) => settled !== null)).toEqual([]);
      const told = found.filter(({ all }) => all !== null);
      // Some twenty samples decide: not all of the ways show both functions often enough.
      expect(told.length).toBeGreaterThanOrEqual(SEEDS.length / 2);
    });

    it('phases that are as long as a loop would seem are not told', () => {
      // 300 samples are a turn in both; the way lies in one phase, or in another mix of the two.
      const inPhases = (start: number) => (_: number, k: number) =>
        (k + start) % 300 < 210 ? 0 : 1;
      const mixed = (start: number) => (_: number, k: number) =>
        k < 30 ? ((k * k + start) % 3) & 1 : (k + start) % 300 < 210 ? 0 : 1;
      for (const seed of SEEDS) {
        expect(findFrom(0, inPhases(seed * 37)).all, `seed ${seed}`).toBeNull();
      }
      const told = SEEDS.filter((seed) => findFrom(0, mixed(seed * 37)).all !== null);
      expect(told.length).toBeLessThanOrEqual(1);
    });
  });
});
