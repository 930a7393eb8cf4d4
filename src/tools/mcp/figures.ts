import { NONE } from '../../base/brand.ts';
import { mapInts } from '../../base/int-column.ts';
import { finish } from '../../base/slices.ts';
import { computeFlatReport, type FlatReport } from '../../profile/analysis/flat-report.ts';
import { boundsOfShare } from '../../profile/analysis/share-bounds.ts';
import {
  keysOfSelected,
  type ShareEstimator,
  type ShareInterval,
  sumStepsByKey,
} from '../../profile/analysis/share-steps.ts';
import type { EventIndex, Weights } from '../../profile/types.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';

/** One event of a recording, with what its shares need. */
export type EventFigures = {
  readonly opened: AnalysedProfile;
  readonly event: EventIndex;
  readonly rows: Int32Array;
  readonly weights: Weights;
  readonly estimator: ShareEstimator | null;
  readonly report: FlatReport;
};

export function figuresOfEvent(opened: AnalysedProfile, name?: string): EventFigures {
  const event = opened.eventIndex(name);
  const weights = opened.weights('events', event);
  const estimator = opened.shareEstimator(weights, event);
  const rows = opened.samplesOf(event);
  const wanted = estimator && { estimator, tables: ['bySymbol'] as const, totals: true };
  const report = computeFlatReport(opened.profile, weights, rows, wanted ?? undefined);
  return { opened, event, rows, weights, estimator, report };
}

/** Shares by a key of each sample (−1: none), heaviest first, with their intervals. */
export function sharesByKey(
  { rows, weights, estimator, report }: EventFigures,
  keyOfSample: Int32Array,
  keyCount: number,
): { readonly key: number; readonly share: number; readonly interval: ShareInterval | null }[] {
  const sums = new Float64Array(keyCount);
  // Hot: once per sample.
  for (let i = 0; i < rows.length; i++) {
    const key = keyOfSample[rows[i]];
    if (key !== NONE) sums[key] = sums[key] + weights.values[rows[i]];
  }
  const steps =
    estimator &&
    finish(sumStepsByKey(estimator.steps, keysOfSelected(keyOfSample, rows), keyCount));
  const keys = [...sums.keys()].filter((key) => sums[key] > 0);
  return keys
    .map((key) => {
      const share = sums[key] / report.weight;
      const interval = estimator && steps && boundsOfShare(estimator, report, share, steps, key);
      return { key, share, interval };
    })
    .sort((a, b) => b.share - a.share || a.key - b.key);
}

/**
 * For each sample the function that called the outermost of those meant, or that it called: FuncIndex + 1,
 * 0 where that is nobody or itself, −1 where none of them is on the stack.
 */
export function neighbourOfSample(
  { opened }: EventFigures,
  isMeant: Uint8Array,
  side: 'callers' | 'callees',
): Int32Array {
  const { stacks, frames, samples } = opened.profile;
  const key = new Int32Array(stacks.length).fill(NONE);
  const isCall = new Uint8Array(stacks.length);
  // Hot: once per stack row; parents come first.
  for (let row = 0; row < stacks.length; row++) {
    const above = stacks.prefix[row];
    const func = frames.func[stacks.frame[row]];
    if (above !== NONE && key[above] !== NONE) {
      key[row] = side === 'callees' && isCall[above] === 1 ? func + 1 : key[above];
    } else if (isMeant[func] === 1) {
      isCall[row] = 1;
      const caller = above === NONE ? 0 : frames.func[stacks.frame[above]] + 1;
      key[row] = side === 'callers' ? caller : 0;
    }
  }
  return mapInts(samples.stack, (stack) => (stack === NONE ? NONE : key[stack]));
}
