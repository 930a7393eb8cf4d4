import { secondsToSeparate } from '../../period/uncertainty/uncertainty.ts';
import type { FlatReport } from '../../profile/analysis/flat-report.ts';
import { findInseparable } from '../../profile/analysis/inseparable.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import type { EventIndex, FuncIndex } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';

/** Two functions whose order in the report may be chance. */
export type UncertainOrder = {
  readonly first: FuncIndex;
  readonly second: FuncIndex;
  /** How much longer to record to know it; null if that is no use, so equal are they. */
  readonly seconds: number | null;
};

/** Among the rows at the top of the report. */
export function findInseparablePairs(
  opened: OpenedProfile,
  event: EventIndex,
  report: FlatReport,
  estimator: ShareEstimator | null,
  select: SampleSelection,
): UncertainOrder[] {
  if (estimator === null) return [];
  const { profile } = opened;
  const { timeNs } = profile.samples;
  const rows = opened.samplesOf(event, select);
  const recordedNs = (timeNs[rows.at(-1) ?? 0] ?? 0) - (timeNs[rows[0] ?? 0] ?? 0);
  return findInseparable(profile, report, rows, estimator).map((pair) => ({
    first: pair.first,
    second: pair.second,
    seconds: secondsToSeparate(pair.difference, pair.standardError, recordedNs / 1e9),
  }));
}

/** The line below a table that explains its `~`, and how much longer to record to know the order; none without pairs. */
export function inseparableLines(pairs: readonly UncertainOrder[]): string[] {
  if (pairs.length === 0) return [];
  const seconds = Math.max(...pairs.map((pair) => pair.seconds ?? 0));
  const remedy = seconds > 0 ? `: ${formatSeconds(seconds)} more of recording would tell` : '';
  return [`# ~ the order of these rows is not certain${remedy}`];
}

/** Two digits are all that an estimate of an error is good for. */
function formatSeconds(seconds: number): string {
  return seconds < 1 ? 'a second' : `${Number(seconds.toPrecision(2))} s`;
}
