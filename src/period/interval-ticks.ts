// Hot: once per sample.

import { adjustPeriod, type EighthRounding } from './controller.ts';
import type { PeriodSequence } from './convergence.ts';
import type { ReplayRules } from './replay-rules.ts';
import { nextTickNs, UNKNOWN_TICK_NS } from './ticks.ts';

/** The events of one interval over its time: even, but for one pause without any. */
export class Interval {
  startNs = 0;
  endNs = 0;
  /** The counter's value at its start. */
  counted = 0;
  events = 0;
  /** The pause: from `pauseNs` after the start, for `pauseLengthNs`. */
  pauseNs = 0;
  pauseLengthNs = 0;
  /** From the pause's start, for so long, ticks miss the event: another task runs. */
  missedNs = 0;

  /** Goes on to the interval after sample `i`, without a pause. */
  enter({ timeNs, elapsedEvents }: PeriodSequence, i: number): void {
    this.startNs = timeNs[i] as number;
    this.endNs = timeNs[i + 1] as number;
    this.counted += elapsedEvents[i] as number;
    this.events = elapsedEvents[i + 1] as number;
    this.pauseNs = 0;
    this.pauseLengthNs = 0;
    this.missedNs = 0;
  }

  /** Counted up to `timeNs`. */
  countAt(timeNs: number): number {
    const since = timeNs - this.startNs;
    const inPause = Math.max(0, Math.min(since - this.pauseNs, this.pauseLengthNs));
    const active = this.endNs - this.startNs - this.pauseLengthNs;
    return this.counted + Math.floor((this.events * (since - inPause)) / active + 1e-6);
  }
}

/** Where the ticks have got to: `perf_adjust_freq_unthr_events` from interval to interval. */
export class Ticks {
  nextNs: number;
  readonly lengthNs: number;
  /** The counter's value at the last tick that met the event: `freq_count_stamp`. */
  countStamp = 0;
  /** Adjustments since they were last set to 0. */
  adjustments = 0;
  /** The period after each of these adjustments, as far as there is room. */
  readonly course = new Float64Array(8);

  readonly frequencyHz: number;
  readonly rounding: EighthRounding;

  constructor({ grid, frequencyHz, rounding }: ReplayRules, startNs: number) {
    this.frequencyHz = frequencyHz;
    this.rounding = rounding;
    this.lengthNs = grid === null ? UNKNOWN_TICK_NS : grid.tickNs;
    this.nextNs = grid === null ? Number.POSITIVE_INFINITY : nextTickNs(grid, startNs);
  }

  /** The period after every tick before `untilNs` that meets the event in `interval`. */
  adjust(period: number, interval: Interval, untilNs: number): number {
    const { lengthNs, course } = this;
    const pauseStart = interval.startNs + interval.pauseNs;
    const missedEnd = pauseStart + interval.missedNs;
    let adjusted = period;
    let tick = this.nextNs;
    let stamp = this.countStamp;
    let adjustments = this.adjustments;
    for (; tick < untilNs; tick += lengthNs) {
      if (tick > pauseStart && tick < missedEnd) continue;
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

  /** Goes back to where `nextNs` and `countStamp` were; no adjustment has been made since. */
  rewind(nextNs: number, countStamp: number): void {
    this.nextNs = nextNs;
    this.countStamp = countStamp;
    this.adjustments = 0;
  }

  /** Of the periods in `course`, or `first`, the one nearest to `reported`. */
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
