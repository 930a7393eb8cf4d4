import { adjustPeriod, type EighthRounding } from '../../src/period/controller.ts';
import type { DrawnSample } from './recording.ts';

/** A stretch of a simulated program: events at an even rate, on a CPU that ticks. */
export type Stretch = {
  readonly durationNs: number;
  /** 0: no events. */
  readonly eventsPerSecond: number;
  /** The task sleeps: no events, and no tick meets it. */
  readonly asleep?: boolean;
};

export type SimulationOptions = {
  readonly frequencyHz: number;
  /**
   * 'next': as software events; 'elapsed': the counter's period is reloaded and reported at once. Drivers
   * of x86 have loops of their own: 'x86-next' arms the counter, reports what it armed and adjusts what
   * comes after that; 'pebs' reports the past interval, adjusts by it and arms the result at once.
   */
  readonly rule: 'next' | 'elapsed' | 'x86-next' | 'pebs';
  readonly tickNs?: number;
  readonly rounding?: EighthRounding;
};

/**
 * Samples that one event instance would take, event by event, with the kernel's order of steps (see
 * `controller.ts`). Nothing of it is shared with the code under test but the eighth itself.
 */
export function simulate(
  stretches: readonly Stretch[],
  { frequencyHz, rule, tickNs = 4e6, rounding = 'away' }: SimulationOptions,
): DrawnSample[] {
  const samples: DrawnSample[] = [];
  let samplePeriod = 1;
  let lastPeriod = 1;
  let left = 1;
  let count = 0;
  let countAtTick = 0;
  let lastOverflow = Number.NEGATIVE_INFINITY;
  let nextTick = tickNs;
  let start = 0;
  const isX86 = rule === 'x86-next' || rule === 'pebs';

  const tick = () => {
    const counted = count - countAtTick;
    countAtTick = count;
    if (counted > 0)
      samplePeriod = adjustPeriod(samplePeriod, counted, tickNs, frequencyHz, rounding);
    // perf_adjust_freq_unthr_events: a counter of hardware that has far to go is armed anew.
    if (isX86 && counted > 0 && left > 8 * samplePeriod) {
      left = samplePeriod;
      lastPeriod = samplePeriod;
    }
  };
  const overflowOnX86 = (timeNs: number) => {
    const sinceLast = timeNs - lastOverflow;
    lastOverflow = timeNs;
    const elapsed = lastPeriod;
    if (rule === 'x86-next') {
      lastPeriod = samplePeriod;
      left = samplePeriod;
    }
    samples.push({ timeNs, period: rule === 'x86-next' ? lastPeriod : elapsed, count });
    if (sinceLast < 2 * tickNs) {
      samplePeriod = adjustPeriod(samplePeriod, lastPeriod, sinceLast, frequencyHz, rounding);
    }
    if (rule === 'pebs') {
      lastPeriod = samplePeriod;
      left = samplePeriod;
    }
  };
  const overflow = (timeNs: number) => {
    const sinceLast = timeNs - lastOverflow;
    lastOverflow = timeNs;
    const elapsed = lastPeriod;
    lastPeriod = samplePeriod;
    if (rule === 'next') {
      samples.push({ timeNs, period: elapsed, count });
      left = elapsed;
    }
    if (sinceLast < 2 * tickNs) {
      const counted = rule === 'next' ? lastPeriod : elapsed;
      samplePeriod = adjustPeriod(samplePeriod, counted, sinceLast, frequencyHz, rounding);
    }
    if (rule === 'elapsed') {
      samples.push({ timeNs, period: elapsed, count });
      left = samplePeriod;
      lastPeriod = samplePeriod;
    }
  };

  for (const { durationNs, eventsPerSecond, asleep } of stretches) {
    const end = start + durationNs;
    const step = eventsPerSecond > 0 ? 1e9 / eventsPerSecond : Number.POSITIVE_INFINITY;
    if (asleep) nextTick = end + tickNs;
    for (let time = start + step; time <= end; time += step) {
      while (nextTick <= time) {
        tick();
        nextTick += tickNs;
      }
      count++;
      if (--left > 0) continue;
      if (isX86) overflowOnX86(Math.round(time));
      else overflow(Math.round(time));
    }
    while (nextTick <= end) {
      tick();
      nextTick += tickNs;
    }
    start = end;
  }
  return samples;
}
