import { describe, expect, it } from 'vitest';
import { NONE } from '../../src/base/brand.ts';
import { PERF_TYPE } from '../../src/base/event-type.ts';
import { finish } from '../../src/base/slices.ts';
import { alignPeriods } from '../../src/period/alignment.ts';
import { findInStep, periodOffStep, rateOffStep } from '../../src/period/in-step.ts';
import { inStepRemedy, inStepText } from '../../src/period/report/in-step-words.ts';
import type { SamplePlaces } from '../../src/profile/sample-places.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** Each function has one stack. */
function placesIn(funcs: readonly number[]) {
  const func = Int32Array.from(funcs);
  return { func, stack: func, caller: func };
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
  {
    event = EVERY_100,
    periods = funcs.map(() => 100),
    streams = 1,
    streamOf = (i: number): number => i % streams,
    threadOf = null as ((i: number) => number) | null,
    nsPerEvent = 1000,
    places = placesIn(funcs) as SamplePlaces,
  } = {},
) {
  let timeNs = 0;
  const drawn = funcs.map((_, i): DrawnSample => {
    timeNs += periods[i] * nsPerEvent;
    return { timeNs, period: periods[i], stream: streamOf(i), thread: (threadOf ?? streamOf)(i) };
  });
  const input = recordingOf([event], drawn);
  const { groups, arrivedEvents } = finish(alignPeriods(input));
  return findInStep(input, groups, 0, arrivedEvents, places);
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

  it("a probe's callers tell what its own place does not", () => {
    const probe = { ...EVERY_100, name: 'raw_syscalls:sys_enter', type: PERF_TYPE.TRACEPOINT };
    const inOneFunction = (caller: readonly number[]): SamplePlaces => ({
      func: new Int32Array(caller.length),
      stack: Int32Array.from(caller),
      caller: Int32Array.from(caller),
    });
    const calls = (callers: readonly number[]) =>
      find(callers, { event: probe, places: inOneFunction(callers) });
    expect(calls(loop([70, 30], 1000))).toMatchObject({ kind: 'one-place', others: 0 });
    expect(calls(loop([150, 150], 1000))).toMatchObject({ kind: 'cycle', every: 3 });
    expect(calls(loop([67, 30], 1000))).toBeNull();
    const random = randomly(13);
    expect(calls(Array.from({ length: 1000 }, () => Math.floor(2 * random())))).toBeNull();
    expect(calls(Array<number>(1000).fill(NONE)), 'recorded without callers').toBeNull();
  });

  it('callers of one function that come again are in step', () => {
    const func = new Int32Array(1000);
    const stack = Int32Array.from(loop([150, 150], 1000));
    const found = find([...stack], { places: { func, stack, caller: stack } });
    expect(found).toMatchObject({ kind: 'cycle', every: 3 });
  });

  it('few samples of the end of a program do not hide that all others are in one place', () => {
    const found = find([...Array<number>(998).fill(0), 5, 6]);
    expect(found).toMatchObject({ kind: 'one-place', samples: 875, others: 2, places: 1 });
    expect(inStepText(found!)).toContain('all but 2 of 875 samples');
    expect(find([...Array<number>(900).fill(0), ...Array<number>(100).fill(1)])).toBeNull();
  });

  it('a loop in step is in another place of it after each move to another CPU', () => {
    // Samples 300 to 499 and 800 to 899 are taken on another CPU.
    const onSecond = (i: number) => (i >= 300 && i < 500) || (i >= 800 && i < 900);
    const funcs = Array.from({ length: 1200 }, (_, i) => (i < 800 ? 0 : 1));
    const streamOf = (i: number) => (onSecond(i) ? 1 : 0);
    const found = find(funcs, { streamOf, threadOf: () => 0 });
    expect(found).toMatchObject({ kind: 'one-place', others: 0, places: 2 });
    expect(inStepText(found!)).toContain('until their thread moves to another CPU');
    expect(find(funcs), 'phases, without a move').toBeNull();
  });

  it('short stretches of few samples between moves tell of no place', () => {
    const random = randomly(11);
    const turns = Array.from({ length: 125 }, () => Math.floor(3 * random()));
    const funcs = Array.from({ length: 1000 }, (_, i) => turns[i >> 3]);
    const streamOf = (i: number) => (i >> 3) % 2;
    expect(find(funcs, { streamOf, threadOf: () => 0 })).toBeNull();
  });

  it('functions in any order are not in step, nor are phases of changing lengths', () => {
    const random = randomly(7);
    expect(find(Array.from({ length: 2000 }, () => Math.floor(3 * random())))).toBeNull();
    const phases = Array.from({ length: 60 }, (_, i) =>
      Array<number>(10 + Math.floor(30 * random())).fill(i % 2),
    ).flat();
    expect(find(phases)).toBeNull();
  });

  it('functions that come again at the same samples for many cycles are in step at a rate', () => {
    const random = randomly(9);
    const periods = Array.from({ length: 1000 }, () => 50 + Math.floor(100 * random()));
    const sampled = { event: PAGE_FAULTS, periods };
    expect(find(loop([150, 150], 1000), sampled)).toMatchObject({ every: 3, atRate: true });
    // Cycles of 10.4 samples: changes lie anywhere between two samples.
    const drifting = Array.from({ length: 1000 }, (_, k) => (k % 10.4 < 4 ? 0 : 1));
    expect(find(drifting, sampled)).not.toMatchObject({ kind: 'cycle' });
    // The same cycles of 3 samples, but one in ten has 4.
    const slipping = Array.from({ length: 300 }, () => (random() < 0.1 ? [0, 0, 1, 1] : [0, 0, 1]));
    expect(find(slipping.flat(), sampled)).not.toMatchObject({ kind: 'cycle' });
  });

  it('work that is nearly the same each time is regular at a rate, though no cycle lasts', () => {
    const random = randomly(17);
    const periods = Array.from({ length: 2000 }, () => 50 + Math.floor(100 * random()));
    const sampled = { event: PAGE_FAULTS, periods };
    const rounds = (step: () => readonly number[]) =>
      Array.from({ length: 60 }, () => [...step(), 2, 2, 2]).flat();
    // Eight steps and an output; one step in twenty has no sample of its second function.
    const steps = () => Array.from({ length: 8 }, () => [0, random() < 0.05 ? 0 : 1]).flat();
    const found = find(rounds(steps), sampled);
    expect(found).toMatchObject({ kind: 'regular', every: 19 });
    expect(inStepText(found!)).toContain('every 19 samples or so');
    expect(inStepRemedy(found!, { fixedPeriod: null, frequencyHz: 1000 })).toBe(
      'record with -F 8000',
    );
    // Steps of any length, between outputs that are as regular as before.
    const uneven = () =>
      Array.from({ length: 8 + Math.floor(9 * random()) }, () => (random() < 0.5 ? 0 : 1));
    expect(find(rounds(uneven), sampled)).toBeNull();
  });

  it('two functions in turn are regular work only where they tell how the period moves', () => {
    const random = randomly(23);
    // A turn is 0.55 to 1.45 samples long: functions are alike two samples apart, and hardly four.
    const funcs: number[] = [];
    for (let left = 0.5, func = 0; funcs.length < 3000; left--) {
      for (; left <= 0; func = 1 - func) left += 0.55 + 0.9 * random();
      funcs.push(func);
    }
    const drawnAt = (periodAt: (k: number) => number) =>
      find(funcs, { event: PAGE_FAULTS, periods: funcs.map((_, k) => Math.round(periodAt(k))) });
    // A rate that rises and falls, and waits between.
    expect(drawnAt((k) => 100 + 40 * Math.sin(k / 400) + 20 * random())).toBeNull();
    const found = drawnAt((k) => 80 + 40 * (funcs[k - 2] ?? 0) + 10 * random());
    expect(found).toMatchObject({ kind: 'regular', every: 2 });
    expect(inStepText(found!)).toContain('may be nearly the same');
  });

  it('parts of the work that samples move through slowly make shares of stretches differ', () => {
    const random = randomly(19);
    // Blocks of 72 events at every 73rd of them; an output of 33 to 41 events shifts the samples.
    const funcs: number[] = [];
    for (let at = 0, left = 0; funcs.length < 4000; at -= 73) {
      while (at <= 0) {
        at += left === 0 ? 33 + Math.floor(9 * random()) : 72;
        left = left === 0 ? 8 : left - 1;
      }
      funcs.push(left === 8 ? 2 : at <= 8 ? 1 : 0);
    }
    const found = find(funcs);
    expect(found).toMatchObject({ kind: 'regular' });
    expect(found).toHaveProperty('times', expect.closeTo(2, 0));
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
    expect(found).toEqual({ kind: 'tasks', tasks: 50, share: 0.5, repeats: 0 });
    expect(inStepText(found!)).toContain('50.00%');
    expect(inStepRemedy(found!, EVERY_100)).toBe('record with -c 13');
  });

  it('a clock that holds samples at its places against their rate is told by the times', () => {
    const held = (everyNs: number, frequencyHz: number) => {
      const random = randomly(11);
      const drawn = Array.from(
        { length: 1000 },
        (_, i): DrawnSample => ({
          timeNs: i * everyNs + Math.floor(5000 * random()),
          period: 140 + Math.floor(40 * random()),
        }),
      );
      const input = recordingOf([{ ...PAGE_FAULTS, frequencyHz }], drawn);
      const { groups, arrivedEvents } = finish(alignPeriods(input));
      return findInStep(input, groups, 0, arrivedEvents, placesIn(drawn.map(() => 0)));
    };
    expect(held(1e6, 997)).toMatchObject({ kind: 'clock', everyNs: 1e6 });
    // The rate itself brings them there.
    expect(held(1e6, 1000)).toBeNull();
    expect(held(1e9 / 997, 997)).toBeNull();
  });

  it('tasks that go from one function to the next at the same samples are told', () => {
    const drawn = (funcOf: (task: number, sample: number) => number) =>
      find(
        Array.from({ length: 50 * 40 }, (_, i) => funcOf(i % 50, Math.floor(i / 50))),
        { streams: 50 },
      );
    const alike = drawn((_, sample) => (sample < 10 ? 0 : sample < 30 ? 1 : 2));
    expect(alike).toMatchObject({ kind: 'tasks', share: 0.025, repeats: 50 });
    expect(inStepText(alike!)).toContain('at the same samples');
    expect(inStepRemedy(alike!, EVERY_100)).toBe('record with -c 13');
    // One border lies at the same sample of each task, the other one anywhere: half of what is seen.
    const half = drawn((task, sample) => (sample < 10 ? 0 : sample < 20 + (task % 10) ? 1 : 2));
    expect(half).toMatchObject({ kind: 'tasks', repeats: 25 });
    // Borders somewhere else in each task, and functions in any order.
    expect(drawn((task, sample) => (sample < 5 + (task % 10) ? 0 : 1))).toBeNull();
    const random = randomly(3);
    expect(drawn(() => Math.floor(3 * random()))).toBeNull();
  });

  it('work by a timer is found where many samples come in each of its cycles', () => {
    // Forty samples in 10 ms, at the same places of each cycle to some microseconds.
    const random = randomly(5);
    const drawn = Array.from(
      { length: 4000 },
      (_, i): DrawnSample => ({
        timeNs: Math.floor(i / 40) * 10e6 + (i % 40) * 200_000 + Math.floor(5000 * random()),
        period: 40 + Math.floor(20 * random()),
      }),
    );
    const funcs = drawn.map((_, i) => (i % 40 < 15 ? 0 : 1));
    const input = recordingOf([{ ...PAGE_FAULTS, frequencyHz: 3989 }], drawn);
    const { groups, arrivedEvents } = finish(alignPeriods(input));
    expect(findInStep(input, groups, 0, arrivedEvents, placesIn(funcs))).toMatchObject({
      kind: 'clock',
      everyNs: 10e6,
    });
  });

  it('the advice is a prime by the golden section below the period or the rate', () => {
    expect([periodOffStep(2), periodOffStep(100), periodOffStep(1000)]).toEqual([3, 61, 617]);
    expect([rateOffStep(1000), rateOffStep(4000), rateOffStep(50)]).toEqual([719, 2887, 31]);
  });

  it('the period that is advised soon has been everywhere in a loop, wherever it begins', () => {
    for (const length of [50, 100, 200, 300]) {
      let share = 0;
      for (let i = 0; i < 40; i++)
        if ((i * periodOffStep(100)) % length < 0.7 * length) share += 1 / 40;
      expect(Math.abs(share - 0.7), `a loop of ${length}`).toBeLessThan(0.06);
    }
  });
});
