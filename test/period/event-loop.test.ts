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
});
