import type { PeriodSequence } from '../period-sequence.ts';

/**
 * Two samples of a stream in a row, and the two rates that they give:
 *
 *     λ = Δcount / Δt        events per second
 *     f = λ / P              samples per second
 *
 * P is the period that was in force, the events from one sample to the next. It is neither sample's
 * to report in every case: `cycles` at its start reports 1 and 2 while 2 pass. So f is also 1/Δt.
 */
export type Pair = {
  /** Time of the later sample, nanoseconds since the recording's first timestamp. */
  readonly timeNs: number;
  /** Δt. */
  readonly intervalNs: number;
  /** Δcount where the counter was read in both samples, else the period in force by the rule. */
  readonly events: number;
  readonly from: 'counts' | 'periods';
  /** The periods that the earlier and the later sample report. */
  readonly periods: readonly [number, number];
  /** λ; null for two samples of one instant. */
  readonly eventRateHz: number | null;
  /** f; null likewise. */
  readonly hz: number | null;
};

/** The first `limit` pairs of a stream. `count` is the counter's value in each sample, NaN unread; null: in all. */
export function pairsOf(
  sequence: PeriodSequence,
  count: Float64Array | null,
  limit: number,
): Pair[] {
  const { length, timeNs, periodEvents, elapsedEvents } = sequence;
  const pairs: Pair[] = [];
  for (let i = 1; i < length && pairs.length < limit; i++) {
    const intervalNs = timeNs[i] - timeNs[i - 1];
    const counted = count === null ? Number.NaN : count[i] - count[i - 1];
    const isCounted = counted >= 0;
    const events = isCounted ? counted : elapsedEvents[i];
    pairs.push({
      timeNs: timeNs[i],
      intervalNs,
      events,
      from: isCounted ? 'counts' : 'periods',
      periods: [periodEvents[i - 1], periodEvents[i]],
      eventRateHz: intervalNs > 0 ? (events / intervalNs) * 1e9 : null,
      hz: intervalNs > 0 ? 1e9 / intervalNs : null,
    });
  }
  return pairs;
}
