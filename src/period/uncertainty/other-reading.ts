import { finish } from '../../base/slices.ts';
import type { StepColumns } from '../../profile/analysis/shares/share-steps.ts';
import { computeElapsedEvents } from '../elapsed-events.ts';
import { splitIntervals } from '../interval-split.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput, ReportedPeriod } from '../types.ts';

/**
 * Reads periods whose interval is unknown in the other way: there are two readings of the same samples. The
 * weights are those of the one, 'elapsed'; this is what each sample has more in the other one, 'next':
 *
 *     periods           1    9    4    4
 *     weights           5    6    5    2      each interval divided between its two samples
 *     other reading     1    5    7    2
 *     to the same sum   1.2  6    8.4  2.4
 *     shift            −3.8  0    3.4  0.4
 *
 * A category whose samples collect a shift of s has s more in the other reading, so an interval of its share
 * that holds both readings reaches from the one less to the other more.
 *
 * Where samples read their counter both readings are the same, and nothing shifts.
 */
export function shiftOfOtherReading(
  input: PeriodInput,
  groups: StreamGroups,
  { weights, rows }: { readonly weights: Float64Array; readonly rows: Int32Array },
): StepColumns {
  const read = (rule: ReportedPeriod['rule']) => {
    const rules = input.events.map(() => ({ rule, from: 'fit', confidence: 0 }) as const);
    return splitIntervals(finish(computeElapsedEvents(input, groups, rules)), input, groups, null);
  };
  const asElapsed = read('elapsed');
  const asNext = read('next');
  let own = 0;
  let other = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    own += weights[row];
    other += weights[row] + asNext[row] - asElapsed[row];
  }
  if (!(own > 0) || !(other > 0)) return NO_STEPS;
  const amount = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    amount[i] = ((weights[row] + asNext[row] - asElapsed[row]) * own) / other - weights[row];
  }
  return amount.every((value) => value === 0)
    ? NO_STEPS
    : { length: rows.length, from: rows, to: rows, amount };
}

/** Share of the weight that stands at other samples in the other reading, 0…1. */
export function movedShare({ amount }: StepColumns, weight: number): number {
  if (!(weight > 0)) return 0;
  let moved = 0;
  for (let i = 0; i < amount.length; i++) moved += Math.abs(amount[i]);
  return Math.min(1, moved / 2 / weight);
}

export const NO_STEPS: StepColumns = {
  length: 0,
  from: new Int32Array(0),
  to: new Int32Array(0),
  amount: new Float64Array(0),
};
