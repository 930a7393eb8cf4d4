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

/**
 * One event instance. `rule` is 'fixed', 'software' or 'hardware'; `period` is the fixed one, or what an
 * inherited event begins with (1 where nothing was inherited). `atOverflow` returns the period that
 * the sample reports.
 */
export function createCounter({ rule, frequencyHz = 0, period = 1 }) {
  const counter = {
    samplePeriod: period,
    lastPeriod: period,
    overflowAt: period,
    overflowNs: Number.NEGATIVE_INFINITY,
    tickCount: 0,
  };
  const adjustByOverflow = (nowNs) => {
    const nanos = nowNs - counter.overflowNs;
    counter.overflowNs = nowNs;
    if (!(nanos > 0 && nanos < 2 * TICK_NS)) return;
    const { samplePeriod, lastPeriod } = counter;
    counter.samplePeriod = adjusted(samplePeriod, lastPeriod, nanos, frequencyHz);
  };
  const atOverflow = {
    fixed: (counted) => {
      counter.overflowAt = counted + period;
      return period;
    },
    software: (_counted, nowNs) => {
      const reported = counter.lastPeriod;
      counter.overflowAt += counter.lastPeriod;
      counter.lastPeriod = counter.samplePeriod;
      adjustByOverflow(nowNs);
      return reported;
    },
    hardware: (counted, nowNs) => {
      const reported = counter.lastPeriod;
      const late = counted - counter.overflowAt;
      counter.overflowAt =
        (late >= counter.samplePeriod ? counted : counter.overflowAt) + counter.samplePeriod;
      counter.lastPeriod = counter.samplePeriod;
      adjustByOverflow(nowNs);
      return reported;
    },
  }[rule];
  const atTick = (counted) => {
    const delta = counted - counter.tickCount;
    counter.tickCount = counted;
    if (rule === 'fixed' || delta <= 0) return;
    counter.samplePeriod = adjusted(counter.samplePeriod, delta, TICK_NS, frequencyHz);
    if (rule !== 'hardware' || counter.overflowAt - counted <= 8 * counter.samplePeriod) return;
    counter.overflowAt = counted + counter.samplePeriod;
    counter.lastPeriod = counter.samplePeriod;
  };
  return {
    overflowAt: () => counter.overflowAt,
    samplePeriod: () => counter.samplePeriod,
    atOverflow,
    atTick,
  };
}
