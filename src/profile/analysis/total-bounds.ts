import type { LostBounds, WeightKind } from '../types.ts';
import type { StepColumns } from './shares/share-steps.ts';

/** The total of an event in one selection, and what its bounds follow from. */
export type TotalInput = {
  /** Weight including `lost`, the part of it that no sample shows. */
  readonly weight: number;
  readonly lost: number;
  readonly kind: WeightKind;
  /** How far what was lost may be from its estimate, and the last sample of each stream. */
  readonly estimator: {
    readonly lostBounds: LostBounds;
    readonly steps: { readonly last: StepColumns };
  };
  /** The final value of the event's counter; null where it is not known, or the selection is a part. */
  readonly counted: number | null;
};

/**
 * The interval in which the total of this run lies. It is a sum, not a share, so samples leave open only
 * what they did not reach: the counter's final value is the other end where weights are of it. Else
 * each stream may have gone on for up to an interval after its last sample, and what was lost is
 * between its bounds.
 */
export function boundsOfTotal({ weight, lost, kind, estimator, counted }: TotalInput): {
  readonly low: number;
  readonly high: number;
} {
  if (counted !== null && kind === 'events') {
    return { low: Math.min(weight, counted), high: Math.max(weight, counted) };
  }
  const { least, most } = estimator.lostBounds;
  const { length, amount } = estimator.steps.last;
  // An end's amount is a third of its squared interval.
  let ends = 0;
  for (let i = 0; i < length; i++) ends += Math.sqrt(3 * amount[i]);
  return { low: weight - lost * (1 - least), high: weight + lost * (most - 1) + ends };
}
