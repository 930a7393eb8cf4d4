import { scaleCount } from './scale-count.ts';

/** Values of one instance of a counter (on a CPU, for a thread) over a span of time. */
export type InstanceReading = {
  /** The kernel's own count. */
  readonly value: number;
  /** Nanoseconds that the event was enabled; of a thread's event only while the thread ran. */
  readonly enabledNs: number;
  /** Nanoseconds of them that it had a hardware counter. */
  readonly runningNs: number;
};

/** The instances of one event, added up. */
export type Sum = {
  /**
   * Estimate for all of the enabled time; the exact count where `runningShare` is 1. Null: no
   * instance was ever counted, which is not 0.
   */
  readonly value: number | null;
  /** Σ as counted, not scaled. */
  readonly counted: number;
  readonly enabledNs: number;
  readonly runningNs: number;
  /** `runningNs / enabledNs`; null if nothing was enabled. */
  readonly runningShare: number | null;
};

/**
 * Each instance is scaled by its own times, since two CPUs may have shared their counters
 * differently. One that was enabled and never counted is taken to be like the others, by its
 * enabled time.
 */
export function sumReadings(readings: readonly InstanceReading[]): Sum {
  let scaled = 0;
  let counted = 0;
  let enabledNs = 0;
  let runningNs = 0;
  let countedEnabledNs = 0;
  for (const reading of readings) {
    counted += reading.value;
    enabledNs += reading.enabledNs;
    runningNs += reading.runningNs;
    if (reading.runningNs <= 0) continue;
    countedEnabledNs += reading.enabledNs;
    scaled += scale(reading);
  }
  const value =
    runningNs <= 0
      ? null
      : countedEnabledNs === enabledNs
        ? scaled
        : scaled * (enabledNs / countedEnabledNs);
  const runningShare = enabledNs > 0 ? Math.min(1, runningNs / enabledNs) : null;
  return { value, counted, enabledNs, runningNs, runningShare };
}

/** Counts and times of instances are whole, but for the enabled time that was shared out between kinds of cores. */
function scale({ value, enabledNs, runningNs }: InstanceReading): number {
  return Number(scaleCount(BigInt(value), BigInt(Math.round(enabledNs)), BigInt(runningNs)));
}

/** The difference between two readings of one instance. Its times are never reset, hence these. */
export function readingSince(now: InstanceReading, before: InstanceReading): InstanceReading {
  return {
    value: now.value - before.value,
    enabledNs: now.enabledNs - before.enabledNs,
    runningNs: now.runningNs - before.runningNs,
  };
}
