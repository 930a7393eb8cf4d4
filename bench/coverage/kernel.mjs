// How the kernel moves the period of one event instance (kernel/events/core.c), written from the
// kernel's source and apart from src/period, which this bench measures.

export const TICK_NS = 4e6;

/** perf_calculate_period and the low-pass of perf_adjust_period. */
function adjusted(samplePeriod, count, nanos, frequencyHz) {
  const wanted = Math.floor((count * 1e9) / (nanos * frequencyHz));
  const distance = wanted - samplePeriod;
  const next = samplePeriod + Math.trunc((distance + (distance >= 0 ? 7 : -7)) / 8);
  return next === 0 ? 1 : next;
}

/** kernel.perf_event_max_sample_rate for each tick: more interrupts, and the counter pauses until the next. */
const MOST_IN_TICK = Math.ceil((100_000 * TICK_NS) / 1e9);
/** From a counter's overflow to its interrupt, on average: in the meantime events are made and counted. */
const SKID_NS = 400;

/**
 * How events are counted and their periods reported:
 *
 * | rule     | is                                          | overflow i reports what was armed for |
 * |----------|---------------------------------------------|---------------------------------------|
 * | software | software events, tracepoints                | (i, i + 1), one adjustment old        |
 * | hardware | counters of arm64, AMD IBS, x86 since 6.16  | (i − 1, i)                            |
 * | x86      | counters of Intel before that               | (i, i + 1)                            |
 * | pebs     | Intel PEBS since 6.14                       | (i − 1, i), adjusted before it arms   |
 * | fixed    | `-c N` of any of them                       | N                                     |
 *
 * At a tick the counters that are hardware start anew with the period that the tick found, where
 * what is left of the interval is more than eight times as long. Interrupts come late but for PEBS, whose
 * records hold the event itself.
 */
const HARDWARE = new Set(['hardware', 'x86', 'pebs']);

export const isHardware = (rule) => HARDWARE.has(rule);

/**
 * One event instance. `period` is the fixed one, or what an inherited event begins with (1 where nothing
 * was inherited). `atOverflow` returns the period that the sample reports.
 */
export function createCounter({ rule, frequencyHz = 0, period = 1, random }) {
  const counter = {
    samplePeriod: period,
    lastPeriod: period,
    overflowAt: period,
    overflowNs: Number.NEGATIVE_INFINITY,
    tickCount: 0,
    inTick: 0,
    skidNs: 0,
  };
  const hasSkid = rule === 'hardware' || rule === 'x86';
  const adjustByOverflow = (nowNs, count) => {
    const nanos = nowNs - counter.overflowNs;
    counter.overflowNs = nowNs;
    if (!(nanos > 0 && nanos < 2 * TICK_NS)) return;
    counter.samplePeriod = adjusted(counter.samplePeriod, count, nanos, frequencyHz);
  };
  /** x86_perf_event_set_period, armpmu_event_set_period and their like. */
  const arm = (counted) => {
    const late = counted - counter.overflowAt;
    counter.overflowAt =
      (late >= counter.samplePeriod ? counted : counter.overflowAt) + counter.samplePeriod;
    counter.lastPeriod = counter.samplePeriod;
    if (hasSkid) counter.skidNs = random.exponential(SKID_NS);
  };
  const overflow = {
    fixed: (counted) => {
      counter.overflowAt = counted + period;
      return period;
    },
    software: (_counted, nowNs) => {
      const reported = counter.lastPeriod;
      counter.overflowAt += counter.lastPeriod;
      counter.lastPeriod = counter.samplePeriod;
      adjustByOverflow(nowNs, counter.lastPeriod);
      return reported;
    },
    hardware: (counted, nowNs) => {
      const reported = counter.lastPeriod;
      arm(counted);
      adjustByOverflow(nowNs, counter.lastPeriod);
      return reported;
    },
    x86: (counted, nowNs) => {
      arm(counted);
      adjustByOverflow(nowNs, counter.lastPeriod);
      return counter.lastPeriod;
    },
    pebs: (counted, nowNs) => {
      const reported = counter.lastPeriod;
      adjustByOverflow(nowNs, counter.lastPeriod);
      arm(counted);
      return reported;
    },
  }[rule];
  const atOverflow = (counted, nowNs) => {
    counter.inTick++;
    return overflow(counted, nowNs);
  };
  const atTick = (counted) => {
    counter.inTick = 0;
    const delta = counted - counter.tickCount;
    counter.tickCount = counted;
    if (rule === 'fixed' || delta <= 0) return;
    counter.samplePeriod = adjusted(counter.samplePeriod, delta, TICK_NS, frequencyHz);
    if (!isHardware(rule) || counter.overflowAt - counted <= 8 * counter.samplePeriod) return;
    counter.overflowAt = counted + counter.samplePeriod;
    counter.lastPeriod = counter.samplePeriod;
  };
  return {
    /** The count at which the interrupt comes, where events are `stepNs` apart. */
    interruptAt: (stepNs) => counter.overflowAt + Math.floor(counter.skidNs / stepNs),
    isPaused: () => isHardware(rule) && counter.inTick > MOST_IN_TICK,
    /** event_sched_in: a counter that paused begins anew, whether or not a tick came meanwhile. */
    atWakeup: () => {
      if (counter.inTick > MOST_IN_TICK) counter.inTick = 0;
    },
    samplePeriod: () => counter.samplePeriod,
    atOverflow,
    atTick,
  };
}
