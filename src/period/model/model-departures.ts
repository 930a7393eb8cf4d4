import { adjustAtOverflow } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { ModelOptions } from './model-rules.ts';
import type { ReplayRules } from './replay-rules.ts';
import { UNKNOWN_TICK_NS } from './ticks.ts';

/** Samples whose period is more than 1 % from the replay's, by the first cause that applies. */
export type Departures = {
  /** A sample was lost nearby: the replay lacks an overflow. */
  readonly lost: number;
  /** The kernel paused the event nearby. */
  readonly throttled: number;
  /** Overflows so close that a sample's time stamp is too coarse for the controller's own clock. */
  readonly timeStamps: number;
  /** The period was taken up early: the event was stopped and started, or moved to another task. */
  readonly restarts: number;
  /** Ticks fell into the interval, and what they counted can't be told closely enough. */
  readonly ticks: number;
  readonly unexplained: number;
};

/** A sample's time differs from the controller's own by up to about this much, nanoseconds. */
const LARGE_JITTER_NS = 1000;

/** Puts departures under causes. */
export class DepartureCauses {
  readonly departures = {
    lost: 0,
    throttled: 0,
    timeStamps: 0,
    restarts: 0,
    ticks: 0,
    unexplained: 0,
  };
  readonly #sequence: PeriodSequence;
  readonly #rules: ReplayRules;
  readonly #options: ModelOptions;

  constructor(sequence: PeriodSequence, rules: ReplayRules, options: ModelOptions) {
    this.#sequence = sequence;
    this.#rules = rules;
    this.#options = options;
  }

  /** Sample `target` departs, with `ticks` ticks on the way to its period. */
  add(target: number, ticks: number): void {
    const i = target - this.#rules.lag;
    const { timeNs, periodEvents } = this.#sequence;
    const from = timeNs[Math.max(0, i - 1)];
    const to = timeNs[target];
    const { departures } = this;
    if (this.#isLost(i, from, to)) departures.lost++;
    else if (this.#isThrottled(from, to)) departures.throttled++;
    else if (this.#isWithinJitter(i, target)) departures.timeStamps++;
    else if (periodEvents[target] === periodEvents[target - 1]) departures.restarts++;
    else if (ticks > 0) departures.ticks++;
    else departures.unexplained++;
  }

  #isLost(i: number, from: number, to: number): boolean {
    for (const time of this.#options.lossTimesNs ?? []) {
      if (time >= from && time <= to) return true;
    }
    if (this.#options.rule !== 'next') return false;
    // Rule 'next': what was counted must be what was announced, unless samples are missing.
    const { periodEvents, elapsedEvents } = this.#sequence;
    for (let k = Math.max(0, i - 1); k <= i; k++) {
      if (elapsedEvents[k + 1] > periodEvents[k] * 1.5 + 1) return true;
    }
    return false;
  }

  #isThrottled(from: number, to: number): boolean {
    for (const { startNs, endNs } of this.#options.throttles ?? []) {
      if (startNs <= to && endNs >= from) return true;
    }
    return false;
  }

  /** Whether an interval a little longer or shorter would explain the period. */
  #isWithinJitter(i: number, target: number): boolean {
    if (i < 1) return false;
    const { timeNs, periodEvents } = this.#sequence;
    const { frequencyHz, rounding, grid } = this.#rules;
    const tickNs = grid === null ? UNKNOWN_TICK_NS : grid.tickNs;
    const since = timeNs[i] - timeNs[i - 1];
    const inForce = periodEvents[target - 1];
    const reported = periodEvents[target];
    const shortest = Math.max(1, since - LARGE_JITTER_NS);
    const high = adjustAtOverflow(inForce, shortest, tickNs, frequencyHz, rounding);
    const longest = since + LARGE_JITTER_NS;
    const low = adjustAtOverflow(inForce, longest, tickNs, frequencyHz, rounding);
    return low <= reported && reported <= high;
  }
}
