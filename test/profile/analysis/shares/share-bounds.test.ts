import { describe, expect, it } from 'vitest';
import {
  boundsOfLost,
  boundsOfNothing,
  boundsOfShare,
} from '../../../../src/profile/analysis/shares/share-bounds.ts';
import type {
  ShareEstimator,
  StepSums,
} from '../../../../src/profile/analysis/shares/share-steps.ts';

const NONE = new Float64Array(1);
const SUMS: StepSums = {
  near: NONE,
  far: NONE,
  entered: NONE,
  ends: NONE,
  last: NONE,
  lone: NONE,
  shift: NONE,
};
const NO_STEPS = { length: 0, from: new Int32Array(), to: new Int32Array(), amount: NONE };

/** Every share of what arrived is known to ± 0.1. */
function estimatorWith(least: number, most: number): ShareEstimator {
  return {
    isExact: false,
    steps: { near: [], far: [], ends: NO_STEPS, last: NO_STEPS, lone: NO_STEPS, shift: NO_STEPS },
    effectiveSamples: 100,
    lostBounds: { least, most },
    intervalOf: (share) => ({ low: share - 0.1, high: share + 0.1 }),
    intervalOfNothing: () => ({ low: 0, high: 0.02 }),
    errorOfDifference: () => 0.1,
  };
}

describe('intervals of shares where samples were lost', () => {
  it('share bounds allow all or none of the lost weight to be the function', () => {
    // 80 arrived, 20 were lost: 10 to 40.
    const estimator = estimatorWith(0.5, 2);
    const everything = { weight: 100, lost: 20 };
    const { low, high } = boundsOfShare(estimator, everything, 0.4, SUMS, 0);
    expect(low).toBeCloseTo((0.4 * 80) / 120);
    expect(high).toBeCloseTo((0.6 * 80 + 40) / 120);
    const lost = boundsOfLost(estimator, everything);
    expect(lost.low).toBeCloseTo(10 / 90);
    expect(lost.high).toBeCloseTo(40 / 120);
  });

  it('share bounds of a function without a sample reach the lost share', () => {
    const { low, high } = boundsOfNothing(estimatorWith(1, 1), { weight: 1000, lost: 15 });
    expect(low).toBe(0);
    expect(high).toBeCloseTo((0.02 * 985 + 15) / 1000);
  });

  it('share bounds without losses are those of the samples', () => {
    const estimator = estimatorWith(1, 1);
    const { low, high } = boundsOfShare(estimator, { weight: 10, lost: 0 }, 0.4, SUMS, 0);
    expect([low, high]).toEqual([0.4 - 0.1, 0.4 + 0.1]);
    expect(boundsOfNothing(estimator, { weight: 10, lost: 0 })).toEqual({ low: 0, high: 0.02 });
    expect(boundsOfLost(estimator, { weight: 10, lost: 0 })).toEqual({ low: 0, high: 0 });
  });
});
