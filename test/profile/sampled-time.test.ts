import { describe, expect, it } from 'vitest';
import {
  recordedLength,
  sampledPartText,
  sampledWithin,
  unsampledWithin,
} from '../../src/profile/sampled-time.ts';
import { EMPTY_META, profileFromText } from '../helpers/profile-from-text.ts';

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

describe('the length of a recording', () => {
  const withSpans = (sampled?: typeof SPANS) => ({
    ...profileFromText('main'),
    meta: { ...EMPTY_META, ...(sampled && { sampled }) },
    samples: { ...profileFromText('main').samples, timeNs: Float64Array.of(50) },
  });

  it('the length has as much as was sampled of it, which is told where that is a part', () => {
    const length = recordedLength(withSpans(SPANS));
    expect(length).toEqual({ recordedNs: 50, sampledNs: 30 });
    expect(sampledPartText(length)).toBe('sampled 30 ns of 50 ns');
  });

  it('a recording has no part where the events were enabled all the time, or that is not known', () => {
    const whole = recordedLength(withSpans([{ fromNs: -5, toNs: 60 }]));
    expect([whole?.sampledNs, sampledPartText(whole)]).toEqual([50, null]);
    expect(sampledPartText(recordedLength(withSpans()))).toBeNull();
  });
});
