// Hot: once per sample.

import type { Slices } from '../../base/slices.ts';
import { computeSpread, type Distribution, median } from '../distribution.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { Activity } from './activity.ts';
import type { Convergence } from './convergence.ts';

/** Rates and periods while the period is settled. */
export type SteadyState = {
  readonly period: Distribution;
  /** Samples per second of active time (idle gaps left out). */
  readonly hz: number;
  /** Events per second of active time: λ. */
  readonly eventRateHz: number;
};

/** Rates and periods of the settled samples; null where no whole interval is. */
export function* steadyState(
  sequence: PeriodSequence,
  activity: Activity,
  settled: Uint8Array,
): Slices<SteadyState | null> {
  const { length, periodEvents, elapsedEvents } = sequence;
  const { intervalNs } = activity;
  const periods = new Float64Array(length);
  let resting = 0;
  let samples = 0;
  let events = 0;
  let nanos = 0;
  for (let i = 0; i < length; i++) {
    if (settled[i] !== 1) continue;
    periods[resting++] = periodEvents[i];
    const interval = intervalNs[i];
    // An interval counts if both its ends are settled, and it is not an idle gap.
    if (i === 0 || settled[i - 1] !== 1 || interval === 0) continue;
    samples++;
    events += elapsedEvents[i];
    nanos += interval;
  }
  yield;
  if (nanos === 0) return null;
  return {
    period: yield* computeSpread(periods.subarray(0, resting)),
    hz: (samples * 1e9) / nanos,
    eventRateHz: (events * 1e9) / nanos,
  };
}

/** How much of a stream lies inside ramps. */
export type RampTotals = {
  readonly samples: number;
  readonly events: number;
  readonly samplesInRamps: number;
  readonly eventsInRamps: number;
};

/** Samples and events of a stream, and those of its samples that are not settled (`settled` 0). */
export function rampTotals(sequence: PeriodSequence, settled: Uint8Array): RampTotals {
  const { length, elapsedEvents } = sequence;
  let events = 0;
  let samplesInRamps = 0;
  let eventsInRamps = 0;
  for (let i = 0; i < length; i++) {
    const elapsed = elapsedEvents[i];
    events += elapsed;
    if (settled[i] === 1) continue;
    samplesInRamps++;
    eventsInRamps += elapsed;
  }
  return { samples: length, events, samplesInRamps, eventsInRamps };
}

/** Samples whose median stands for the period that a ramp led to. */
const AFTERWARDS = 16;

/**
 * The highest period on the way, as a multiple of the one that the stream settled at. 1 and
 * below: it came from below and did not overshoot. Null where it never settled or was settled at once.
 */
export function overshootOf(sequence: PeriodSequence, { start }: Convergence): number | null {
  const { length, periodEvents } = sequence;
  if (start.end === 0 || start.end >= length) return null;
  let highest = 0;
  for (let i = 0; i < start.end; i++) highest = Math.max(highest, periodEvents[i]);
  const rest = median(periodEvents.subarray(start.end, start.end + AFTERWARDS));
  return rest > 0 ? highest / rest : null;
}
