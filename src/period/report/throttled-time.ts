import { firstNotBelow } from '../../base/bisect.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput, ThrottleInterval } from '../types.ts';

/** One pause of an event as reports list it. */
export type ReportedThrottle = {
  /** Null where it can't be told. */
  readonly streamId: string | null;
  readonly startNs: number;
  readonly endNs: number;
};

/** How often and how long the kernel paused an event. */
export type Throttled = {
  readonly count: number;
  readonly ns: number;
  /** The first 100. */
  readonly intervals: readonly ReportedThrottle[];
};

const MAX_LISTED = 100;

/** Σ and list of an event's throttle intervals. */
export function reportThrottles(input: PeriodInput, event: number): Throttled {
  const found = throttlesOf(input, event);
  return {
    count: found.length,
    ns: found.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0),
    intervals: found.slice(0, MAX_LISTED).map(({ stream, startNs, endNs }) => ({
      streamId: input.streams[stream]?.streamId ?? null,
      startNs,
      endNs,
    })),
  };
}

/** The pauses of `event`, as recorded. */
export function throttlesOf(input: PeriodInput, event: number): readonly ThrottleInterval[] {
  return (input.throttles ?? []).filter((throttle) => throttle.event === event);
}

/** The kernel pauses an event as it takes a sample: that one is at most this much apart. */
const NEAR_NS = 100_000;

/**
 * The intervals that are held against a group. Where streams can't be told apart, an interval is of
 * the groups that took a sample when it began and none while it lasted. `timeNs`: of the group's
 * samples.
 */
export function throttlesOfGroup(
  throttles: readonly ThrottleInterval[],
  groups: StreamGroups,
  group: number,
  timeNs: Float64Array,
): readonly ThrottleInterval[] {
  if (throttles.length === 0) return throttles;
  const event = groups.event[group];
  const own = groups.stream[group];
  return throttles.filter(({ event: of, stream, startNs, endNs }) => {
    if (of !== event) return false;
    if (stream >= 0 && own >= 0) return stream === own;
    return isPausedLike(timeNs, startNs, endNs);
  });
}

function isPausedLike(timeNs: Float64Array, startNs: number, endNs: number): boolean {
  const first = firstNotBelow(timeNs, startNs - NEAR_NS);
  if (first === timeNs.length || timeNs[first] > startNs + NEAR_NS) return false;
  const next = firstNotBelow(timeNs, startNs + NEAR_NS);
  return next === timeNs.length || timeNs[next] >= endNs - NEAR_NS;
}

/** The end of a group's time: of its last sample, or of the pause after it. */
export function endOfTime(throttles: readonly ThrottleInterval[], lastNs: number): number {
  let end = lastNs;
  for (const { startNs, endNs } of throttles) if (startNs <= lastNs) end = Math.max(end, endNs);
  return end;
}

/** Throttled nanoseconds between two times. */
export function throttledBetween(
  throttles: readonly ThrottleInterval[],
  firstNs: number,
  lastNs: number,
): number {
  let nanos = 0;
  for (const { startNs, endNs } of throttles) {
    nanos += Math.max(0, Math.min(endNs, lastNs) - Math.max(startNs, firstNs));
  }
  return nanos;
}
