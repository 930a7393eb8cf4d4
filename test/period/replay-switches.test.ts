import { describe, expect, test } from 'vitest';
import { replayStream } from '../../src/period/model/model.ts';
import { replay } from '../../src/period/model/replay.ts';
import { STEP } from '../../src/period/model/replay-rules.ts';
import { type SimulationOptions, simulatePeriod } from '../../src/period/model/simulate.ts';
import type { PeriodSequence } from '../../src/period/period-sequence.ts';
import { offCpuNs } from '../../src/period/switched-out.ts';

const TICK_NS = 4e6;
const PHASE_NS = 2e6;
const GRID = { hz: 250, tickNs: TICK_NS, phaseNs: PHASE_NS };
const OPTIONS: Omit<SimulationOptions, 'frequencyHz' | 'stretches'> = {
  hz: 250,
  rounding: 'away',
  kind: 'software',
  sampleCostNs: () => 0,
  tickPhaseNs: PHASE_NS,
};
const MODEL = { rule: 'next', isCountedInSoftware: true } as const;

type Turn = { readonly runNs: number; readonly offNs: number };

/** The samples of a program that runs and is switched out in turns, with its running time read. */
function record(frequencyHz: number, turns: readonly Turn[]): PeriodSequence {
  const stretches = turns.flatMap(({ runNs, offNs }, i) => [
    // Events that come faster by and by: the period rises with them, and does not overshoot.
    { durationNs: runNs, eventsPerSecond: Math.min(1_000_317, 2000 * 1.5 ** i) },
    { durationNs: offNs, eventsPerSecond: 0, isAsleep: true },
  ]);
  const { length, timeNs, periodEvents, count } = simulatePeriod({
    ...OPTIONS,
    frequencyHz,
    stretches,
  });
  const elapsedEvents = count.map((value, i) => value - (i > 0 ? count[i - 1] : 0));
  const runningNs = timeNs.map((time) => runningAt(time, turns));
  return { length, timeNs, periodEvents, elapsedEvents, offCpuNs: offCpuNs(timeNs, runningNs) };
}

function runningAt(timeNs: number, turns: readonly Turn[]): number {
  let start = 0;
  let running = 0;
  for (const { runNs, offNs } of turns) {
    running += Math.min(runNs, Math.max(0, timeNs - start));
    start += runNs + offNs;
  }
  return running;
}

/** Events come at their full rate from here on. */
const RAMP_NS = 17 * 2 * TICK_NS;

/** A rival that is switched to on one tick and back on the next, 10 µs after each. */
const TURNS_ON_TICKS: Turn[] = [
  { runNs: PHASE_NS + 10_000, offNs: TICK_NS },
  ...Array.from({ length: 250 }, () => ({ runNs: TICK_NS, offNs: TICK_NS })),
];

describe('a program that shares its CPU, turns taken on ticks', () => {
  test.each([500, 1000, 5000])('%d Hz: every period that needs no fit is equal', (frequencyHz) => {
    const sequence = record(frequencyHz, TURNS_ON_TICKS);
    const rules = { ...MODEL, frequencyHz, rounding: 'away', lag: 2, grid: GRID } as const;
    const { expected, step } = replay(sequence, rules);
    const known = [...step.keys()].filter(
      (i) => step[i] === STEP.OVERFLOW || step[i] === STEP.RESTART,
    );
    expect(known.length).toBeGreaterThan(0.8 * sequence.length);
    expect(known.filter((i) => step[i] === STEP.RESTART).length).toBeGreaterThan(200);
    const wrong = known.filter((i) => expected[i] !== sequence.periodEvents[i]);
    // While events come faster within an interval, what a tick counted is off by some.
    expect(wrong.filter((i) => sequence.timeNs[i] > RAMP_NS)).toEqual([]);
    expect(wrong.length).toBeLessThan(0.02 * known.length);
  });

  test('the ticks are found from when it was switched out', () => {
    const model = replayStream(record(1000, TURNS_ON_TICKS), { ...MODEL, frequencyHz: 1000 })!;
    expect(model).toMatchObject({ hz: 250, switches: 'recorded' });
    const distance = Math.abs(model.grid!.phaseNs - PHASE_NS);
    expect(distance).toBeLessThan(0.1 * TICK_NS);
    expect(model.within1Percent / model.compared).toBeGreaterThan(0.99);
  });

  test('fewer samples are explained without running times, and fewer of them called exact', () => {
    const sequence = record(1000, TURNS_ON_TICKS);
    const options = { ...MODEL, frequencyHz: 1000, grid: GRID };
    const recorded = replayStream(sequence, options)!;
    const guessed = replayStream({ ...sequence, offCpuNs: null }, options)!;
    expect(guessed.switches).toBe('guessed');
    expect(guessed.exact).toBeLessThan(0.8 * recorded.exact);
    expect(guessed.within1Percent).toBeLessThan(recorded.within1Percent);
  });
});

test('switched out between ticks: within 1 %, and exact where no tick is near', () => {
  const turns = Array.from({ length: 300 }, (_, i) => ({
    runNs: 1.3e6 + (i % 7) * 4e5,
    offNs: 2e5 + (i % 5) * 7e5,
  }));
  const model = replayStream(record(2000, turns), { ...MODEL, frequencyHz: 2000, grid: GRID })!;
  expect(model.within1Percent / model.compared).toBeGreaterThan(0.95);
  expect(model.overflowsOnly.exact / model.overflowsOnly.compared).toBeGreaterThan(0.98);
  // What a fitted pause had a part in is within 1 %, but none of it is among the exact.
  expect(model.explainedBy.pauses).toBeGreaterThan(50);
  expect(model.exact).toBeLessThanOrEqual(model.compared - model.explainedBy.pauses);
});

test("the ticks of a large stream serve a small one's model", () => {
  const whole = record(1000, TURNS_ON_TICKS);
  const small = {
    length: 16,
    timeNs: whole.timeNs.subarray(100, 116),
    periodEvents: whole.periodEvents.subarray(100, 116),
    elapsedEvents: whole.elapsedEvents.subarray(100, 116),
    offCpuNs: whole.offCpuNs!.subarray(100, 116),
  };
  const options = { ...MODEL, frequencyHz: 1000 };
  expect(replayStream(small, options)).toMatchObject({ hz: null, grid: null });
  expect(replayStream(small, { ...options, grid: GRID })).toMatchObject({ hz: 250 });
});

test('off-CPU time of an interval: noise is 0, a switch its length, between them unknown', () => {
  const timeNs = Float64Array.of(0, 1e6, 2e6, 3e6, 4e6, 5e6);
  const runningNs = Float64Array.of(0, 1e6 - 900, 2e6 + 300, 2.9e6, 3.897e6, Number.NaN);
  expect([...offCpuNs(timeNs, runningNs)!]).toEqual([NaN, 0, 0, 100_300, NaN, NaN]);
  expect(offCpuNs(timeNs, new Float64Array(6).fill(Number.NaN))).toBeNull();
});
