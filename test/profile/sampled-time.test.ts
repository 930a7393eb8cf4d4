import { describe, expect, it } from 'vitest';
import { sampledWithin, unsampledWithin } from '../../src/profile/sampled-time.ts';

const SPANS = [
  { fromNs: 10, toNs: 20 },
  { fromNs: 30, toNs: 50 },
];

describe('time in which events were enabled', () => {
  it.each([
    ['a range within a span is sampled as a whole', 12, 18, 6, []],
    ['a range over both spans leaves out what lies between them', 15, 40, 15, [[20, 30]]],
    ['a range outside of all spans has nothing', 60, 70, 0, [[60, 70]]],
    [
      'a range wider than all spans has gaps at both ends',
      0,
      60,
      30,
      [
        [0, 10],
        [20, 30],
        [50, 60],
      ],
    ],
    ['an empty range is empty', 25, 25, 0, []],
  ] as const)('%s', (_, fromNs, toNs, sampled, gaps) => {
    expect(sampledWithin(SPANS, { fromNs, toNs })).toBe(sampled);
    expect(unsampledWithin(SPANS, { fromNs, toNs })).toEqual(
      gaps.map(([from, to]) => ({ fromNs: from, toNs: to })),
    );
  });

  it('all of a recording that does not keep its spans counts as sampled', () => {
    expect(sampledWithin(undefined, { fromNs: 5, toNs: 25 })).toBe(20);
    expect(unsampledWithin(undefined, { fromNs: 5, toNs: 25 })).toEqual([]);
  });

  it('a recording whose events were never enabled has no sampled time', () => {
    expect(sampledWithin([], { fromNs: 5, toNs: 25 })).toBe(0);
  });
});
