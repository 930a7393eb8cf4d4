import type { IntColumn } from '../base/int-column.ts';
import type { Slices } from '../base/slices.ts';
import { boundsOfShare, weightWithLost } from '../profile/analysis/shares/share-bounds.ts';
import {
  keysOfSelected,
  type ShareEstimator,
  type ShareInterval,
  sumStepsByKey,
} from '../profile/analysis/shares/share-steps.ts';
import { sumByKey } from '../profile/analysis/weight-sums.ts';
import type { Profile, Weights } from '../profile/types.ts';

/** The matter of a question: samples of one event, what each weighs, and how well shares of them are known. */
export type Asked = {
  readonly profile: Profile;
  /** Rows of the sample table. */
  readonly rows: Int32Array;
  readonly weights: Weights;
  /** Made of the same rows and weights; null where nothing is known of intervals. */
  readonly estimator: ShareEstimator | null;
};

/** A part of what was asked about. */
export type Share = {
  readonly weight: number;
  readonly samples: number;
  /** Part of everything, lost or not, 0…1. */
  readonly share: number;
  /** The ends of `share`, 95 %. */
  readonly interval: ShareInterval | null;
};

/**
 * Shares by a key of each sample, heaviest first. `keyOfSample` has a row for each of the sample table, with 0 …
 * `keyCount` − 1, or −1 for none.
 */
export function* sharesByKey(
  asked: Asked,
  keyOfSample: IntColumn,
  keyCount: number,
): Slices<(Share & { readonly key: number })[]> {
  const { rows, weights, estimator } = asked;
  const whole = weightWithLost(asked);
  const { weight: sums, samples } = sumByKey(rows, weights, keyOfSample, keyCount);
  yield;
  const steps =
    estimator &&
    (yield* sumStepsByKey(estimator.steps, keysOfSelected(keyOfSample, rows), keyCount));
  const keys = [...sums.keys()].filter((key) => samples[key] > 0);
  return keys
    .map((key) => {
      const share = whole.weight === 0 ? 0 : sums[key] / whole.weight;
      const interval = estimator && steps && boundsOfShare(estimator, whole, share, steps, key);
      return { key, weight: sums[key], samples: samples[key], share, interval };
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}
