import { innermostFuncs } from './call-nodes.ts';
import type { FlatReport } from './flat-report.ts';
import { type ShareEstimator, sumStepsOfDifference } from './share-steps.ts';
import type { FuncIndex, Profile } from './types.ts';

/** Two functions whose order by self may be chance. */
export type InseparablePair = {
  /** The one that comes first in the report. */
  readonly first: FuncIndex;
  readonly second: FuncIndex;
  /** Of their self shares, ≥ 0. */
  readonly difference: number;
  readonly standardError: number;
};

/** Rows that are compared, each with the next. */
const COMPARED_ROWS = 6;
/** Below this share nobody minds which of two comes first. */
const LEAST_SHARE = 0.01;

/**
 * The pairs of neighbours at the top of `report.bySymbol` whose difference is less than chance
 * makes of it. Two intervals may overlap although their difference is certain, and the other way
 * round: what the one gets, the other may have lost. So it has an error of its own.
 */
export function findInseparable(
  profile: Profile,
  report: FlatReport,
  estimator: ShareEstimator,
): InseparablePair[] {
  const funcOfSample = innermostFuncs(profile);
  const rows = report.bySymbol
    .slice(0, COMPARED_ROWS)
    .filter(({ selfShare }) => selfShare >= LEAST_SHARE);
  const found: InseparablePair[] = [];
  for (const [i, second] of rows.entries()) {
    const first = rows[i - 1];
    if (first === undefined) continue;
    const sums = sumStepsOfDifference(estimator.steps, funcOfSample, first.func, second.func);
    const standardError = estimator.errorOfDifference(first.selfShare, second.selfShare, sums);
    const difference = first.selfShare - second.selfShare;
    if (difference >= TWO_SIDED_95 * standardError) continue;
    found.push({ first: first.func, second: second.func, difference, standardError });
  }
  return found;
}

/** Standard deviations of the normal distribution within which 95 % lie. */
const TWO_SIDED_95 = 1.959964;
