import { expect, test } from 'vitest';
import { type ModelReport, replayStream } from '../../src/period/model/model.ts';
import type { PeriodSequence } from '../../src/period/period-sequence.ts';
import { type DrawnSample, fixtureSamples } from './recording.ts';

/** The columns of one stream whose samples carry counts. */
function sequenceOf(samples: readonly DrawnSample[]): PeriodSequence {
  return {
    length: samples.length,
    timeNs: Float64Array.from(samples, (sample) => sample.timeNs),
    periodEvents: Float64Array.from(samples, (sample) => sample.period),
    elapsedEvents: Float64Array.from(
      samples,
      (sample, i) => sample.count! - (i > 0 ? samples[i - 1].count! : 0),
    ),
  };
}

function replayFixture(name: string, frequencyHz: number): ModelReport {
  const sequence = sequenceOf(fixtureSamples(name));
  return replayStream(sequence, { frequencyHz, rule: 'next', isCountedInSoftware: true })!;
}

const share = (part: number, of: { compared: number }) => part / of.compared;

test.each(['page-faults-5000hz.tsv', 'sys-enter-5000hz.tsv'])(
  'nearly every period at 5 000 Hz is explained to the event: %s',
  (name) => {
    const model = replayFixture(name, 5000);
    expect(model).toMatchObject({ hz: 250, rounding: 'away', tickDriven: false });
    expect(share(model.exact, model)).toBeGreaterThan(0.97);
    expect(share(model.overflowsOnly.exact, model.overflowsOnly)).toBeGreaterThan(0.98);
    expect(share(model.within1Percent, model)).toBeGreaterThan(0.99);
  },
);

test.each(['page-faults-500hz-sleeps.tsv', 'page-faults-500hz-rare-phases.tsv'])(
  'periods at 500 Hz, every other with a tick in it, are within 1 %% for 95 %%: %s',
  (name) => {
    const model = replayFixture(name, 500);
    expect(model).toMatchObject({ hz: 250, rounding: 'away' });
    expect(share(model.within1Percent, model)).toBeGreaterThan(0.97);
    expect(share(model.overflowsOnly.exact, model.overflowsOnly)).toBeGreaterThan(0.95);
    expect(model.explainedBy.ticks).toBeGreaterThan(0.4 * model.compared);
  },
);

test('unexplained periods have causes, and the sums agree', () => {
  const model = replayFixture('page-faults-500hz-rare-phases.tsv', 500);
  const sum = (counts: object) => Object.values(counts).reduce((a, b) => a + b, 0);
  expect(sum(model.explainedBy)).toBe(model.within1Percent);
  expect(sum(model.departures)).toBe(model.compared - model.within1Percent);
});

test('a few samples are not compared with the model', () => {
  const few = sequenceOf(fixtureSamples('page-faults-5000hz.tsv').slice(0, 9));
  expect(
    replayStream(few, { frequencyHz: 5000, rule: 'next', isCountedInSoftware: true }),
  ).toBeNull();
});

const ARM64_CYCLES = [
  ['arm64-6.1-cycles-999hz.tsv', 999],
  ['arm64-6.1-cycles-5000hz.tsv', 5000],
  ['arm64-6.1-cycles-10000hz.tsv', 10_000],
  ['arm64-6.12-cycles-999hz.tsv', 999],
  ['arm64-6.12-cycles-5000hz.tsv', 5000],
  ['arm64-6.12-cycles-10000hz.tsv', 10_000],
] as const;

test.each(ARM64_CYCLES)('cycles on arm64: 95 %% within 1 %%, no rule given: %s', (name, hz) => {
  const samples = fixtureSamples(name).filter((sample) => sample.stream === 0);
  const model = replayStream(sequenceOf(samples), {
    frequencyHz: hz,
    rule: 'unknown',
    isCountedInSoftware: false,
  })!;
  expect(share(model.within1Percent, model)).toBeGreaterThan(0.97);
  // A nanosecond is an event here: whether 7 or 8 is added before dividing by 8 drowns in that.
  expect(model.rounding).toBe('unknown');
});
