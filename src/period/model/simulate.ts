import { NONE } from '../../base/brand.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import type { EighthRounding } from '../controller.ts';
import type { PeriodInput } from '../types.ts';
import {
  adjustOnTick,
  createInstance,
  type Kernel,
  overflowInHardware,
  overflowInSoftware,
  scheduleIn,
} from './event-instance.ts';
import { tickLengthNs } from './ticks.ts';

/** A stretch of a program: events at an even rate λ. */
export type ProgramStretch = {
  readonly durationNs: number;
  /** λ. 0: the program runs, without events. */
  readonly eventsPerSecond: number;
  /** The task sleeps: no events, and no tick meets it. */
  readonly isAsleep?: boolean;
};

export type SimulationOptions = {
  /** The rate asked, Hz. */
  readonly frequencyHz: number;
  /** Ticks per second: CONFIG_HZ. */
  readonly hz: number;
  readonly rounding: EighthRounding;
  /**
   * 'software': software events, tracepoints, breakpoints. 'hardware': a counter of the CPU.
   */
  readonly kind: 'software' | 'hardware';
  /** The interval that a hardware event's driver reports. Default 'elapsed', as drivers do today. */
  readonly reports?: 'elapsed' | 'next';
  /** λ over time. */
  readonly stretches: readonly ProgramStretch[];
  /**
   * Cost of taking sample `index`, nanoseconds. The program makes no events of its own in that
   * time, but a CPU counter counts on; it can't overflow again before. Default: `sampleCostNs`.
   */
  readonly sampleCostNs?: (index: number) => number;
  /** Time of the first tick, 0 … one tick. Default: half a tick. */
  readonly tickPhaseNs?: number;
};

/**
 * Cost of a sample, nanoseconds, by the time between two samples with a period of 1. `cycles` in
 * an arm64 guest: 2.2 µs each. page-faults and system calls on x86-64: 30, 16, 19, 10 µs at the
 * start, while the code that takes samples is not in the caches, later 1 to 2 µs. How fast the first
 * samples come decides how far the period overshoots.
 */
function sampleCostNs(kind: 'software' | 'hardware', index: number): number {
  return kind === 'software' ? 2000 + 20_000 * 2 ** -index : 2000;
}

export type SimulatedSamples = {
  readonly length: number;
  /** Nanoseconds since the start. */
  readonly timeNs: Float64Array;
  /** The periods that the samples report. */
  readonly periodEvents: Float64Array;
  /** The counter's value at each sample. */
  readonly count: Float64Array;
  /** The counter's value at the end. */
  readonly total: number;
  readonly durationNs: number;
};

/**
 * The samples that one event instance would take of a program: the kernel's steps
 * (`event-instance.ts`), moved on from one overflow, tick or change of λ to the next.
 */
export function simulatePeriod(options: SimulationOptions): SimulatedSamples {
  const { frequencyHz, hz, rounding, kind, stretches } = options;
  const isHardware = kind === 'hardware';
  const kernel: Kernel = { frequencyHz, tickNs: tickLengthNs(hz), rounding };
  const costOf = options.sampleCostNs ?? ((index) => sampleCostNs(kind, index));
  const event = createInstance();
  const times: number[] = [];
  const periods: number[] = [];
  const counts: number[] = [];
  let now = 0;
  let counted = 0;
  let nextTick = options.tickPhaseNs ?? kernel.tickNs / 2;
  let start = 0;
  let wasAsleep = false;

  for (const { durationNs, eventsPerSecond, isAsleep } of stretches) {
    const end = start + durationNs;
    const perNs = isAsleep ? 0 : eventsPerSecond / 1e9;
    if (wasAsleep && !isAsleep && !isHardware) scheduleIn(event);
    while (now < end) {
      const missing = event.overflowAt - counted;
      const overflow = perNs > 0 ? now + Math.max(0, missing) / perNs : Number.POSITIVE_INFINITY;
      const until = Math.min(overflow, nextTick, end);
      counted += Math.max(0, until - now) * perNs;
      now = Math.max(now, until);
      if (until === nextTick) {
        nextTick += kernel.tickNs;
        if (!isAsleep) adjustOnTick(event, Math.floor(counted + 1e-6), kernel, isHardware);
      } else if (until === overflow) {
        // The very event: no fraction is left over from adding up.
        if (!isHardware || missing > 0) counted = Math.max(event.overflowAt, Math.round(counted));
        const time = Math.round(now);
        times.push(time);
        counts.push(counted);
        periods.push(
          isHardware
            ? overflowInHardware(event, counted, time, kernel, options.reports ?? 'elapsed')
            : overflowInSoftware(event, time, kernel),
        );
        const cost = costOf(times.length - 1);
        if (isHardware) counted += Math.round(cost * perNs);
        now += cost;
      }
    }
    start = end;
    wasAsleep = isAsleep === true;
  }
  return {
    length: times.length,
    timeNs: Float64Array.from(times),
    periodEvents: Float64Array.from(periods),
    count: Float64Array.from(counts),
    total: Math.floor(counted),
    durationNs: start,
  };
}

/** The samples as an input of the period analysis: one event on one task. */
export function inputOfSimulation(
  simulated: SimulatedSamples,
  { frequencyHz, kind }: Pick<SimulationOptions, 'frequencyHz' | 'kind'>,
): PeriodInput {
  const { length, timeNs, periodEvents, count, total } = simulated;
  return {
    events: [
      {
        name: `simulated ${kind} event`,
        type: kind === 'software' ? PERF_TYPE.SOFTWARE : PERF_TYPE.HARDWARE,
        mode: 'frequency',
        frequencyHz,
        fixedPeriod: null,
        unit: 'events',
      },
    ],
    streams: [],
    threads: [],
    samples: {
      length,
      event: new Int32Array(length),
      stream: new Int32Array(length).fill(NONE),
      thread: new Int32Array(length).fill(NONE),
      cpu: new Int32Array(length).fill(NONE),
      timeNs,
      periodEvents,
      count,
    },
    eventTotals: [total],
  };
}
