/**
 * One event as the kernel holds it while it samples in frequency mode: the fields of
 * `struct hw_perf_event` that matter, and the functions of `kernel/events/core.c` that change them,
 * under their own names. `controller.ts` tells how they play together.
 */

import { adjustAtOverflow, adjustPeriod, type EighthRounding } from '../controller.ts';

export type EventInstance = {
  /** `sample_period`: what the next interval will get. */
  samplePeriod: number;
  /** `last_period`: what the current interval got, or was given while it ran. */
  lastPeriod: number;
  /** The counter's value at which the current interval ends (`period_left`, counted from 0). */
  overflowAt: number;
  /** `freq_time_stamp`: the last overflow, nanoseconds; −∞ before the first. */
  freqTimeStamp: number;
  /** `freq_count_stamp`: the counter's value at the last tick. */
  freqCountStamp: number;
};

/** Facts about the kernel that the functions below need. */
export type Kernel = {
  readonly frequencyHz: number;
  /** Length of a tick, nanoseconds. */
  readonly tickNs: number;
  readonly rounding: EighthRounding;
};

/** `perf_event_alloc`: in frequency mode an event starts with a period of 1. */
export function createInstance(): EventInstance {
  return {
    samplePeriod: 1,
    lastPeriod: 1,
    overflowAt: 1,
    freqTimeStamp: Number.NEGATIVE_INFINITY,
    freqCountStamp: 0,
  };
}

/** An overflow of an event that the kernel counts. Returns the period that the sample reports. */
export function overflowInSoftware(event: EventInstance, nowNs: number, kernel: Kernel): number {
  const reported = event.lastPeriod;
  setPeriodInSoftware(event);
  accountInterrupt(event, nowNs, kernel);
  return reported;
}

/**
 * An overflow of a counter in the CPU. Drivers report the elapsed period (arm64, x86 since 2025) or
 * the next one (x86 before). `counted` is the counter's value now, which may be past the overflow.
 */
export function overflowInHardware(
  event: EventInstance,
  counted: number,
  nowNs: number,
  kernel: Kernel,
  reports: 'elapsed' | 'next',
): number {
  const elapsed = event.lastPeriod;
  setPeriodInHardware(event, counted);
  const next = event.lastPeriod;
  accountInterrupt(event, nowNs, kernel);
  return reports === 'elapsed' ? elapsed : next;
}

/** `perf_swevent_set_period`: the next interval is as long as what is just reported. */
function setPeriodInSoftware(event: EventInstance): void {
  event.overflowAt += event.lastPeriod;
  event.lastPeriod = event.samplePeriod;
}

/** `armpmu_event_set_period`, `x86_perf_event_set_period`: the newest period, less what it is late. */
function setPeriodInHardware(event: EventInstance, counted: number): void {
  const left = event.overflowAt - counted;
  event.overflowAt =
    (left <= -event.samplePeriod ? counted : event.overflowAt) + event.samplePeriod;
  event.lastPeriod = event.samplePeriod;
}

/** `__perf_event_account_interrupt`, what it does for the frequency. */
function accountInterrupt(event: EventInstance, nowNs: number, kernel: Kernel): void {
  const sinceLast = nowNs - event.freqTimeStamp;
  event.freqTimeStamp = nowNs;
  event.samplePeriod = adjustAtOverflow(
    event.lastPeriod,
    sinceLast,
    kernel.tickNs,
    kernel.frequencyHz,
    kernel.rounding,
    event.samplePeriod,
  );
}

/** `perf_adjust_freq_unthr_events`: a tick has met the event running. */
export function adjustOnTick(
  event: EventInstance,
  counted: number,
  kernel: Kernel,
  isHardware: boolean,
): void {
  const delta = counted - event.freqCountStamp;
  event.freqCountStamp = counted;
  if (delta <= 0) return;
  const { tickNs, frequencyHz, rounding } = kernel;
  event.samplePeriod = adjustPeriod(event.samplePeriod, delta, tickNs, frequencyHz, rounding);
  // A software event counts towards its overflow from below 0, so it never has so much left.
  if (isHardware && event.overflowAt - counted > 8 * event.samplePeriod) {
    event.overflowAt = counted + event.samplePeriod;
    event.lastPeriod = event.samplePeriod;
  }
}

/** `perf_swevent_add`: a software event whose task is switched in. The interval goes on. */
export function scheduleIn(event: EventInstance): void {
  event.lastPeriod = event.samplePeriod;
}
