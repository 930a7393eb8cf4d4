import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { alignPeriods } from '../../src/period/alignment.ts';
import { findInStep, periodOffStep, rateOffStep } from '../../src/period/in-step.ts';
import { inStepRemedy, inStepText } from '../../src/period/report/in-step-words.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** Each function has one stack. */
function placesIn(funcs: readonly number[]) {
  const func = Int32Array.from(funcs);
  return { func, stack: func };
}

const EVERY_100: ProfileEvent = {
  ...PAGE_FAULTS,
  mode: 'period',
  frequencyHz: null,
  fixedPeriod: 100,
};

/** What is found of samples in these functions, a microsecond for each event. */
function find(
  funcs: readonly number[],
  { event = EVERY_100, periods = funcs.map(() => 100), streams = 1, nsPerEvent = 1000 } = {},
) {
  let timeNs = 0;
  const drawn = funcs.map((_, i): DrawnSample => {
    timeNs += periods[i] * nsPerEvent;
    return { timeNs, period: periods[i], stream: i % streams };
  });
  const input = recordingOf([event], drawn);
  const { groups, arrivedEvents } = finish(alignPeriods(input));
  return findInStep(input, groups, 0, arrivedEvents, placesIn(funcs));
}

/** The function at work in a loop of these parts when every 100th event comes. */
const loop = (parts: readonly number[], samples: number): number[] => {
  const length = parts.reduce((sum, part) => sum + part, 0);
  return Array.from({ length: samples }, (_, i) => {
    let at = (i * 100) % length;
    return parts.findIndex((part) => {
      at -= part;
      return at < 0;
    });
  });
};

/** Numbers 0 … 1 that never repeat. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

describe('samples in step with the work', () => {
  it('a loop of a multiple of the period is found by the functions that come again', () => {
    expect(find(loop([150, 150], 1000))).toMatchObject({ kind: 'cycle', every: 3 });
    expect(find(loop([700, 300], 1000))).toMatchObject({ kind: 'cycle', every: 10 });
  });

  it('a loop that moves on against the period is seen all over', () => {
    expect(find(loop([67, 30], 3000))).toBeNull();
  });

  it('one instruction in all samples may be one place of a loop', () => {
    expect(find(loop([70, 30], 1000))).toMatchObject({ kind: 'one-place' });
  });

  it('functions in any order are not in step, nor are phases of changing lengths', () => {
    const random = randomly(7);
    expect(find(Array.from({ length: 2000 }, () => Math.floor(3 * random())))).toBeNull();
    const phases = Array.from({ length: 60 }, (_, i) =>
      Array<number>(10 + Math.floor(30 * random())).fill(i % 2),
    ).flat();
    expect(find(phases)).toBeNull();
  });

  it('a period that adapts hides a cycle of samples', () => {
    const random = randomly(9);
    const periods = Array.from({ length: 1000 }, () => 50 + Math.floor(100 * random()));
    expect(find(loop([150, 150], 1000), { event: PAGE_FAULTS, periods })).toBeNull();
  });

  it('work by a timer is found where samples crowd on few places of its time', () => {
    // Samples at 0.4, 0.8, 0.2, 0.6 and 0 ms of a millisecond, which tell all of it from 2 ms.
    const funcs = Array.from({ length: 1000 }, (_, i) => (i % 5 < 2 ? 0 : 1));
    const random = randomly(3);
    const periods = funcs.map(() => 95 + Math.floor(11 * random()));
    const event = { ...PAGE_FAULTS, frequencyHz: 2500 };
    const timed = funcs.map(
      (func, i): DrawnSample => ({
        timeNs: (i + 1) * 400_000,
        period: periods[i] * (func + 1),
        stream: 0,
      }),
    );
    const input = recordingOf([event], timed);
    const { groups, arrivedEvents } = finish(alignPeriods(input));
    expect(findInStep(input, groups, 0, arrivedEvents, placesIn(funcs))).toMatchObject({
      kind: 'clock',
      everyNs: 1e6,
    });
  });

  it('many tasks that sample first at the same event are told', () => {
    const found = find(Array(100).fill(0), { streams: 50 });
    expect(found).toEqual({ kind: 'tasks', tasks: 50, share: 0.5 });
    expect(inStepText(found!)).toContain('50.00%');
    expect(inStepRemedy(found!, EVERY_100)).toBe('record with -c 13');
  });

  it('the advice is a prime near to the period, or below the rate', () => {
    expect([periodOffStep(100), periodOffStep(101), periodOffStep(1000)]).toEqual([101, 103, 1009]);
    expect([rateOffStep(1000), rateOffStep(4000), rateOffStep(50)]).toEqual([983, 3947, 53]);
  });
});
