import { describe, expect, it } from 'vitest';
import { boundsOfTotal } from '../../src/questions/compare.ts';

const none = new Int32Array(1);
/** One stream whose last interval was 3 events. */
const estimator = {
  lostBounds: { least: 0.5, most: 2 },
  steps: { last: { length: 1, from: none, to: none, amount: Float64Array.of(3) } },
};
const input = { weight: 100, lost: 0, kind: 'events', estimator, counted: null } as const;

describe('the bounds of a total', () => {
  it('the bounds reach to what was counted in the end', () => {
    expect(boundsOfTotal({ ...input, counted: 104 })).toEqual({ low: 100, high: 104 });
    expect(boundsOfTotal({ ...input, counted: 99 })).toEqual({ low: 99, high: 100 });
  });

  it('the bounds have an interval of each stream where the final count is not known', () => {
    expect(boundsOfTotal(input)).toEqual({ low: 100, high: 103 });
    expect(boundsOfTotal({ ...input, kind: 'period', counted: 104 }).high).toBe(103);
  });

  it('the bounds have the loss between them', () => {
    expect(boundsOfTotal({ ...input, lost: 10 })).toEqual({ low: 95, high: 113 });
  });
});
