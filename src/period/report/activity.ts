import { median } from '../distribution.ts';
import type { PeriodSequence } from '../period-sequence.ts';

/**
 * A sequence's time without its idle gaps. A task that sleeps, or that computes without touching
 * the event, takes no samples; its gap says nothing about the rate that the controller reached.
 *
 * A gap is idle when it is long (10 samples' worth at the rate asked, and 20 ms: two ticks at
 * HZ = 100, past which the kernel ignores an interval) and the event rate inside it is less than a
 * tenth of what is usual on both sides. A long gap at the usual rate is not idle but an overshoot: the
 * period was far too large.
 */
export type Activity = {
  /** Per sample: nanoseconds since the previous one; 0 for the first and across idle gaps. */
  readonly intervalNs: Float64Array;
  readonly idleGaps: number;
  readonly idleNs: number;
};

const MIN_IDLE_SAMPLES = 10;
const MIN_IDLE_NS = 20e6;
const IDLE_RATE = 0.1;
/** Intervals looked at on either side of a gap. */
const NEIGHBOURS = 5;

/** Finds the idle gaps of a sequence whose samples are `expectedNs` apart when all is well. */
export function measureActivity(sequence: PeriodSequence, expectedNs: number): Activity {
  const { length, timeNs } = sequence;
  const minIdleNs = Math.max(MIN_IDLE_NS, MIN_IDLE_SAMPLES * expectedNs);
  const intervalNs = new Float64Array(length);
  let idleGaps = 0;
  let idleNs = 0;
  for (let i = 1; i < length; i++) {
    const gap = timeNs[i] - timeNs[i - 1];
    if (gap >= minIdleNs && isIdle(sequence, i)) {
      idleGaps++;
      idleNs += gap;
    } else {
      intervalNs[i] = gap;
    }
  }
  return { intervalNs, idleGaps, idleNs };
}

function isIdle(sequence: PeriodSequence, i: number): boolean {
  const before = typicalRate(sequence, Math.max(1, i - NEIGHBOURS), i);
  const after = typicalRate(sequence, i + 1, Math.min(sequence.length, i + 1 + NEIGHBOURS));
  return rate(sequence, i) < IDLE_RATE * Math.min(before, after);
}

/** Median rate of the intervals that end at [first, end); infinite where there are none. */
function typicalRate(sequence: PeriodSequence, first: number, end: number): number {
  if (end <= first) return Number.POSITIVE_INFINITY;
  const rates: number[] = [];
  for (let i = first; i < end; i++) rates.push(rate(sequence, i));
  return median(rates);
}

/** Events per nanosecond in the interval that sample i ends. */
function rate(sequence: PeriodSequence, i: number): number {
  const nanos = sequence.timeNs[i] - sequence.timeNs[i - 1];
  return nanos > 0 ? sequence.elapsedEvents[i] / nanos : Number.POSITIVE_INFINITY;
}
