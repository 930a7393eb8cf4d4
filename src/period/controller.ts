import { PERF_TYPE } from '../base/event-type.ts';

/**
 * The kernel's period controller, one step of it: `perf_adjust_period` in `kernel/events/core.c`.
 *
 * In frequency mode an event has a period P (events from one sample to the next) that the kernel
 * moves so that samples come at the rate f that was asked for. With λ events per second, the
 * period that gives f is λ/f. λ is not known, only measured, at two kinds of moments:
 *
 *  - On every overflow (`__perf_event_account_interrupt`), unless two ticks or more have passed
 *    since the last one: `count` is the period in force, `nanos` the time since the last overflow.
 *  - On every timer tick that meets the event running (`perf_adjust_freq_unthr_events`): `count` is
 *    what was counted since the last such tick, and `nanos` is taken to be one tick, even if the
 *    CPU slept through several. This is what brings a period down when events become rare, and
 *    with it the start of the burst when they come back.
 *
 * Either way the period moves an eighth of the way to `count · 10⁹ / (nanos · f)`, never below 1:
 *
 *     asked 5 000 Hz, counted 600 events in 1 ms: λ/f = 120. From 40: 40 + (80 + 7)/8 = 50
 *
 * An overflow can thus lower the period by an eighth and no more, but raise it without bound. So a
 * period that falls to less than half between two samples was brought down by ticks.
 *
 * Software events, tracepoints and breakpoints are counted by `perf_swevent_event`, and there the
 * result takes effect late. On overflow i (`perf_swevent_set_period`):
 *
 *     data->period = last_period                   the sample reports P(i) …
 *     period_left -= last_period                   … which is also the length of the next interval
 *     last_period  = sample_period                 this will be P(i+1)
 *     sample_period = adjust(sample_period, last_period, t(i) − t(i−1))      this will be P(i+2)
 *
 * so that P(i+2) comes from P(i+1), both as base and as count, and the time from i−1 to i. The
 * count does not belong to that time; while the period grows, λ is overestimated by P(i+1)/P(i−1).
 * Hence the growth beyond any 1/8 (1 1 1 2 5 13 35 …) and the overshoot at low rates.
 *
 * Clocks (`cpu-clock`, `task-clock`) have none of this: their period is the timer's, fixed.
 */

/**
 * How the eighth is rounded. 'away': away from zero, so that every step moves. 'up': towards the
 * larger period, so that a surplus below 15 events is never corrected; kernels before August 2024
 * (v6.12 and the stable releases of that autumn have the change).
 */
export type EighthRounding = 'away' | 'up';

/** The period after one adjustment. `count` events were counted in `nanos` nanoseconds (> 0). */
export function adjustPeriod(
  period: number,
  count: number,
  nanos: number,
  frequencyHz: number,
  rounding: EighthRounding = 'away',
): number {
  const wanted = Math.floor((count * 1e9) / (nanos * frequencyHz));
  const distance = wanted - period;
  const rounded = distance >= 0 || rounding === 'up' ? distance + 7 : distance - 7;
  // The kernel divides integers, which drops the fraction towards zero.
  const adjusted = period + Math.trunc(rounded / 8);
  return adjusted === 0 ? 1 : adjusted;
}

/**
 * The period after an overflow, `sinceLastNs` after the one before: `count` is the period in force.
 * `period` is what is adjusted, the period in force too unless told otherwise. An overflow two
 * ticks or more after the last adjusts nothing; nor does the first one.
 */
export function adjustAtOverflow(
  inForce: number,
  sinceLastNs: number,
  tickNs: number,
  frequencyHz: number,
  rounding: EighthRounding,
  period: number = inForce,
): number {
  if (!(sinceLastNs > 0 && sinceLastNs < 2 * tickNs)) return period;
  return adjustPeriod(period, inForce, sinceLastNs, frequencyHz, rounding);
}

/** Whether events of a `perf_event_attr.type` are counted by `perf_swevent_event`. */
export function isCountedInSoftware(type: number): boolean {
  return (
    type === PERF_TYPE.SOFTWARE || type === PERF_TYPE.TRACEPOINT || type === PERF_TYPE.BREAKPOINT
  );
}

/** The largest part of a period that one overflow can take away. */
export const MAX_FALL_PER_OVERFLOW = 1 / 8;
