// Hot: once per interval that departs.

import type { PeriodSequence } from '../period-sequence.ts';
import type { PacedInterval, Ticks } from './interval-ticks.ts';

/** An interval with less than this share of its neighbours' event rate has a lull in it. */
const LULL_RATE = 0.85;
/** Places that are tried for a lull. */
const PLACES = 24;

/**
 * Fits a lull into `interval`, which sample `end` ends: a stretch without events, in which ticks
 * find nothing to adjust, where it brings the ticks' result from `from` nearest to `reported`.
 * `ticks` are marked at the interval's start. Returns that result; without a lull, if the interval
 * was about as fast as its neighbours.
 */
export function adjustWithLull(
  sequence: PeriodSequence,
  end: number,
  interval: PacedInterval,
  ticks: Ticks,
  from: number,
  reported: number,
): number {
  const lull = lullNs(sequence, end);
  interval.pauseNs = 0;
  interval.pauseLengthNs = lull;
  if (lull > 0) {
    const active = interval.endNs - interval.startNs - lull;
    let nearest = Number.POSITIVE_INFINITY;
    let nearestNs = 0;
    for (let place = 0; place <= PLACES; place++) {
      interval.pauseNs = (active * place) / PLACES;
      ticks.rewind();
      const distance = Math.abs(ticks.adjust(from, interval, interval.endNs) - reported);
      if (distance >= nearest) continue;
      nearest = distance;
      nearestNs = interval.pauseNs;
    }
    interval.pauseNs = nearestNs;
  }
  ticks.rewind();
  return ticks.adjust(from, interval, interval.endNs);
}

/**
 * How long the interval that sample `end` ends was without events, if the others came as fast as
 * in the faster of the two neighbouring intervals, nanoseconds; 0 if it was about as fast.
 */
function lullNs(sequence: PeriodSequence, end: number): number {
  const { length, elapsedEvents } = sequence;
  let rate = 0;
  if (end >= 2) rate = elapsedEvents[end - 1] / activeNs(sequence, end - 1);
  if (end + 1 < length) {
    rate = Math.max(rate, elapsedEvents[end + 1] / activeNs(sequence, end + 1));
  }
  const duration = activeNs(sequence, end);
  const events = elapsedEvents[end];
  if (!(events > 0) || !Number.isFinite(rate) || events >= LULL_RATE * rate * duration) return 0;
  return duration - events / rate;
}

/** The time of the interval that sample `end` ends, less what is known to be off the CPU. */
function activeNs({ timeNs, offCpuNs }: PeriodSequence, end: number): number {
  const off = offCpuNs ? offCpuNs[end] : 0;
  return timeNs[end] - timeNs[end - 1] - (off > 0 ? off : 0);
}
