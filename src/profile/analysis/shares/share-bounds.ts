import type { Weights } from '../../types.ts';
import type { CallTree } from '../trees/call-tree.ts';
import type { ShareEstimator, ShareInterval, StepSums } from './share-steps.ts';

/** The weight of everything, and the part of it that no sample shows. */
export type WeightWithLost = Pick<CallTree, 'weight' | 'lost'>;

/** The weight of the samples of `rows` and of what was lost before them. */
export function weightWithLost({
  rows,
  weights: { values, lostBefore },
}: {
  readonly rows: Int32Array;
  readonly weights: Weights;
}): WeightWithLost {
  let arrived = 0;
  let lost = 0;
  // Hot: once per sample.
  for (let i = 0; i < rows.length; i++) {
    arrived += values[rows[i]];
    lost += lostBefore?.[rows[i]] ?? 0;
  }
  return { weight: arrived + lost, lost };
}

/**
 * The interval of a share of everything, lost or not. The estimator knows what arrived; of what was
 * lost, any part may be this category's, and there may be more or less of it than estimated:
 *
 *     arrived ████████████████   lost at least ██ at most █████
 *     low     the low share of what arrived, with the most that was lost, none of it its own
 *     high    the high share of what arrived, and all of the most that was lost
 */
export function boundsOfShare(
  estimator: ShareEstimator,
  { weight, lost }: WeightWithLost,
  share: number,
  sums: StepSums,
  category: number,
): ShareInterval {
  const arrived = weight - lost;
  if (!(arrived > 0)) return { low: 0, high: 1 };
  const { low, high } = estimator.intervalOf((share * weight) / arrived, sums, category);
  return withLost(low, high, arrived, lost * estimator.lostBounds.most);
}

/** The interval of the share of a function that no sample is in. */
export function boundsOfNothing(
  estimator: ShareEstimator,
  { weight, lost }: WeightWithLost,
): ShareInterval {
  const arrived = weight - lost;
  if (!(arrived > 0)) return { low: 0, high: 1 };
  const { low, high } = estimator.intervalOfNothing();
  return withLost(low, high, arrived, lost * estimator.lostBounds.most);
}

/** The interval of the share that was lost. */
export function boundsOfLost(
  { lostBounds: { least, most } }: ShareEstimator,
  { weight, lost }: WeightWithLost,
): ShareInterval {
  const arrived = weight - lost;
  const share = (part: number): number => (part > 0 ? part / (arrived + part) : 0);
  return { low: share(lost * least), high: share(lost * most) };
}

function withLost(low: number, high: number, arrived: number, lost: number): ShareInterval {
  const weight = arrived + lost;
  return { low: (low * arrived) / weight, high: (high * arrived + lost) / weight };
}
