// Hot: once per sample.

import { adjustAtOverflow, adjustPeriod, type EighthRounding } from './controller.ts';
import type { PeriodSequence } from './convergence.ts';
import { nextTickNs, type TickGrid, UNKNOWN_TICK_NS } from './ticks.ts';

/**
 * The kernel's steps once more, from what one stream's samples tell.
 *
 * Overflow i adjusts the period with two known values: the time since overflow i − 1, and the
 * period then in force, L. The ticks up to overflow i + 1 adjust it further, with what was counted
 * from tick to tick. The result is reported `lag` samples later:
 *
 *     lag 2   software events, and drivers that report the elapsed period:
 *             L is P(i+1), the result shows as P(i+2)
 *     lag 1   drivers that report the next period:
 *             L is P(i), the result shows as P(i+1)
 *
 * Every step starts from a recorded period, so the replay never follows its own errors. Two things
 * that no sample tells are inferred, and only where the plain replay departs:
 *
 *  - Restart. Between overflow i and i + 1 the event is started anew and takes the adjusted period
 *    at once: P(i+1) is what P(i+2) was to be, and P(i+2) repeats it. Of software events that is a
 *    context switch (`perf_swevent_add`), of hardware a tick that finds more than 8 periods left.
 *  - Pause. The events of an interval came at the neighbouring interval's rate, with one stretch
 *    without any: the task slept, or did something else. Ticks in it find nothing to adjust. Where
 *    it lay is fitted, so such a period is never called exact.
 */
export type ReplayRules = {
  readonly frequencyHz: number;
  readonly lag: 1 | 2;
  readonly rounding: EighthRounding;
  /** Null: replay overflows only. */
  readonly grid: TickGrid | null;
};

/** What the expected period rests on. */
export const STEP = {
  /** Not compared: no overflow before it is known. */
  NONE: 0,
  OVERFLOW: 1,
  TICK: 2,
  RESTART: 3,
  PAUSE: 4,
} as const;

export type Replay = {
  /** The period that the replay expects; NaN where it expects none. Parallel to the sequence. */
  readonly expected: Float64Array;
  /** A value of STEP. */
  readonly step: Uint8Array;
  /** Ticks that adjusted the period on the way to this sample's. */
  readonly ticks: Uint16Array;
};

/** An interval with less than this share of its neighbours' event rate has a pause in it. */
const PAUSED_RATE = 0.85;
/** Places that are tried for a pause. */
const PAUSE_PLACES = 24;
const NEAR = 0.01;

/** The events of one interval over its time, and the ticks met on the way. */
class Interval {
  startNs = 0;
  endNs = 0;
  /** The counter's value at its start. */
  counted = 0;
  events = 0;
  /** Time without events: from `pauseNs` after the start, for `pauseLengthNs`. */
  pauseNs = 0;
  pauseLengthNs = 0;

  /** Counted up to `timeNs`, if the events outside the pause came evenly. */
  countAt(timeNs: number): number {
    const since = timeNs - this.startNs;
    const inPause = Math.max(0, Math.min(since - this.pauseNs, this.pauseLengthNs));
    const active = this.endNs - this.startNs - this.pauseLengthNs;
    return this.counted + Math.floor((this.events * (since - inPause)) / active + 1e-6);
  }
}

/** Where the ticks have got to. */
class Ticks {
  nextNs: number;
  readonly lengthNs: number;
  /** The counter's value at the last tick: `freq_count_stamp`. */
  countStamp = 0;
  /** Adjustments of the last call. */
  adjustments = 0;
  /** The period after each tick of the last call, as far as there is room. */
  readonly course = new Float64Array(8);

  readonly frequencyHz: number;
  readonly rounding: EighthRounding;

  constructor({ grid, frequencyHz, rounding }: ReplayRules, startNs: number) {
    this.frequencyHz = frequencyHz;
    this.rounding = rounding;
    this.lengthNs = grid === null ? UNKNOWN_TICK_NS : grid.tickNs;
    this.nextNs = grid === null ? Number.POSITIVE_INFINITY : nextTickNs(grid, startNs);
  }

  /** `perf_adjust_freq_unthr_events` for every tick before the interval's end. */
  adjust(period: number, interval: Interval): number {
    const { lengthNs, course } = this;
    let adjusted = period;
    let tick = this.nextNs;
    let stamp = this.countStamp;
    let adjustments = 0;
    for (; tick < interval.endNs; tick += lengthNs) {
      const count = interval.countAt(tick);
      const delta = count - stamp;
      stamp = count;
      if (delta <= 0) continue;
      adjusted = adjustPeriod(adjusted, delta, lengthNs, this.frequencyHz, this.rounding);
      if (adjustments < course.length) course[adjustments] = adjusted;
      adjustments++;
    }
    this.nextNs = tick;
    this.countStamp = stamp;
    this.adjustments = adjustments;
    return adjusted;
  }

  rewind(nextNs: number, countStamp: number): void {
    this.nextNs = nextNs;
    this.countStamp = countStamp;
  }

  /** Of the periods of the last call, from `first` on, the one nearest to `reported`. */
  nearestTaken(first: number, reported: number): number {
    let nearest = first;
    const known = Math.min(this.adjustments, this.course.length);
    for (let k = 0; k < known; k++) {
      const period = this.course[k] as number;
      if (Math.abs(period - reported) < Math.abs(nearest - reported)) nearest = period;
    }
    return nearest;
  }
}

/** Replays a stream. */
export function replay(sequence: PeriodSequence, rules: ReplayRules): Replay {
  const { length, timeNs, periodEvents } = sequence;
  const { frequencyHz, lag, rounding } = rules;
  const expected = new Float64Array(length).fill(Number.NaN);
  const step = new Uint8Array(length);
  const tickCounts = new Uint16Array(length);
  const passage = new Passage(sequence, rules);
  const tickNs = passage.ticks.lengthNs;

  for (let i = 0; i + lag < length; i++) {
    const target = i + lag;
    const reported = periodEvents[target] as number;
    const inForce = periodEvents[target - 1] as number;
    const sinceLast = i > 0 ? (timeNs[i] as number) - (timeNs[i - 1] as number) : Infinity;
    passage.enter(i, reported);

    const overflowed = adjustAtOverflow(inForce, sinceLast, tickNs, frequencyHz, rounding);
    let period = passage.go(overflowed);
    let kind: number = passage.ticks.adjustments > 0 ? STEP.TICK : STEP.OVERFLOW;
    if (period !== reported) {
      const mayPause = kind === STEP.TICK && !isNear(period, reported);
      const planned = lag === 2 && i > 0 ? (expected[i + 1] as number) : inForce;
      let isRestart = false;
      if (planned !== inForce) {
        const replanned = adjustAtOverflow(planned, sinceLast, tickNs, frequencyHz, rounding);
        const hasDeparted = !isNear(period, reported) || !isNear(planned, inForce);
        isRestart = passage.restart(replanned, inForce, hasDeparted, mayPause);
        if (isRestart) {
          period = passage.period;
          kind = passage.hasPause ? STEP.PAUSE : STEP.RESTART;
          expected[i + 1] = passage.taken;
          step[i + 1] = kind;
        }
      }
      if (!isRestart) {
        period = mayPause ? passage.goWithPause(overflowed) : passage.go(overflowed);
        if (passage.hasPause) kind = STEP.PAUSE;
      }
    }
    expected[target] = period;
    step[target] = kind;
    tickCounts[target] = passage.ticks.adjustments;
  }
  return { expected, step, ticks: tickCounts };
}

/** The way from one overflow to the next, which may be tried under several assumptions. */
class Passage {
  readonly ticks: Ticks;
  /** The result of the last try. */
  period = 0;
  /** The period that the last restart took up. */
  taken = 0;
  private readonly sequence: PeriodSequence;
  private readonly interval = new Interval();
  private index = 0;
  private reported = 0;
  private firstTickNs = 0;
  private firstStamp = 0;

  constructor(sequence: PeriodSequence, rules: ReplayRules) {
    this.sequence = sequence;
    this.ticks = new Ticks(rules, sequence.length > 0 ? sequence.timeNs[0]! : 0);
  }

  get hasPause(): boolean {
    return this.interval.pauseLengthNs > 0;
  }

  /** Goes on to the interval after sample `i`; its result shows as `reported`. */
  enter(i: number, reported: number): void {
    const { interval, ticks } = this;
    const { timeNs, elapsedEvents } = this.sequence;
    interval.startNs = timeNs[i] as number;
    interval.endNs = timeNs[i + 1] as number;
    interval.counted += elapsedEvents[i] as number;
    interval.events = elapsedEvents[i + 1] as number;
    this.index = i;
    this.reported = reported;
    this.firstTickNs = ticks.nextNs;
    this.firstStamp = ticks.countStamp;
  }

  /** From period `from`, with the interval's events spread evenly. */
  go(from: number): number {
    this.interval.pauseLengthNs = 0;
    this.interval.pauseNs = 0;
    return this.adjust(from);
  }

  /** The same with a pause where it brings the result nearest, if the event rate has room for one. */
  goWithPause(from: number): number {
    const { interval } = this;
    interval.pauseLengthNs = pauseIn(this.sequence, this.index + 1);
    if (interval.pauseLengthNs === 0) return this.go(from);
    const active = interval.endNs - interval.startNs - interval.pauseLengthNs;
    let nearest = Number.POSITIVE_INFINITY;
    let nearestPlace = 0;
    for (let place = 0; place <= PAUSE_PLACES; place++) {
      interval.pauseNs = (active * place) / PAUSE_PLACES;
      const distance = Math.abs(this.adjust(from) - this.reported);
      if (distance < nearest) {
        nearest = distance;
        nearestPlace = place;
      }
    }
    interval.pauseNs = (active * nearestPlace) / PAUSE_PLACES;
    return this.adjust(from);
  }

  /**
   * Whether the event was started anew on the way: then the next sample reports a period that was
   * reached on the way from `from`, and the one after it the result. Both must be equal, or near
   * where the plain replay is not.
   */
  restart(from: number, next: number, hasDeparted: boolean, mayPause: boolean): boolean {
    this.go(from);
    this.taken = this.ticks.nearestTaken(from, next);
    if (this.period === this.reported && this.taken === next) return true;
    if (!hasDeparted) return false;
    if (this.isNearBoth(next)) return true;
    if (!mayPause) return false;
    this.goWithPause(from);
    this.taken = this.ticks.nearestTaken(from, next);
    return this.isNearBoth(next);
  }

  private isNearBoth(next: number): boolean {
    return isNear(this.period, this.reported) && isNear(this.taken, next);
  }

  private adjust(from: number): number {
    this.ticks.rewind(this.firstTickNs, this.firstStamp);
    this.period = this.ticks.adjust(from, this.interval);
    return this.period;
  }
}

/**
 * How long the interval that sample `end` ends was without events, if the others came as fast as
 * in the faster of the two neighbouring intervals, nanoseconds; 0 if it was about as fast.
 */
function pauseIn({ length, timeNs, elapsedEvents }: PeriodSequence, end: number): number {
  let rate = 0;
  if (end >= 2) {
    const before = (timeNs[end - 1] as number) - (timeNs[end - 2] as number);
    if (before > 0) rate = (elapsedEvents[end - 1] as number) / before;
  }
  if (end + 1 < length) {
    const after = (timeNs[end + 1] as number) - (timeNs[end] as number);
    if (after > 0) rate = Math.max(rate, (elapsedEvents[end + 1] as number) / after);
  }
  const duration = (timeNs[end] as number) - (timeNs[end - 1] as number);
  const events = elapsedEvents[end] as number;
  if (!(events > 0) || events >= PAUSED_RATE * rate * duration) return 0;
  return duration - events / rate;
}

function isNear(expected: number, reported: number): boolean {
  return Math.abs(expected - reported) <= NEAR * reported;
}
