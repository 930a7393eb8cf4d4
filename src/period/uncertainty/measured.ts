import { lostSamplesOf } from '../../base/lost-samples.ts';
import type {
  DifferenceSums,
  ShareEstimator,
  StepSums,
} from '../../profile/analysis/shares/share-steps.ts';
import type { ProfileEvent, WeightKind } from '../../profile/types.ts';
import { isCountedInSoftware } from '../controller.ts';
import type { PeriodInput } from '../types.ts';
import { effectiveSampleSize } from '../weights.ts';
import { NO_STEPS } from './other-reading.ts';
import type { ShareInput } from './share-input.ts';
import { NOTHING_LOST } from './uncertainty.ts';

/**
 * Whether shares of an event in these weights are measured, not estimated: each is what it is in
 * this run, without an interval.
 *
 * - `samples`: a share of the samples taken is counted. As an estimate of where events went it
 *   would be wrong, whatever its interval: samples come at no fixed rate of events.
 * - Waits: every one of them was timed.
 * - A period of 1, counted in software: every event is a sample.
 * - Samples without a period: what each stands for is not known, so that they are counted themselves.
 */
export function isMeasured(
  { events, losses }: Pick<PeriodInput, 'events' | 'losses'>,
  event: number,
  kind: WeightKind,
): boolean {
  const described = events[event];
  if (kind === 'samples' || described.lacksPeriods) return true;
  if (areWaits(described)) return lostSamplesOf(losses ?? [], event) === 0;
  const { mode, type, fixedPeriod } = described;
  return kind !== 'time' && mode === 'period' && fixedPeriod === 1 && isCountedInSoftware(type);
}

/** Waits weigh nanoseconds like a clock's samples, but nobody asked for a rate or a period. */
export function areWaits({ mode, frequencyHz, fixedPeriod }: ProfileEvent): boolean {
  return mode === 'clock' && frequencyHz === null && fixedPeriod === null;
}

/** The estimator of shares that are measured: every interval is the share itself. */
export function createExactEstimator({ weights, rows, lostBounds }: ShareInput): ShareEstimator {
  return {
    isExact: true,
    steps: { near: [], far: [], ends: NO_STEPS, last: NO_STEPS, lone: NO_STEPS, shift: NO_STEPS },
    effectiveSamples: effectiveSampleSize(weights, rows),
    lostBounds: lostBounds ?? NOTHING_LOST,
    intervalOf: (share: number, _sums: StepSums, _category: number) => ({
      low: share,
      high: share,
    }),
    intervalOfNothing: () => ({ low: 0, high: 0 }),
    errorOfDifference: (_a: number, _b: number, _sums: DifferenceSums) => 0,
  };
}
