import type { Slices } from '../../base/slices.ts';
import { median } from '../distribution.ts';
import type { PeriodSequence } from '../period-sequence.ts';

/** The period over time, in equal slices; what a plot needs. */
export type PeriodCourse = {
  readonly startNs: number;
  readonly endNs: number;
  /** Median reported period of each slice, null where no sample fell into it. */
  readonly periods: readonly (number | null)[];
  /** The lowest and highest of each slice: a ramp is often shorter than a slice. */
  readonly lowest: readonly (number | null)[];
  readonly highest: readonly (number | null)[];
};

const SLICES = 160;

/** Cuts the time from the first to the last sample into slices; null without samples. */
export function* courseOf(sequence: PeriodSequence): Slices<PeriodCourse | null> {
  const { length, timeNs, periodEvents } = sequence;
  if (length === 0) return null;
  const startNs = timeNs[0];
  const endNs = timeNs[length - 1];
  const slices = Math.min(SLICES, length);
  const width = (endNs - startNs) / slices;
  const periods: (number | null)[] = [];
  const lowest: (number | null)[] = [];
  const highest: (number | null)[] = [];
  let first = 0;
  for (let s = 1; s <= slices; s++) {
    let end = first;
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    const until = startNs + s * width;
    while (end < length && (s === slices || timeNs[end] < until)) {
      const period = periodEvents[end++];
      if (period < low) low = period;
      if (period > high) high = period;
    }
    const isEmpty = end === first;
    periods.push(isEmpty ? null : median(periodEvents.subarray(first, end)));
    lowest.push(isEmpty ? null : low);
    highest.push(isEmpty ? null : high);
    first = end;
    yield;
  }
  return { startNs, endNs, periods, lowest, highest };
}
