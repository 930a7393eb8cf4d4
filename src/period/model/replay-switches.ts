// Hot: once per sample.

import { adjustAtOverflow } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import { PacedInterval, Ticks } from './interval-ticks.ts';
import { adjustWithLull } from './lulls.ts';
import { PausePlaces } from './pause-places.ts';
import { emptyReplay, isNear, type Replay, type ReplayRules, STEP } from './replay-rules.ts';

/**
 * The replay of an event that the kernel counts, where the samples tell in which intervals it was
 * switched out, and for how long (`switched-out.ts`).
 *
 * Switching in sets `last_period` to `sample_period` (`perf_swevent_add`). So between overflow i
 * and i + 1, with S for what overflow i made of L(i), the period then in force:
 *
 *     ran all the time    P(i+1) = L(i)                          L(i+1) = S and every tick
 *     switched            P(i+1) = S and the ticks before the    L(i+1) = P(i+1) and the ticks
 *                         last switch in                         after it
 *
 * An interval without a switch thus shows L(i); one with a switch hides it, and the replay's own
 * value is taken. After a switch it goes on from the recorded P(i+1). The ticks while another task
 * ran meet other events. When that was is not recorded, but mostly leaves no choice: there is no
 * tick in the interval, or the time off is a whole number of ticks, as it is where the scheduler
 * switches on ticks, and only one tick can have begun it. Else the time that explains the
 * periods best is taken, and the periods that depend on it are never called exact.
 */
export function replayWithSwitches(
  sequence: PeriodSequence,
  offCpuNs: Float64Array,
  rules: ReplayRules,
): Replay {
  const { length, timeNs, periodEvents } = sequence;
  const { frequencyHz, rounding } = rules;
  const result = emptyReplay(length);
  const { expected, step, ticks: tickCounts } = result;
  const passage = new SwitchedPassage(sequence, offCpuNs, rules);
  const { ticks, interval } = passage;
  // What L(i) is expected to be, by which kind of step, and after how many ticks.
  let plan = Number.NaN;
  let planStep: number = STEP.NONE;
  let planTicks = 0;

  for (let i = 0; i + 1 < length; i++) {
    const next = i + 1;
    const reported = periodEvents[next];
    const sinceLast = i > 0 ? timeNs[i] - timeNs[i - 1] : Infinity;
    interval.enter(sequence, i);
    ticks.mark();
    const off = offCpuNs[next];
    const early = adjustAtOverflow(plan, sinceLast, ticks.lengthNs, frequencyHz, rounding);
    // Too short to be told from the noise of two clocks: whatever is nearer.
    const isGuessed = Number.isNaN(off) && !isNear(plan, reported) && isNear(early, reported);
    if (!(off > 0) && !isGuessed) {
      expected[next] = plan;
      step[next] = planStep;
      tickCounts[next] = planTicks;
      const late = adjustAtOverflow(reported, sinceLast, ticks.lengthNs, frequencyHz, rounding);
      plan = ticks.adjust(late, interval, interval.endNs);
      planStep = ticks.adjustments > 0 ? STEP.TICK : STEP.OVERFLOW;
      // What the next sample but one reports was in force, unless a switch hides it.
      const shown = i + 2 < length && offCpuNs[i + 2] === 0 ? periodEvents[i + 2] : plan;
      if (planStep === STEP.TICK && !isNear(plan, shown)) {
        plan = adjustWithLull(sequence, next, interval, ticks, late, shown);
        if (interval.pauseLengthNs > 0) planStep = STEP.PAUSE;
      }
      planTicks = ticks.adjustments;
      continue;
    }
    const isFitted = passage.goSwitched(i, early, reported, isGuessed ? 0 : off);
    const kind = isFitted ? STEP.PAUSE : isGuessed ? STEP.GUESS : STEP.RESTART;
    expected[next] = passage.taken;
    step[next] = Number.isNaN(passage.taken) ? STEP.NONE : kind;
    tickCounts[next] = ticks.adjustments;
    plan = passage.plan;
    planStep = kind;
    planTicks = ticks.adjustments;
  }
  return result;
}

/** The way through an interval in which the event was switched out. */
class SwitchedPassage {
  readonly interval = new PacedInterval();
  readonly ticks: Ticks;
  /** The period taken up at the last switch in. */
  taken = 0;
  /** State that is in force at the interval's end. */
  plan = 0;
  readonly #sequence: PeriodSequence;
  readonly #offCpuNs: Float64Array;
  readonly #places = new PausePlaces();

  constructor(sequence: PeriodSequence, offCpuNs: Float64Array, rules: ReplayRules) {
    this.#sequence = sequence;
    this.#offCpuNs = offCpuNs;
    this.ticks = new Ticks(rules, sequence.length > 0 ? sequence.timeNs[0] : 0);
  }

  /**
   * Goes through the interval after sample `i`, in which the event was off for `off` nanoseconds.
   * Returns whether the time of the pause was fitted.
   */
  goSwitched(i: number, early: number, reported: number, off: number): boolean {
    const { interval, ticks } = this;
    const places = this.#places;
    places.list(interval, ticks, off);
    let best = 0;
    if (places.length > 1) {
      const { periodEvents } = this.#sequence;
      // The period after the next sample's shows what was in force, unless a switch hides it, or the
      // recording ends before it.
      const showsPlan = this.#offCpuNs[i + 2] === 0;
      let least = Number.POSITIVE_INFINITY;
      for (let k = 0; k < places.length; k++) {
        this.#pauseAt(k, early, reported);
        let distance = Math.abs(this.taken / reported - 1) || 0;
        if (showsPlan) distance += Math.abs(this.plan / periodEvents[i + 2] - 1);
        if (distance >= least) continue;
        least = distance;
        best = k;
      }
    }
    this.#pauseAt(best, early, reported);
    return places.length > 1;
  }

  #pauseAt(place: number, early: number, reported: number): void {
    const { interval, ticks } = this;
    this.#places.apply(place, interval);
    ticks.rewind();
    this.taken = ticks.adjust(early, interval, Math.min(interval.lastEndNs, interval.endNs));
    this.plan = ticks.adjust(reported, interval, interval.endNs);
  }
}
