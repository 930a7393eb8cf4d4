import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import type { PeriodSequence } from '../../src/period/period-sequence.ts';
import { findRamps } from '../../src/period/report/convergence.ts';
import { type SimulationOptions, type Stretch, simulate } from './controller-simulator.ts';
import { fixtureSamples } from './recording.ts';

function sequenceOf(periods: readonly number[]): PeriodSequence {
  return {
    length: periods.length,
    timeNs: Float64Array.from(periods, (_, i) => i * 200_000),
    periodEvents: Float64Array.from(periods),
    elapsedEvents: Float64Array.from(periods),
  };
}

/** `ramp 0–8, rest 8–40, ramp 40–52, rest 52–90`. */
function drawRamps(periods: readonly number[]): string {
  const { start, reRamps } = finish(findRamps(sequenceOf(periods)));
  const parts: string[] = [];
  let at = 0;
  for (const ramp of [start, ...reRamps]) {
    if (ramp.first > at) parts.push(`rest ${at}–${ramp.first}`);
    if (ramp.end > ramp.first) parts.push(`ramp ${ramp.first}–${ramp.end}`);
    at = ramp.end;
  }
  if (at < periods.length) parts.push(`rest ${at}–${periods.length}`);
  return parts.join(', ');
}

const around = (period: number, samples: number) =>
  Array.from({ length: samples }, (_, i) => period + ((i * 7) % 5) - 2);
const periodsOf = (name: string) => fixtureSamples(name).map((sample) => sample.period);
const simulated = (stretches: readonly Stretch[], options: Partial<SimulationOptions> = {}) =>
  simulate(stretches, { frequencyHz: 5000, rule: 'next', ...options }).map(({ period }) => period);

test('a start-up ramp ends where the period reaches its level', () => {
  const start = [1, 1, 1, 2, 5, 13, 35, 65, 104, 124, 131];
  expect(drawRamps([...start, ...around(131, 60)])).toBe('ramp 0–9, rest 9–71');
});

test('a ramp that overshoots ends where the period has come down', () => {
  const overshoot = [1, 1, 1, 19, 1246, 100_771];
  const wayDown = Array.from({ length: 40 }, (_, i) => Math.round(100_771 * 0.875 ** (i + 1)));
  const periods = [...overshoot, ...wayDown, ...around(480, 60)];
  // 100 771 · 0.875^39 = 551 is within a quarter of 480, 0.875^38 = 630 is not.
  expect(drawRamps(periods)).toBe('ramp 0–44, rest 44–106');
});

test('a period that starts where it belongs needs no ramp', () => {
  expect(drawRamps(around(7500, 60))).toBe('rest 0–60');
});

test('an event rarer than the requested rate settles at a period of 1', () => {
  expect(drawRamps(Array.from({ length: 60 }, () => 1))).toBe('rest 0–60');
});

test('a fall to the settled period is not a ramp', () => {
  expect(drawRamps([...around(400, 60), ...around(100, 60)])).toBe('rest 0–120');
});

test('a fall of the period is a ramp only below half, from 8 or more', () => {
  const level = (period: number) => Array.from({ length: 30 }, () => period);
  const dip = (from: number, ...way: number[]) =>
    drawRamps([...level(from), ...way, ...level(from)]);
  expect(dip(100, 49, 60, 70)).toBe('rest 0–30, ramp 30–33, rest 33–63');
  expect(dip(100, 50, 60, 70)).toBe('rest 0–63');
  expect(dip(8, 1, 3, 5)).toBe('rest 0–30, ramp 30–33, rest 33–63');
  expect(dip(7, 1, 3, 5)).toBe('rest 0–63');
});

test('a period that keeps growing never settles', () => {
  const periods = Array.from({ length: 100 }, (_, i) => Math.round(1.1 ** i) + i);
  expect(drawRamps(periods)).toBe('ramp 0–100');
});

test('a period that jumps about never settles', () => {
  const periods = Array.from({ length: 200 }, (_, i) => 100 * 2 ** ((i * 5) % 7));
  expect(drawRamps(periods)).toBe('ramp 0–200');
});

test('following a new event rate in steps of an eighth is not a ramp', () => {
  const periods = simulated([
    { durationNs: 50e6, eventsPerSecond: 450_000 },
    { durationNs: 50e6, eventsPerSecond: 75_000 },
  ]);
  expect(Math.min(...periods.slice(-20))).toBeLessThan(20);
  expect(finish(findRamps(sequenceOf(periods))).reRamps).toEqual([]);
});

test('the ticks during rare events lower the period: the burst after them is a ramp', () => {
  const periods = simulated([
    { durationNs: 100e6, eventsPerSecond: 450_000 },
    { durationNs: 400e6, eventsPerSecond: 300 },
    { durationNs: 100e6, eventsPerSecond: 450_000 },
  ]);
  const { reRamps } = finish(findRamps(sequenceOf(periods)));
  expect(reRamps.length).toBe(1);
  expect(periods[reRamps[0].first]).toBeLessThan(8);
  expect(periods.slice(reRamps[0].end).every((period) => period > 67 && period < 113)).toBe(true);
});

test('sleep alone does not bring the period down', () => {
  const periods = simulated([
    { durationNs: 100e6, eventsPerSecond: 450_000 },
    { durationNs: 400e6, eventsPerSecond: 0, asleep: true },
    { durationNs: 100e6, eventsPerSecond: 450_000 },
  ]);
  expect(finish(findRamps(sequenceOf(periods))).reRamps).toEqual([]);
});

test('fewer samples than the comparison needs stay a ramp', () => {
  expect(drawRamps([1, 1, 1, 1, 3, 7, 45])).toBe('ramp 0–7');
  expect(drawRamps([])).toBe('');
});

test('real recordings settle and ramp at the expected samples', () => {
  expect(drawRamps(periodsOf('page-faults-5000hz.tsv'))).toBe('ramp 0–14, rest 14–1334');
  expect(drawRamps(periodsOf('page-faults-500hz-sleeps.tsv'))).toBe('ramp 0–10, rest 10–650');
  // 751 │ 8 8 9 159 3004 42312 57425 1005 109 232 235 502 742 1089 1226 1293 1255 │ 1191 …
  expect(drawRamps(periodsOf('page-faults-500hz-rare-phases.tsv'))).toBe(
    'ramp 0–20, rest 20–97, ramp 97–114, rest 114–332',
  );
});
