import { describe, expect, test } from 'vitest';
import { replayStream } from '../../src/period/model/model.ts';
import { replay } from '../../src/period/model/replay.ts';
import { type Replay, STEP } from '../../src/period/model/replay-rules.ts';
import {
  inputOfSimulation,
  type SimulatedSamples,
  type SimulationOptions,
  simulatePeriod,
} from '../../src/period/model/simulate.ts';
import { tickLengthNs } from '../../src/period/model/ticks.ts';
import type { PeriodSequence } from '../../src/period/period-sequence.ts';
import { reportPeriods } from '../../src/period/report/report.ts';
import { simulate } from './controller-simulator.ts';

/** Its events don't fall onto ticks: which comes first would be a coin's toss. */
const STEADY: SimulationOptions = {
  frequencyHz: 5000,
  hz: 250,
  rounding: 'away',
  kind: 'software',
  stretches: [{ durationNs: 1e9, eventsPerSecond: 1_000_317 }],
  // Samples that cost nothing leave the events of an interval even, as the replay takes them.
  sampleCostNs: () => 0,
};

function sequenceOf({ length, timeNs, periodEvents, count }: SimulatedSamples): PeriodSequence {
  const elapsedEvents = count.map((value, i) => value - (i > 0 ? count[i - 1] : 0));
  return { length, timeNs, periodEvents, elapsedEvents };
}

/** Samples that the replay compares and gets wrong. */
function mistakes(sequence: PeriodSequence, { expected, step }: Replay): number[] {
  return [...step.keys()].filter(
    (i) => step[i] !== STEP.NONE && expected[i] !== sequence.periodEvents[i],
  );
}

describe('what is simulated and what is replayed are the same algorithm', () => {
  const cases = [];
  for (const kind of ['software', 'hardware'] as const) {
    for (const rounding of ['away', 'up'] as const) {
      for (const hz of [100, 250, 300, 1000]) cases.push({ kind, rounding, hz });
    }
  }
  test.each(cases)('$kind, rounded $rounding, HZ = $hz: every period is equal', (variant) => {
    const options = { ...STEADY, ...variant };
    const sequence = sequenceOf(simulatePeriod(options));
    const tickNs = tickLengthNs(variant.hz);
    const grid = { hz: variant.hz, tickNs, phaseNs: tickNs / 2 };
    const { frequencyHz, rounding } = options;
    const isCountedInSoftware = variant.kind === 'software';
    const rules = { frequencyHz, rounding, lag: 2, grid, isCountedInSoftware } as const;
    const replayed = replay(sequence, rules);
    expect(sequence.length).toBeGreaterThan(4000);
    expect(replayed.ticks.reduce((a, b) => a + b)).toBeGreaterThan(0.9 * variant.hz);
    expect(mistakes(sequence, replayed)).toEqual([]);
  });
});

test.each(['elapsed', 'next'] as const)(
  'a driver that reports the %s period is recognized',
  (reports) => {
    const stretches = [
      { durationNs: 3e8, eventsPerSecond: 1_000_317 },
      { durationNs: 3e8, eventsPerSecond: 300_317 },
    ];
    const simulated = simulatePeriod({ ...STEADY, kind: 'hardware', reports, stretches });
    const unknown = { frequencyHz: 5000, rule: 'unknown', isCountedInSoftware: false } as const;
    const right = replayStream(sequenceOf(simulated), unknown)!;
    const wrong = replayStream(sequenceOf(simulated), {
      ...unknown,
      rule: reports === 'next' ? 'elapsed' : 'next',
    })!;
    expect(right.exact / right.compared).toBeGreaterThan(0.99);
    expect(right.exact).toBeGreaterThan(wrong.exact);
  },
);

test.each(['away', 'up'] as const)('HZ and rounding %s are found in a busy program', (rounding) => {
  // Rates that change often keep the period moving, so that ticks and eighths show.
  const stretches = Array.from({ length: 60 }, (_, i) => ({
    durationNs: 30e6,
    eventsPerSecond: i % 2 === 0 ? 1.3e6 : 0.4e6,
  }));
  for (const hz of [100, 250, 1000]) {
    const options = { frequencyHz: 1500, hz, rounding, kind: 'software', stretches } as const;
    const simulated = simulatePeriod(options);
    const model = replayStream(sequenceOf(simulated), {
      frequencyHz: 1500,
      rule: 'next',
      isCountedInSoftware: true,
    })!;
    expect(model).toMatchObject({ hz, rounding });
    expect(model.within1Percent / model.compared).toBeGreaterThan(0.96);
    expect(model.tickDriven).toBe(hz === 1000);
  }
});

test('an independent simulator, event by event, takes the same samples', () => {
  const expected = simulate([{ durationNs: 3e8, eventsPerSecond: 1_000_317 }], {
    frequencyHz: 5000,
    rule: 'next',
    tickNs: 4e6,
  });
  const simulated = simulatePeriod({ ...STEADY, tickPhaseNs: 4e6 });
  const periods = [...simulated.periodEvents.subarray(0, expected.length)];
  expect(periods).toEqual(expected.map((sample) => sample.period));
  expect([...simulated.count.subarray(0, expected.length)]).toEqual(
    expected.map((sample) => sample.count),
  );
});

test('a sleeping task meets no tick, a running one without events loses its period slowly', () => {
  const around = (gap: { isAsleep?: boolean; eventsPerSecond: number }) =>
    simulatePeriod({
      ...STEADY,
      stretches: [
        { durationNs: 2e8, eventsPerSecond: 1e6 },
        { durationNs: 2e8, ...gap },
        { durationNs: 2e8, eventsPerSecond: 1e6 },
      ],
    });
  const lowestAfter = (simulated: SimulatedSamples) =>
    Math.min(...simulated.periodEvents.filter((_, i) => simulated.timeNs[i] > 4e8));
  expect(lowestAfter(around({ isAsleep: true, eventsPerSecond: 0 }))).toBeGreaterThan(150);
  // Rare events, one per tick: each tick takes an eighth away.
  expect(lowestAfter(around({ eventsPerSecond: 250 }))).toBeLessThan(10);
});

test('a hardware event starts as real ones do: 1 1 1 60 3503 203026 in an arm64 guest', () => {
  const { periodEvents } = simulatePeriod({
    frequencyHz: 999,
    hz: 250,
    rounding: 'away',
    kind: 'hardware',
    stretches: [{ durationNs: 1e8, eventsPerSecond: 1e9 }],
  });
  const [first, second, third, fourth, fifth, sixth] = periodEvents;
  expect([first, second, third]).toEqual([1, 1, 1]);
  expect(fourth).toBeGreaterThan(30);
  expect(fifth / fourth).toBeGreaterThan(30);
  expect(sixth / fifth).toBeGreaterThan(30);
  expect(Math.max(...periodEvents)).toBeGreaterThan(5e6);
});

test('a simulation is reported as a recording is, and its counts close', () => {
  const options = { ...STEADY, stretches: [{ durationNs: 5e8, eventsPerSecond: 1e6 }] };
  const simulated = simulatePeriod(options);
  const [event] = reportPeriods(inputOfSimulation(simulated, options)).events;
  expect(event).toMatchObject({ targetHz: 5000, eventsCounted: 500_000 });
  expect(event.streams[0]).toMatchObject({ verdict: 'converged', model: { rounding: 'away' } });
  expect(event.streams[0].steady!.period.median).toBeCloseTo(200, -1);
});
