import { expect, test } from 'vitest';
import { varianceOfVisits } from '../../src/period/uncertainty/equal-visits.ts';

/** The functions of samples taken each `interval` events, of visits to three functions in turn that make so many. */
function sampled(visits: Iterable<number>, interval: number): number[] {
  const funcs: number[] = [];
  let events = 0;
  let turn = 0;
  for (const size of visits) {
    const first = Math.ceil(events / interval);
    events += size;
    for (let k = first; k * interval < events; k++) funcs.push(turn % 3);
    turn++;
  }
  return funcs;
}

function varianceOf(visits: Iterable<number>, interval: number): number {
  const funcs = sampled(visits, interval);
  return varianceOfVisits([Int32Array.from(funcs.keys())], funcs);
}

test('visits of one size have the variance of the rest of an interval that each of them leaves', () => {
  const rest = (300 / 14) % 1;
  expect(varianceOf(new Array(200).fill(300), 14)).toBeCloseTo(rest * (1 - rest), 2);
});

test('two visits of one size in a row are of multiples of it, and leave no doubt of the size', () => {
  const visits = Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? 600 : 300));
  expect(varianceOf(visits, 14)).toBeGreaterThan(0.23);
});

test('visits of any size have a sixth of a squared interval', () => {
  const visits = Array.from({ length: 200 }, (_, i) => 200 + ((i * 89) % 200));
  expect(varianceOf(visits, 14)).toBe(1 / 6);
});

test('visits of one size that leave next to nothing of an interval have a sixth all the same', () => {
  expect(varianceOf(new Array(200).fill(281), 14)).toBe(1 / 6);
});

test('functions that alternate at nearly every sample make no visits', () => {
  expect(varianceOf(new Array(200).fill(21), 14)).toBe(1 / 6);
});

test('visits are of any size where places of samples are not known', () => {
  expect(varianceOfVisits([Int32Array.of(0, 1, 2)], undefined)).toBe(1 / 6);
});
