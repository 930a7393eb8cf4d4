// Hot: once per sample.

import { adjustAtOverflow } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import { PacedInterval, Ticks } from './interval-ticks.ts';
import { adjustWithLull } from './lulls.ts';
import { emptyReplay, isNear, type Replay, type ReplayRules, STEP } from './replay-rules.ts';

/**
 * The replay where no running time was read. Two things that no sample tells are guessed, and only
 * where the plain replay departs:
 *
 *  - Restart. Between overflow i and i + 1 the event is started anew and takes the adjusted period
 *    at once: P(i+1) is what P(i+2) was to be, and P(i+2) repeats it. Of software events that is a
 *    context switch (`perf_swevent_add`), of hardware a tick that finds more than 8 periods left.
 *  - Pause. The events of an interval came at the neighbouring interval's rate, with one stretch
 *    without any: the task slept, or did something else. Ticks in it find nothing to adjust.
 *
 * Both are chosen so that the periods come out, so such periods are never called exact.
 */
export function replayWithGuesses(sequence: PeriodSequence, rules: ReplayRules): Replay {
  const { length, timeNs, periodEvents } = sequence;
  const { frequencyHz, lag, rounding } = rules;
  const result = emptyReplay(length);
  const { expected, step, ticks: tickCounts } = result;
  const passage = new Passage(sequence, rules);
  const tickNs = passage.ticks.lengthNs;

  for (let i = 0; i + lag < length; i++) {
    const target = i + lag;
    const reported = periodEvents[target];
    const inForce = periodEvents[target - 1];
    const sinceLast = i > 0 ? timeNs[i] - timeNs[i - 1] : Infinity;
    passage.enter(i, reported);

    const overflowed = adjustAtOverflow(inForce, sinceLast, tickNs, frequencyHz, rounding);
    let period = passage.go(overflowed);
    let kind: number = passage.ticks.adjustments > 0 ? STEP.TICK : STEP.OVERFLOW;
    if (period !== reported) {
      const mayPause = kind === STEP.TICK && !isNear(period, reported);
      const planned = lag === 2 && i > 0 ? expected[i + 1] : inForce;
      let isRestart = false;
      if (planned !== inForce) {
        const replanned = adjustAtOverflow(planned, sinceLast, tickNs, frequencyHz, rounding);
        const hasDeparted = !isNear(period, reported) || !isNear(planned, inForce);
        isRestart = passage.restart(replanned, inForce, hasDeparted, mayPause);
        if (isRestart) {
          period = passage.period;
          kind = passage.hasPause ? STEP.PAUSE : STEP.GUESS;
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
  return result;
}

/** The way from one overflow to the next, which may be tried under several assumptions. */
class Passage {
  readonly ticks: Ticks;
  /** The result of the last try. */
  period = 0;
  /** The period that the last restart took up. */
  taken = 0;
  readonly #sequence: PeriodSequence;
  readonly #interval = new PacedInterval();
  #index = 0;
  #reported = 0;

  constructor(sequence: PeriodSequence, rules: ReplayRules) {
    this.#sequence = sequence;
    this.ticks = new Ticks(rules, sequence.length > 0 ? sequence.timeNs[0] : 0);
  }

  get hasPause(): boolean {
    return this.#interval.pauseLengthNs > 0;
  }

  /** Goes on to the interval after sample `i`; its result shows as `reported`. */
  enter(i: number, reported: number): void {
    const ticks = this.ticks;
    const interval = this.#interval;
    interval.enter(this.#sequence, i);
    this.#index = i;
    this.#reported = reported;
    ticks.mark();
  }

  /** Replays an interval from period `from`, with its events spread evenly. */
  go(from: number): number {
    this.#interval.pauseLengthNs = 0;
    this.#interval.pauseNs = 0;
    return this.#adjust(from);
  }

  /** Replays an interval from period `from` with a pause where it brings the result nearest, if the event rate has room for one. */
  goWithPause(from: number): number {
    const ticks = this.ticks;
    const sequence = this.#sequence;
    const index = this.#index;
    const interval = this.#interval;
    const reported = this.#reported;
    this.period = adjustWithLull(sequence, index + 1, interval, ticks, from, reported);
    return this.period;
  }

  /**
   * Whether the event was started anew on the way: then the next sample reports a period that was
   * reached on the way from `from`, and the one after it the result. Both must be equal, or near
   * where the plain replay is not.
   */
  restart(from: number, next: number, hasDeparted: boolean, mayPause: boolean): boolean {
    this.go(from);
    this.taken = this.ticks.nearestTaken(from, next);
    if (this.period === this.#reported && this.taken === next) return true;
    if (!hasDeparted) return false;
    if (this.#isNearBoth(next)) return true;
    if (!mayPause) return false;
    this.goWithPause(from);
    this.taken = this.ticks.nearestTaken(from, next);
    return this.#isNearBoth(next);
  }

  #isNearBoth(next: number): boolean {
    return isNear(this.period, this.#reported) && isNear(this.taken, next);
  }

  #adjust(from: number): number {
    this.ticks.rewind();
    this.period = this.ticks.adjust(from, this.#interval, this.#interval.endNs);
    return this.period;
  }
}
