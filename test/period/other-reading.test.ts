import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { alignPeriods } from '../../src/period/alignment.ts';
import {
  type EstimatedEvent,
  estimateEvent,
} from '../../src/period/uncertainty/event-estimator.ts';
import { movedShare, shiftOfOtherReading } from '../../src/period/uncertainty/other-reading.ts';
import { computeWeights } from '../../src/period/weights.ts';
import { sumStepsByKey } from '../../src/profile/analysis/shares/share-steps.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';
import { CYCLES, type DrawnSample, recordingOf } from './recording.ts';

/** Calls: ten samples of short intervals in function 0, one of a long interval in function 1. */
const PERIODS = Array.from({ length: 600 }, (_, i) => (i % 10 === 0 ? 900 : 100));
const FUNCS = Int32Array.from(PERIODS, (_, i) => (i % 10 === 0 ? 1 : 0));
// Times that grow with neither period, so that the fit finds no rule.
const SAMPLES: DrawnSample[] = PERIODS.map((period, i) => ({ timeNs: 250_000 * (i + 1), period }));

function estimate(samples: readonly DrawnSample[], event: ProfileEvent = CYCLES) {
  const input = recordingOf([event], samples);
  const alignment = finish(alignPeriods(input));
  const weights = computeWeights('events', input, () => alignment);
  const rows = Int32Array.from(samples, (_, row) => row);
  const estimator = finish(
    estimateEvent({
      ...{ input, alignment, weights, event: 0, rows, isWhole: true },
      ...{ eventsCounted: null, inStep: () => null },
      places: () => ({ func: FUNCS, stack: FUNCS, caller: FUNCS }),
    } satisfies EstimatedEvent),
  );
  if (estimator === null) throw new Error('no estimator');
  const sums = finish(sumStepsByKey(estimator.steps, FUNCS, 2));
  let own = 0;
  let all = 0;
  for (const row of rows) {
    all += weights.values[row];
    if (FUNCS[row] === 1) own += weights.values[row];
  }
  const share = own / all;
  return { rule: alignment.rules[0].rule, share, ...estimator.intervalOf(share, sums, 1) };
}

const known = (rule: 'next' | 'elapsed') =>
  estimate(SAMPLES, { ...CYCLES, driverRule: { driver: 'a driver', rule, countsLag: false } });

test('an unknown rule gives an interval that holds the share in both readings', () => {
  const { rule, low, high } = estimate(SAMPLES);
  expect(rule).toBe('unknown');
  const shares = [known('elapsed').share, known('next').share];
  expect(low).toBeLessThanOrEqual(Math.min(...shares));
  expect(high).toBeGreaterThanOrEqual(Math.max(...shares));
});

test('a known rule widens nothing: its interval is the narrower one', () => {
  const unknown = estimate(SAMPLES);
  const elapsed = known('elapsed');
  expect(elapsed.share).toBe(unknown.share);
  expect(elapsed.high - elapsed.low).toBeLessThan(unknown.high - unknown.low);
});

test('the other reading moves each interval to the sample before it, and no weight goes missing', () => {
  const input = recordingOf(
    [CYCLES],
    [1, 9, 4, 4].map((period, i) => ({ timeNs: 1000 * i, period })),
  );
  const { groups } = finish(alignPeriods(input));
  const rows = Int32Array.of(0, 1, 2, 3);
  const weights = Float64Array.of(5, 6, 5, 2);
  const shift = shiftOfOtherReading(input, groups, { weights, rows });
  const tenths = Array.from(shift.amount, (value) => Math.round(10 * value));
  expect(tenths).toEqual([-38, 0, 34, 4]);
  expect(movedShare(shift, 18)).toBeCloseTo(3.8 / 18);
});

test('samples that read their counter have one reading', () => {
  const input = recordingOf(
    [CYCLES],
    [1, 10, 14].map((count, i) => ({ timeNs: 1000 * i, period: 4, count })),
  );
  const { groups } = finish(alignPeriods(input));
  const read = { weights: Float64Array.of(1, 9, 4), rows: Int32Array.of(0, 1, 2) };
  expect(shiftOfOtherReading(input, groups, read).length).toBe(0);
});
