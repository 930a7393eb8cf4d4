import type { PeriodSequence } from '../period-sequence.ts';
import type { PeriodInput, ThrottleInterval } from '../types.ts';
import type { Ramp } from './convergence.ts';
import { throttledBetween } from './throttled-time.ts';

/**
 * The cause of a ramp, the likeliest first.
 *
 *  - migration  the thread had been sampled by another instance, or this one on another CPU
 *  - task       the kernel gave the instance to another thread
 *  - throttle   the kernel had paused the event
 *  - gap        few events for five ticks or more: the ticks in between brought the period down
 *  - unknown    none of these can be seen
 */
export type RampCause = 'migration' | 'task' | 'throttle' | 'gap' | 'unknown';

/** A ramp after the first one. */
export type ReRamp = {
  /** Its first sample, nanoseconds since the recording's first timestamp. */
  readonly startNs: number;
  /** The sample at which the period was settled again; null if it never was. */
  readonly endNs: number | null;
  readonly samples: number;
  readonly events: number;
  /**
   * The longer of the two intervals before the ramp's first sample: what a tick does to the period
   * during a gap shows one sample after the gap's end where the rule is 'next'.
   */
  readonly gapNs: number;
  readonly periodBefore: number;
  readonly lowestPeriod: number;
  readonly highestPeriod: number;
  readonly cause: RampCause;
  /** The CPU before and after a migration, −1 where it was not recorded. Else null. */
  readonly fromCpu: number | null;
  readonly toCpu: number | null;
};

/** Five ticks at HZ = 1000: ticks alone need as many to halve a period. */
const MIN_GAP_NS = 5e6;
/** A cause shows up to this many samples before the ramp's first one. */
const LOOK_BACK = 2;

/**
 * Describes a ramp of the stream with samples `rows`. `throttles` are the stream's own, `cameFrom`
 * is that of `Migrations`.
 */
export function describeReRamp(
  input: PeriodInput,
  rows: Int32Array,
  sequence: PeriodSequence,
  ramp: Ramp,
  throttles: readonly ThrottleInterval[],
  cameFrom: Int32Array,
): ReRamp {
  const { timeNs, periodEvents, elapsedEvents } = sequence;
  const { first, end } = ramp;
  let events = 0;
  let lowestPeriod = Number.POSITIVE_INFINITY;
  let highestPeriod = 0;
  for (let i = first; i < end; i++) {
    events += elapsedEvents[i];
    lowestPeriod = Math.min(lowestPeriod, periodEvents[i]);
    highestPeriod = Math.max(highestPeriod, periodEvents[i]);
  }
  const lookFrom = Math.max(0, first - LOOK_BACK);
  const gapNs = Math.max(timeNs[first] - timeNs[first - 1], timeNs[first - 1] - timeNs[lookFrom]);
  const move = findMove(input, rows, first, cameFrom);
  const isThrottled = throttledBetween(throttles, timeNs[lookFrom], timeNs[first]) > 0;
  const inTime = gapNs >= MIN_GAP_NS ? 'gap' : 'unknown';
  return {
    startNs: timeNs[first],
    endNs: end < sequence.length ? timeNs[end] : null,
    samples: end - first,
    events,
    gapNs,
    periodBefore: periodEvents[first - 1],
    lowestPeriod,
    highestPeriod,
    cause: move?.cause ?? (isThrottled ? 'throttle' : inTime),
    fromCpu: move?.cause === 'migration' ? move.fromCpu : null,
    toCpu: move?.cause === 'migration' ? move.toCpu : null,
  };
}

type Move = {
  readonly cause: 'migration' | 'task';
  readonly fromCpu: number;
  readonly toCpu: number;
};

/** The change of thread or CPU next before sample `first` of a stream, if there is one. */
function findMove(
  input: PeriodInput,
  rows: Int32Array,
  first: number,
  cameFrom: Int32Array,
): Move | null {
  const { thread, cpu } = input.samples;
  for (let k = first; k > Math.max(0, first - LOOK_BACK); k--) {
    const row = rows[k];
    const before = rows[k - 1];
    const elsewhere = cameFrom[row];
    const toCpu = cpu[row];
    if (thread[row] !== thread[before]) return { cause: 'task', fromCpu: toCpu, toCpu };
    const previous = elsewhere >= 0 ? elsewhere : before;
    if (elsewhere >= 0 || cpu[previous] !== toCpu) {
      return { cause: 'migration', fromCpu: cpu[previous], toCpu };
    }
  }
  return null;
}
