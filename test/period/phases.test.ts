import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import type { PeriodSequence } from '../../src/period/period-sequence.ts';
import { measureActivity } from '../../src/period/report/activity.ts';
import { findRamps } from '../../src/period/report/convergence.ts';
import { findPhases } from '../../src/period/report/phases.ts';
import { type Stretch, simulate } from './controller-simulator.ts';

const FREQUENCY_HZ = 5000;

function simulated(stretches: readonly Stretch[]): PeriodSequence {
  const samples = simulate(stretches, { frequencyHz: FREQUENCY_HZ, rule: 'next' });
  const counts = samples.map((sample) => sample.count!);
  return {
    length: samples.length,
    timeNs: Float64Array.from(samples, (sample) => sample.timeNs),
    periodEvents: Float64Array.from(samples, (sample) => sample.period),
    elapsedEvents: Float64Array.from(counts, (count, i) => count - (counts[i - 1] ?? 0)),
  };
}

const activityOf = (sequence: PeriodSequence) => measureActivity(sequence, 1e9 / FREQUENCY_HZ);
const phasesOf = (sequence: PeriodSequence) =>
  finish(findPhases(sequence, activityOf(sequence), finish(findRamps(sequence)).settled));

test('a rate that falls to a sixth and comes back makes three phases', () => {
  const phases = phasesOf(
    simulated([
      { durationNs: 60e6, eventsPerSecond: 450_000 },
      { durationNs: 60e6, eventsPerSecond: 75_000 },
      { durationNs: 60e6, eventsPerSecond: 450_000 },
    ]),
  );
  expect(phases.map(({ eventRateHz }) => Math.round(eventRateHz / 5000) * 5000)).toEqual([
    450_000, 75_000, 450_000,
  ]);
  expect(Math.abs(phases[1].startNs - 60e6)).toBeLessThan(3e6);
  expect(Math.abs(phases[1].endNs - 120e6)).toBeLessThan(3e6);
});

test('the last phase may be hardly longer than a window of 32 samples', () => {
  const phases = phasesOf(
    simulated([
      { durationNs: 60e6, eventsPerSecond: 75_000 },
      { durationNs: 8e6, eventsPerSecond: 450_000 },
    ]),
  );
  expect(phases.map(({ eventRateHz }) => Math.round(eventRateHz / 5000) * 5000)).toEqual([
    75_000, 450_000,
  ]);
  expect(phases[1].samples).toBeLessThan(64);
});

test('an even rate has no phases', () => {
  expect(phasesOf(simulated([{ durationNs: 200e6, eventsPerSecond: 450_000 }]))).toEqual([]);
});

test('a rate that varies by less than half has no phases', () => {
  const wander = Array.from({ length: 6 }, (_, i) => ({
    durationNs: 30e6,
    eventsPerSecond: i % 2 === 0 ? 400_000 : 550_000,
  }));
  expect(phasesOf(simulated(wander))).toEqual([]);
});

test('short pauses are not phases', () => {
  const pauses = Array.from({ length: 12 }, (_, i) => ({
    durationNs: i % 2 === 0 ? 20e6 : 6e6,
    eventsPerSecond: i % 2 === 0 ? 450_000 : 0,
  }));
  expect(phasesOf(simulated(pauses))).toEqual([]);
});

test('a sleep is an idle gap, counted and left out of the active time', () => {
  const sequence = simulated([
    { durationNs: 100e6, eventsPerSecond: 450_000 },
    { durationNs: 400e6, eventsPerSecond: 0, asleep: true },
    { durationNs: 100e6, eventsPerSecond: 450_000 },
  ]);
  const { idleGaps, idleNs, intervalNs } = activityOf(sequence);
  expect(idleGaps).toBe(1);
  expect(idleNs).toBeGreaterThan(400e6);
  expect(idleNs).toBeLessThan(401e6);
  const active = intervalNs.reduce((a, b) => a + b, 0);
  expect(active + idleNs).toBe(sequence.timeNs.at(-1)! - sequence.timeNs[0]);
});

test('a long interval at the usual event rate is an overshoot, not idle', () => {
  const periods = [100, 100, 100, 100, 100, 100_000, 100, 100, 100, 100, 100];
  let time = 0;
  const sequence = {
    length: periods.length,
    timeNs: Float64Array.from(periods, (period) => (time += period * 2000)),
    periodEvents: Float64Array.from(periods),
    elapsedEvents: Float64Array.from(periods),
  };
  expect(activityOf(sequence).idleGaps).toBe(0);
});
