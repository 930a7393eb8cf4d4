import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { narrowPage } from '../../src/formats/export/narrow-page.ts';
import type { PageProfile } from '../../src/formats/export/page-profile.ts';
import { createShareEstimator } from '../../src/period/uncertainty/uncertainty.ts';
import type { EventIndex, Weights } from '../../src/profile/types.ts';
import { alignmentOf } from '../../web/src/worker/recording/alignment-of.ts';
import { LoadedRecording } from '../../web/src/worker/recording/recording.ts';
import { pageOfPeriods } from '../helpers/page-of.ts';

const EVENT = 0 as EventIndex;

/** A page of 200 samples, after which as many events again came that no sample shows. */
function countedPage(): PageProfile {
  const periods = Array.from({ length: 200 }, (_unused, index) => 10 + (index % 7));
  const page = pageOfPeriods(periods);
  const values = Float64Array.from(periods);
  const weights: Weights = { kind: 'events', unit: 'events', values };
  const total = periods.reduce((sum, period) => sum + period, 0);
  return {
    ...page,
    weights: { ...page.weights, events: weights },
    periodInput: { ...page.periodInput, eventTotals: [2 * total] },
  };
}

test('the intervals of a part of a recording are those of samples drawn by themselves', () => {
  const whole = countedPage();
  const page = narrowPage(
    whole,
    Int32Array.from({ length: 100 }, (_unused, index) => 2 * index),
  );
  const rows = Int32Array.from({ length: 100 }, (_unused, index) => index);
  const recording = new LoadedRecording(page);
  const weights = recording.weights('events', 0);
  const shown = finish(recording.estimator(weights, EVENT, rows, true));
  const { groups } = finish(alignmentOf(page).get());
  const drawn = finish(
    createShareEstimator({ weights: weights.values, rows, groups, event: EVENT }),
  );
  const sums = { near: 900, far: 2000, lone: 0, entered: 30, lastA: 0, lastB: 0, shift: 0 };
  expect(shown?.errorOfDifference(0.5, 0.2, sums)).toBe(drawn.errorOfDifference(0.5, 0.2, sums));

  const ofWhole = new LoadedRecording(whole);
  const all = Int32Array.from({ length: 200 }, (_unused, index) => index);
  const known = finish(ofWhole.estimator(ofWhole.weights('events', 0), EVENT, all, true));
  // A whole recording knows of what came after its last sample.
  expect(known?.errorOfDifference(0.5, 0.2, sums)).toBeGreaterThan(
    drawn.errorOfDifference(0.5, 0.2, sums),
  );
});
