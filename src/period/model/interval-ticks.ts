// Hot: once per sample.

import { adjustPeriod, type EighthRounding } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { ReplayRules } from './replay-rules.ts';
import { nextTickNs, UNKNOWN_TICK_NS } from './ticks.ts';

/** The events of one interval over its time: even, but for pauses without any. */
export class PacedInterval {
  startNs = 0;
  endNs = 0;
  /** The counter's value at its start. */
  counted = 0;
  events = 0;
  /** The first pause begins so long after the start, and lasts for `pauseLengthNs`. */
  pauseNs = 0;
  pauseLengthNs = 0;
  /** Time from a pause's beginning in which ticks miss the event: another task runs. */
  missedNs = 0;
  /** Pauses of that length, one every `cycleNs`. */
  pauses = 1;
  cycleNs = 1;

  /** Goes on to the interval after sample `i`, without a pause. */
  enter({ timeNs, elapsedEvents }: PeriodSequence, i: number): void {
    this.startNs = timeNs[i];
    this.endNs = timeNs[i + 1];
    this.counted += elapsedEvents[i];
    this.events = elapsedEvents[i + 1];
    this.pauseNs = 0;
    this.pauseLengthNs = 0;
    this.missedNs = 0;
    this.pauses = 1;
    this.cycleNs = 1;
  }

  /** Counted up to `timeNs`. */
  countAt(timeNs: number): number {
    const since = timeNs - this.startNs;
    const length = this.pauseLengthNs;
    let inPause = 0;
    if (since > this.pauseNs) {
      const pause = this.#lastPauseAt(since);
      inPause = pause * length + Math.min(length, since - this.pauseNs - pause * this.cycleNs);
    }
    const active = this.endNs - this.startNs - this.pauses * length;
    return this.counted + Math.floor((this.events * (since - inPause)) / active + 1e-6);
  }

  /** Whether a tick at `timeNs` meets another task. */
  isMissedBy(timeNs: number): boolean {
    const since = timeNs - this.startNs;
    if (since <= this.pauseNs) return false;
    const begin = this.pauseNs + this.#lastPauseAt(since) * this.cycleNs;
    return since > begin && since < begin + this.missedNs;
  }

  /** When ticks meet the event again after the last pause. */
  get lastEndNs(): number {
    return this.startNs + this.pauseNs + (this.pauses - 1) * this.cycleNs + this.missedNs;
  }

  /** The last pause that has begun `since` the start, which must be after the first has. */
  #lastPauseAt(since: number): number {
    return Math.min(this.pauses - 1, Math.floor((since - this.pauseNs) / this.cycleNs));
  }
}

/**
 * Ticks of one interval that are gone through: the last so many. Each forgets an eighth of what was
 * before, so of earlier ones nothing is left. A broken time can make an interval of centuries.
 */
const MOST_TICKS = 512;

/** Position of the ticks: `perf_adjust_freq_unthr_events` from interval to interval. */
export class Ticks {
  nextNs: number;
  readonly lengthNs: number;
  /** The counter's value at the last tick that met the event: `freq_count_stamp`. */
  countStamp = 0;
  /** Adjustments since the mark. */
  adjustments = 0;
  /** The period after each of these adjustments, as far as there is room. */
  readonly course = new Float64Array(8);

  readonly #frequencyHz: number;
  readonly #rounding: EighthRounding;
  #markedNs = 0;
  #markedStamp = 0;

  constructor({ grid, frequencyHz, rounding }: ReplayRules, startNs: number) {
    this.#frequencyHz = frequencyHz;
    this.#rounding = rounding;
    this.lengthNs = grid === null ? UNKNOWN_TICK_NS : grid.tickNs;
    this.nextNs = grid === null ? Number.POSITIVE_INFINITY : nextTickNs(grid, startNs);
  }

  /** The period after every tick before `untilNs` that meets the event in `interval`. */
  adjust(period: number, interval: PacedInterval, untilNs: number): number {
    const { lengthNs, course } = this;
    let adjusted = period;
    let tick = this.nextNs;
    let stamp = this.countStamp;
    let adjustments = this.adjustments;
    const skipped = Math.ceil((untilNs - tick) / lengthNs) - MOST_TICKS;
    if (skipped > 0 && Number.isFinite(skipped)) {
      tick += skipped * lengthNs;
      stamp = interval.countAt(tick - lengthNs);
    }
    for (; tick < untilNs; tick += lengthNs) {
      if (interval.missedNs > 0 && interval.isMissedBy(tick)) continue;
      const count = interval.countAt(tick);
      const delta = count - stamp;
      stamp = count;
      if (delta <= 0) continue;
      adjusted = adjustPeriod(adjusted, delta, lengthNs, this.#frequencyHz, this.#rounding);
      if (adjustments < course.length) course[adjustments] = adjusted;
      adjustments++;
    }
    this.nextNs = tick;
    this.countStamp = stamp;
    this.adjustments = adjustments;
    return adjusted;
  }

  /** Remembers where the ticks are, before an interval that may be gone through several times. */
  mark(): void {
    this.#markedNs = this.nextNs;
    this.#markedStamp = this.countStamp;
    this.adjustments = 0;
  }

  /** Goes back to the mark; no adjustment has been made since. */
  rewind(): void {
    this.nextNs = this.#markedNs;
    this.countStamp = this.#markedStamp;
    this.adjustments = 0;
  }

  /** The period in `course`, or `first`, that is nearest to `reported`. */
  nearestTaken(first: number, reported: number): number {
    let nearest = first;
    const known = Math.min(this.adjustments, this.course.length);
    for (let k = 0; k < known; k++) {
      const period = this.course[k];
      if (Math.abs(period - reported) < Math.abs(nearest - reported)) nearest = period;
    }
    return nearest;
  }
}
