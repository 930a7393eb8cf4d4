import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { findLossGaps } from '../../src/period/loss-gaps.ts';
import { findRules } from '../../src/period/period-rule.ts';
import { groupByStream } from '../../src/period/streams.ts';
import type { LossGap, PeriodInput } from '../../src/period/types.ts';
import type { EventIndex, ProfileEvent } from '../../src/profile/types.ts';
import { CPU_CLOCK, CYCLES, type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** Enough pairs for the counts to show the rule, each in a stream that nothing is lost from. */
function pairsThatShowElapsed(stream: number): DrawnSample[] {
  let count = 0;
  return Array.from({ length: 12 }, (_, i) => {
    const period = 2 ** i;
    count += period;
    return { timeNs: 1 + i, period, count, stream, cpu: 9 };
  });
}

function lostAt(timeNs: number, cpu = 0): LossGap {
  return { event: 0, cpu, timeNs, samples: 5 };
}

function gapsOf(
  event: ProfileEvent,
  drawn: readonly DrawnSample[],
  lossGaps: readonly LossGap[],
  more: Partial<PeriodInput> = {},
): number[] {
  const losses = [{ event: 0 as EventIndex, lostRecords: 5, lostSamples: 5 }];
  const input = recordingOf([event], drawn, { losses, lossGaps, ...more });
  const groups = finish(groupByStream(input));
  const { lostBefore } = finish(findLossGaps(input, groups, finish(findRules(input, groups))));
  return [...lostBefore].slice(0, 4);
}

describe('loss gaps', () => {
  const software = (second: DrawnSample, third: DrawnSample) => [
    { timeNs: 1e6, period: 10, count: 10 },
    second,
    third,
  ];

  it('an interval longer than the reported period is a loss gap', () => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 11, count: 100 },
    );
    // 80 events: 12 are certainly lost, 11 are taken for the last interval.
    expect(gapsOf(PAGE_FAULTS, drawn, [lostAt(9e6)])).toEqual([0, 0, 69]);
  });

  it('the interval after a loss of a single sample is known exactly', () => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 40, count: 35 },
    );
    expect(gapsOf(PAGE_FAULTS, drawn, [lostAt(9e6)])).toEqual([0, 0, 12]);
  });

  it.each([
    ['of another CPU', [lostAt(9e6, 1)]],
    ['before the interval', [lostAt(1.5e6)]],
    ['at the moment of the sample before it', [lostAt(2e6)]],
    ['behind it', [lostAt(10e6)]],
    ['behind it by more than it takes to write', [lostAt(9e6 + 100_001)]],
  ])('an interval without a LOST record is complete: one %s', (_, lossGaps) => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 11, count: 100 },
    );
    expect(gapsOf(PAGE_FAULTS, drawn, lossGaps)).toEqual([0, 0, 0]);
  });

  it.each([
    ['just behind it', [lostAt(9e6 + 100_000)]],
    ['among others, in the order of the file', [lostAt(20e6), lostAt(5e6), lostAt(1e6)]],
  ])('an interval with a LOST record is a loss gap: one %s', (_, lossGaps) => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 11, count: 100 },
    );
    expect(gapsOf(PAGE_FAULTS, drawn, lossGaps)).toEqual([0, 0, 69]);
  });

  it('an event without losses by its own count has no loss gap', () => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 11, count: 100 },
    );
    const losses = [
      { event: 0 as EventIndex, lostRecords: 5, lostSamples: 0 },
      { event: 1 as EventIndex, lostRecords: 0, lostSamples: 5 },
    ];
    expect(gapsOf(PAGE_FAULTS, drawn, [lostAt(9e6)], { losses })).toEqual([0, 0, 0]);
  });

  it('a stream may begin with a loss gap', () => {
    const drawn = [{ timeNs: 9e6, period: 7, count: 100 }];
    expect(gapsOf(PAGE_FAULTS, drawn, [lostAt(9e6)])).toEqual([93]);
    // The first period is a guess of the kernel's: up to half more is no loss.
    const first = (count: number) => [{ timeNs: 9e6, period: 10, count }];
    expect(gapsOf(PAGE_FAULTS, first(15), [lostAt(9e6)])).toEqual([0]);
    expect(gapsOf(PAGE_FAULTS, first(16), [lostAt(9e6)])).toEqual([10]);
  });

  it('a fixed period is what the sample at the end stands for', () => {
    const fixed = { ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: 10 } as const;
    const drawn = software(
      { timeNs: 2e6, period: 10, count: 20 },
      { timeNs: 9e6, period: 10, count: 70 },
    );
    expect(gapsOf(fixed, drawn, [lostAt(9e6)])).toEqual([0, 0, 40]);
  });

  it("hardware that reports the elapsed period: more than a tenth above the sample's own", () => {
    const drawn = [
      { timeNs: 1e6, period: 1000, count: 1000 },
      { timeNs: 2e6, period: 1000, count: 2080 },
      { timeNs: 9e6, period: 1000, count: 9080 },
      { timeNs: 10e6, period: 1000, count: 10_200 },
      ...pairsThatShowElapsed(1),
    ];
    const lossGaps = [lostAt(2e6), lostAt(9e6), lostAt(10e6)];
    expect(gapsOf(CYCLES, drawn, lossGaps)).toEqual([0, 0, 6000, 120]);
  });

  it('loss gaps are unknown for clocks and without counts', () => {
    const drawn = software(
      { timeNs: 2e6, period: 12, count: 20 },
      { timeNs: 9e6, period: 11, count: 100 },
    );
    expect(gapsOf(CPU_CLOCK, drawn, [lostAt(9e6)])).toEqual([0, 0, 0]);
    const bare = drawn.map(({ timeNs, period }) => ({ timeNs, period }));
    expect(gapsOf(PAGE_FAULTS, bare, [lostAt(9e6)])).toEqual([0, 0, 0]);
  });
});
