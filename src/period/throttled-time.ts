import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ThrottleInterval } from './types.ts';

/** One pause of an event as reports list it. */
export type ReportedThrottle = {
  /** Null where it can't be told: then it is held against every stream. */
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

export function throttlesOf(input: PeriodInput, event: number): readonly ThrottleInterval[] {
  return (input.throttles ?? []).filter((throttle) => throttle.event === event);
}

/** The intervals that are held against a group: its own, and those of unknown streams. */
export function throttlesOfGroup(
  throttles: readonly ThrottleInterval[],
  groups: StreamGroups,
  group: number,
): readonly ThrottleInterval[] {
  if (throttles.length === 0) return throttles;
  const event = groups.event[group];
  const own = groups.stream[group];
  return throttles.filter(
    ({ event: of, stream }) => of === event && (stream < 0 || stream === own),
  );
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
