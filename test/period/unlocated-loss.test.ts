import { describe, expect, it } from 'vitest';
import { computeWeights } from '../../src/period/weights.ts';
import type { EventIndex, ProfileEvent } from '../../src/profile/types.ts';
import { everyNs, PAGE_FAULTS, recordingOf } from './recording.ts';

const FIXED: ProfileEvent = { ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: 50 };
const MS = 1e6;
const lossOf = (lostRecords: number, lostSamples = lostRecords) => [
  { event: 0 as EventIndex, lostRecords, lostSamples },
];
const gap = (ms: number, samples: number) => ({ event: 0, cpu: 0, timeNs: ms * MS, samples });

/** Ten samples, one a millisecond, and a gap behind the fifth. */
function tenSamples(event: ProfileEvent, periods: readonly number[], total: number, lost = 2) {
  return recordingOf([event], everyNs(MS, periods), {
    losses: lossOf(lost),
    lossGaps: [gap(4.5, lost)],
    eventTotals: [total],
  });
}

const sum = (values: Float64Array = new Float64Array(0)) => values.reduce((a, b) => a + b, 0);

describe('what was lost without counts', () => {
  it('losses without counts are estimated by the samples around the gap', () => {
    // 500 events arrived, a tail of 100 000 came after the last samples.
    const input = tenSamples(PAGE_FAULTS, new Array(10).fill(50), 100_600);
    const { lostBefore, lostBounds } = computeWeights('events', input);
    expect(sum(lostBefore)).toBe(100);
    expect(lostBefore![5]).toBe(100);
    expect(lostBounds).toEqual([{ least: 1, most: 1 }]);
  });

  it('losses without counts have bounds where the samples around the gap differ', () => {
    const input = tenSamples(PAGE_FAULTS, [50, 50, 25, 25, 50, 100, 50, 50, 50, 50], 10_000);
    const { lostBefore, lostBounds } = computeWeights('events', input);
    const lost = sum(lostBefore);
    const [bounds] = lostBounds!;
    expect(lost).toBeGreaterThan(2 * 25);
    expect(lost).toBeLessThan(2 * 100);
    expect(bounds!.least * lost).toBeCloseTo(2 * 25);
    expect(bounds!.most * lost).toBeCloseTo(2 * 100);
  });

  it("losses without counts never exceed the counter's rest", () => {
    const input = tenSamples(PAGE_FAULTS, new Array(10).fill(50), 570);
    const { values, lostBefore, lostBounds } = computeWeights('events', input);
    expect(sum(values) + sum(lostBefore)).toBe(570);
    expect(lostBounds![0]!.most).toBe(1);
  });

  it('losses without counts are exact with a fixed period', () => {
    const { lostBefore, lostBounds } = computeWeights(
      'events',
      tenSamples(FIXED, new Array(10).fill(50), 5000, 3),
    );
    expect(sum(lostBefore)).toBe(150);
    expect(lostBounds).toEqual([{ least: 1, most: 1 }]);
  });

  it('losses after the last record are counted', () => {
    const input = recordingOf([FIXED], everyNs(MS, new Array(10).fill(50)), {
      losses: lossOf(1, 4),
      lossGaps: [gap(4.5, 1)],
      eventTotals: [5000],
    });
    const { lostBefore } = computeWeights('events', input);
    expect([lostBefore![5], lostBefore![9]]).toEqual([50, 150]);
  });
});
