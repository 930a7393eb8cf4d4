import type { ComparedFunctions } from '../../profile/analysis/compare-functions.ts';
import type { DsoMatch } from '../../profile/analysis/match-dsos.ts';

/** How the self of one event's functions differs from that in other recordings. */
export type EventDiff = {
  readonly event: string;
  /** `CPU time`, or the event's name. */
  readonly title: string;
  readonly unit: string;
  /** Number of samples in all recordings of this side. */
  readonly samples: number;
  readonly otherSamples: number;
  /** Sampled at the same rate. */
  readonly areSampledAlike: boolean;
  /** Sides, `before` and `after`, of which it is unknown which interval a period measures, and why. */
  readonly ruleDoubts: readonly { readonly side: 'before' | 'after'; readonly text: string }[];
  readonly runs: number;
  readonly otherRuns: number;
  /** Seconds recorded: of several, the mean; null where a recording has no times. */
  readonly seconds: number | null;
  readonly otherSeconds: number | null;
  readonly total: ComparedFunctions['total'];
  readonly functions: ComparedFunctions['rows'];
  /** Files of different names that were compared with each other. */
  readonly renamed: readonly DsoMatch[];
};
