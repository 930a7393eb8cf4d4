import { expect, test } from 'vitest';
import { findOnceASample } from '../../src/period/once-a-sample.ts';

const INTERVAL = 100;
const RATES_NS = [20, 40];

/** Each `INTERVAL` events a sample of two functions in turn, of which each turn makes `sizes` events. */
function sample(turns: number, sizeOf: (turn: number) => number, ratesNs = RATES_NS) {
  const func: number[] = [];
  const timeNs: number[] = [];
  let events = 0;
  let ns = 0;
  for (let turn = 0; turn < turns; turn++) {
    const size = sizeOf(turn);
    const first = Math.ceil(events / INTERVAL);
    for (let k = first; k * INTERVAL < events + size; k++) {
      func.push(turn % 2);
      timeNs.push(ns + (k * INTERVAL - events) * ratesNs[turn % 2]);
    }
    events += size;
    ns += size * ratesNs[turn % 2];
  }
  return { func, timeNs: Float64Array.from(timeNs) };
}

function find({ func, timeNs }: ReturnType<typeof sample>, changed = new Map<number, number>()) {
  const arrived = Float64Array.from(func, (_, k) => changed.get(k) ?? INTERVAL);
  return findOnceASample([Int32Array.from(func.keys())], func, arrived, timeNs);
}

/** Sizes that are a little different each time, always the same ones. */
const uneven = (turn: number) => ((turn * 7919) % 13) - 6;
/** 60 and 43 events or so, which come again each 103: samples move on by three. */
const again = (turn: number) => (turn % 2 === 0 ? 60 : 43) + (uneven(turn) >> 1);
/** As many samples of each function in a row, of 20 of each. */
const phases = (turn: number) => 2000 + 50 * uneven(turn);

test('work that comes again about once a sample is found', () => {
  expect(find(sample(1600, again))).toEqual({ kind: 'once-a-sample' });
});

test('phases of functions with rates of their own are none', () => {
  expect(find(sample(80, phases))).toBeNull();
});

test('functions of one rate are not said to come again, as their times are the same in phases', () => {
  expect(find(sample(1600, again, [30, 30]))).toBeNull();
  expect(find(sample(80, phases, [30, 30]))).toBeNull();
});

test('functions as good as drawn are seen everywhere', () => {
  expect(find(sample(1600, (turn) => 71 + 9 * uneven(turn)))).toBeNull();
});

test('intervals of half the usual length in which functions stay as they are speak for phases', () => {
  const samples = sample(1600, again);
  const isLate = (k: number) => k > 20 && samples.func[k] === samples.func[k - 1];
  const halves = new Map([...samples.func.keys()].filter(isLate).map((k) => [k, INTERVAL]));
  let left = 60;
  for (const k of halves.keys()) halves.set(k, left-- > 0 ? INTERVAL / 2 : INTERVAL);
  expect(find(samples, halves)).toBeNull();
});

test('a recording without samples tells nothing', () => {
  expect(findOnceASample([], [], new Float64Array(), new Float64Array())).toBeNull();
});
