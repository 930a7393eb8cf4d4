import { printable } from '../../base/printable.ts';
import { secondsToSeparate } from '../../period/uncertainty/uncertainty.ts';
import type { FlatReport } from '../../profile/analysis/flat-report.ts';
import { findInseparable } from '../../profile/analysis/inseparable.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import { shortName } from '../../profile/short-name.ts';
import type { EventIndex } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';

/** Two functions whose order in the report may be chance. */
export type InseparableNames = {
  readonly first: string;
  readonly second: string;
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
): InseparableNames[] {
  if (estimator === null) return [];
  const { profile } = opened;
  const { timeNs } = profile.samples;
  const rows = opened.samplesOf(event, select);
  const recordedNs = (timeNs[rows.at(-1) ?? 0] ?? 0) - (timeNs[rows[0] ?? 0] ?? 0);
  return findInseparable(profile, report, rows, estimator).map((pair) => ({
    first: opened.nameOf(pair.first),
    second: opened.nameOf(pair.second),
    seconds: secondsToSeparate(pair.difference, pair.standardError, recordedNs / 1e9),
  }));
}

/** A sentence for each pair that recording longer would separate. */
export function inseparableLines(pairs: readonly InseparableNames[]): string[] {
  const lines = pairs.flatMap(({ first, second, seconds }) =>
    seconds === null
      ? []
      : [
          `# order not certain: ${printable(shortName(first))} and ${printable(shortName(second))} may be the other way round; ` +
            `${formatSeconds(seconds)} more of recording would tell`,
        ],
  );
  return lines.length > 0 ? ['', ...lines] : [];
}

/** Two digits are all that an estimate of an error is good for. */
function formatSeconds(seconds: number): string {
  return `${Number(seconds.toPrecision(2))} s`;
}
