import { NONE } from '../../base/brand.ts';
import { Z95 } from '../../base/normal.ts';
import type { FuncIndex, Profile } from '../types.ts';
import type { FlatReport } from './flat-report.ts';
import { type ShareEstimator, sumStepsOfNeighbours } from './shares/share-steps.ts';
import { innermostFuncOfStacks, keysOfStacks } from './trees/call-nodes.ts';

/** Two functions whose order by self may be chance. */
export type InseparablePair = {
  /** The one that comes first in the report. */
  readonly first: FuncIndex;
  readonly second: FuncIndex;
  /** Difference of their self shares of what arrived, ≥ 0. */
  readonly difference: number;
  readonly standardError: number;
};

/** Rows that are compared, each with the next. */
const COMPARED_ROWS = 6;
/** Share below which the order of two functions does not matter. */
const LEAST_SHARE = 0.01;

/**
 * The pairs of neighbours at the top of `report.bySymbol`, a report of `samples`, whose difference is less than chance
 * makes of it; its rows must have intervals. Two intervals may overlap although their difference is certain, and the
 * other way round: what the one gets, the other may have lost. So it has an error of its own.
 */
export function findInseparable(
  profile: Profile,
  report: FlatReport,
  samples: Int32Array,
  estimator: ShareEstimator,
): InseparablePair[] {
  // The estimator knows the samples only, and no sample is of the row for what was lost.
  const arrivedShare = report.weight === 0 ? 1 : 1 - report.lost / report.weight;
  const rows = report.bySymbol
    .filter(({ selfShare, selfSamples }) => selfShare >= LEAST_SHARE && selfSamples > 0)
    .slice(0, COMPARED_ROWS);
  // The error of a difference is never more than the two together.
  const mayTouch = rows.some((row, i) => {
    const low = rows[i - 1]?.selfInterval?.low ?? 1;
    return low <= (row.selfInterval?.high ?? 0);
  });
  if (!mayTouch) return [];

  const funcToRank = new Int32Array(profile.funcs.length).fill(NONE);
  for (const [rank, { func }] of rows.entries()) funcToRank[func] = rank;
  const rankOfStack = innermostFuncOfStacks(profile).map((func) => funcToRank[func]);
  const rankOfSample = keysOfStacks(profile, samples, rankOfStack);
  const differences = sumStepsOfNeighbours(estimator.steps, rankOfSample, rows.length);
  return differences.flatMap((sums, rank) => {
    const first = rows[rank];
    const second = rows[rank + 1];
    const firstShare = first.selfShare / arrivedShare;
    const secondShare = second.selfShare / arrivedShare;
    const standardError = estimator.errorOfDifference(firstShare, secondShare, sums);
    const difference = firstShare - secondShare;
    if (difference >= Z95 * standardError) return [];
    return [{ first: first.func, second: second.func, difference, standardError }];
  });
}
