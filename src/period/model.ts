/**
 * How far the kernel's own algorithm explains one stream's reported periods.
 *
 * `replay.ts` computes each period from what was recorded before it. This file finds out what the
 * recording does not say (HZ, when it ticked, how the kernel rounds), by which of the possible
 * answers explains most, and puts what is left under a cause.
 */

import type { EighthRounding } from './controller.ts';
import { adjustAtOverflow } from './controller.ts';
import type { PeriodSequence } from './convergence.ts';
import { type Replay, type ReplayRules, replay, STEP } from './replay.ts';
import { TICK_RATES, type TickGrid, tickLengthNs, voteForPhase } from './ticks.ts';
import type { PeriodRule, ThrottleInterval } from './types.ts';

export type ModelOptions = {
  /** The rate asked, Hz. */
  readonly frequencyHz: number;
  /** Which interval a reported period measures. 'unknown': what explains more is taken. */
  readonly rule: PeriodRule;
  /** Software events, tracepoints and breakpoints, which take a new period up one sample later. */
  readonly isCountedInSoftware: boolean;
  /** Where this machine's ticks lie, if another stream has shown it. */
  readonly grid?: TickGrid;
  /** The event's. */
  readonly throttles?: readonly ThrottleInterval[];
  /** Times of this stream's `LOST` records, nanoseconds, ascending. */
  readonly lossTimesNs?: readonly number[];
};

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

export type ModelReport = {
  /** Samples of which the replay expects a period. */
  readonly compared: number;
  /** Expected and reported are the same integer. Where a pause was fitted it does not count. */
  readonly exact: number;
  /** Expected is within 1 % of reported; these are among them. */
  readonly within1Percent: number;
  /** The rate asked is below twice HZ: ticks adjust as often as overflows, and decide. */
  readonly tickDriven: boolean;
  /** Ticks per second, as found out; null where the ticks left no trace. */
  readonly hz: number | null;
  /** Where the ticks lie, for other streams of the same recording; null with `hz`. */
  readonly grid: TickGrid | null;
  /** 'unknown': no step tells the two apart. */
  readonly rounding: EighthRounding | 'unknown';
  /** Samples whose period no tick, restart or pause had a part in. */
  readonly overflowsOnly: { readonly compared: number; readonly exact: number };
  /** Samples within 1 %, by what it took to explain them beyond the overflow itself. */
  readonly explainedBy: {
    readonly overflow: number;
    readonly ticks: number;
    readonly restarts: number;
    readonly pauses: number;
  };
  readonly departures: Departures;
};

/** With fewer samples compared nothing can be said. */
const MIN_COMPARED = 8;
/** HZ and rounding are found out on this many samples; the middle of a longer stream is taken. */
const MAX_TRIED = 8192;
/** Phases that are tried where intervals are too long to vote. */
const PHASES = 32;
/** Departures that must agree on a phase, more than speak against it. */
const MIN_AGREEMENT = 3;
/** Sample times differ from the controller's by about this much, nanoseconds. */
const CLOCK_JITTER_NS = 1000;

/**
 * Replays one stream in frequency mode. Null: too few samples. Clocks and fixed periods have no
 * controller; do not ask for them.
 */
export function replayStream(sequence: PeriodSequence, options: ModelOptions): ModelReport | null {
  if (sequence.length - 2 < MIN_COMPARED) return null;
  const rules = findReplayRules(sequence, options);
  const replayed = replay(sequence, rules);
  return { ...summarize(sequence, replayed, rules, options), ...describe(sequence, rules) };
}

function describe(sequence: PeriodSequence, rules: ReplayRules) {
  const { grid, frequencyHz } = rules;
  // Without a trace of ticks, only what holds for every HZ is said.
  const hz = grid === null ? Math.min(...TICK_RATES) : grid.hz;
  return {
    tickDriven: frequencyHz < 2 * hz,
    hz: grid === null ? null : grid.hz,
    grid,
    rounding: isRoundingKnown(sequence, rules) ? rules.rounding : ('unknown' as const),
  };
}

/** Lag, HZ, phase and rounding: whatever explains most. */
function findReplayRules(sequence: PeriodSequence, options: ModelOptions): ReplayRules {
  const tried = middleOf(sequence, MAX_TRIED);
  let best: ReplayRules | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const lag of possibleLags(options)) {
    for (const rounding of ['away', 'up'] as const) {
      const { frequencyHz } = options;
      const plain: ReplayRules = { frequencyHz, lag, rounding, grid: null };
      for (const grid of possibleGrids(tried, plain, options.grid)) {
        const rules = { ...plain, grid };
        const score = scoreOf(tried, replay(tried, rules));
        if (score > bestScore) {
          bestScore = score;
          best = rules;
        }
      }
    }
  }
  return best!;
}

function possibleLags({ rule, isCountedInSoftware }: ModelOptions): readonly (1 | 2)[] {
  if (isCountedInSoftware || rule === 'elapsed') return [2];
  return rule === 'next' ? [1] : [2, 1];
}

/** No ticks at all, first; then for every HZ the phases that may be. */
function possibleGrids(
  sequence: PeriodSequence,
  plain: ReplayRules,
  known: TickGrid | undefined,
): (TickGrid | null)[] {
  if (known) return [known];
  const departs = departuresOf(sequence, replay(sequence, plain), plain.lag);
  const grids: (TickGrid | null)[] = [null];
  for (const hz of TICK_RATES) {
    const tickNs = tickLengthNs(hz);
    const vote = voteForPhase(sequence.timeNs, departs, hz);
    if (vote.score >= MIN_AGREEMENT) grids.push({ hz, tickNs, phaseNs: vote.phaseNs });
    if (plain.frequencyHz < 2 * hz && sequence.length <= 1024) {
      for (let k = 0; k < PHASES; k++) grids.push({ hz, tickNs, phaseNs: (tickNs * k) / PHASES });
    }
  }
  return grids;
}

/** For each interval 1 if the period after it is not what its overflow alone gives, else 0. */
function departuresOf(sequence: PeriodSequence, plain: Replay, lag: number): Int8Array {
  const { length, periodEvents } = sequence;
  const departs = new Int8Array(length).fill(-1);
  for (let i = 0; i + lag < length; i++) {
    if (plain.step[i + lag] === STEP.RESTART) continue;
    departs[i] = plain.expected[i + lag] === periodEvents[i + lag] ? 0 : 1;
  }
  return departs;
}

/** A period explained counts 1, half if not exactly, a quarter if something had to be inferred. */
function scoreOf({ length, periodEvents }: PeriodSequence, { expected, step }: Replay): number {
  let score = 0;
  for (let i = 0; i < length; i++) {
    if (step[i] === STEP.NONE) continue;
    const distance = Math.abs((expected[i] as number) - (periodEvents[i] as number));
    if (distance > 0.01 * (periodEvents[i] as number)) continue;
    const inferred = step[i] === STEP.RESTART || step[i] === STEP.PAUSE;
    score += inferred ? 0.25 : distance === 0 ? 1 : 0.5;
  }
  return score;
}

/** `count` samples from the middle; times stay, so that phases hold for the whole. */
function middleOf(sequence: PeriodSequence, count: number): PeriodSequence {
  if (sequence.length <= count) return sequence;
  const from = (sequence.length - count) >> 1;
  return {
    length: count,
    timeNs: sequence.timeNs.subarray(from, from + count),
    periodEvents: sequence.periodEvents.subarray(from, from + count),
    elapsedEvents: sequence.elapsedEvents.subarray(from, from + count),
  };
}

/** Whether any overflow gives another period under the other rounding. */
function isRoundingKnown(sequence: PeriodSequence, rules: ReplayRules): boolean {
  const { timeNs, periodEvents, length } = sequence;
  const tickNs = rules.grid === null ? 4e6 : rules.grid.tickNs;
  let tell = 0;
  for (let i = 1; i + rules.lag < length; i++) {
    const since = (timeNs[i] as number) - (timeNs[i - 1] as number);
    const inForce = periodEvents[i + rules.lag - 1] as number;
    const away = adjustAtOverflow(inForce, since, tickNs, rules.frequencyHz, 'away');
    const up = adjustAtOverflow(inForce, since, tickNs, rules.frequencyHz, 'up');
    const reported = periodEvents[i + rules.lag] as number;
    if (away === up) continue;
    if (away === reported) tell++;
    else if (up === reported) tell--;
  }
  return Math.abs(tell) >= MIN_AGREEMENT;
}

function summarize(
  sequence: PeriodSequence,
  { expected, step, ticks }: Replay,
  rules: ReplayRules,
  options: ModelOptions,
) {
  const { length, periodEvents } = sequence;
  const steps = new Float64Array(5);
  const cause = new CauseFinder(sequence, rules, options);
  let compared = 0;
  let exact = 0;
  let within1Percent = 0;
  let plain = 0;
  let plainExact = 0;
  for (let i = 0; i < length; i++) {
    const kind = step[i] as number;
    if (kind === STEP.NONE) continue;
    compared++;
    const distance = Math.abs((expected[i] as number) - (periodEvents[i] as number));
    const isExact = distance === 0 && kind !== STEP.PAUSE;
    if (isExact) exact++;
    if (kind === STEP.OVERFLOW) {
      plain++;
      if (isExact) plainExact++;
    }
    if (distance <= 0.01 * (periodEvents[i] as number)) {
      within1Percent++;
      steps[kind]!++;
    } else {
      cause.add(i, ticks[i] as number);
    }
  }
  return {
    compared,
    exact,
    within1Percent,
    overflowsOnly: { compared: plain, exact: plainExact },
    explainedBy: {
      overflow: steps[STEP.OVERFLOW]!,
      ticks: steps[STEP.TICK]!,
      restarts: steps[STEP.RESTART]!,
      pauses: steps[STEP.PAUSE]!,
    },
    departures: cause.departures,
  };
}

/** Puts departures under causes. */
class CauseFinder {
  readonly departures = {
    lost: 0,
    throttled: 0,
    timeStamps: 0,
    restarts: 0,
    ticks: 0,
    unexplained: 0,
  };
  private readonly sequence: PeriodSequence;
  private readonly rules: ReplayRules;
  private readonly options: ModelOptions;

  constructor(sequence: PeriodSequence, rules: ReplayRules, options: ModelOptions) {
    this.sequence = sequence;
    this.rules = rules;
    this.options = options;
  }

  /** Sample `target` departs, with `ticks` ticks on the way to its period. */
  add(target: number, ticks: number): void {
    const i = target - this.rules.lag;
    const { timeNs, periodEvents } = this.sequence;
    const from = timeNs[Math.max(0, i - 1)] as number;
    const to = timeNs[target] as number;
    const { departures } = this;
    if (this.isLost(i, from, to)) departures.lost++;
    else if (this.isThrottled(from, to)) departures.throttled++;
    else if (this.isWithinJitter(i, target)) departures.timeStamps++;
    else if (periodEvents[target] === periodEvents[target - 1]) departures.restarts++;
    else if (ticks > 0) departures.ticks++;
    else departures.unexplained++;
  }

  private isLost(i: number, from: number, to: number): boolean {
    for (const time of this.options.lossTimesNs ?? []) {
      if (time >= from && time <= to) return true;
    }
    if (this.options.rule !== 'next') return false;
    // Rule 'next': what was counted must be what was announced, unless samples are missing.
    const { periodEvents, elapsedEvents } = this.sequence;
    for (let k = Math.max(0, i - 1); k <= i; k++) {
      if ((elapsedEvents[k + 1] as number) > (periodEvents[k] as number) * 1.5 + 1) return true;
    }
    return false;
  }

  private isThrottled(from: number, to: number): boolean {
    for (const { startNs, endNs } of this.options.throttles ?? []) {
      if (startNs <= to && endNs >= from) return true;
    }
    return false;
  }

  /** Whether an interval a little longer or shorter would explain the period. */
  private isWithinJitter(i: number, target: number): boolean {
    if (i < 1) return false;
    const { timeNs, periodEvents } = this.sequence;
    const { frequencyHz, rounding, grid } = this.rules;
    const tickNs = grid === null ? 4e6 : grid.tickNs;
    const since = (timeNs[i] as number) - (timeNs[i - 1] as number);
    const inForce = periodEvents[target - 1] as number;
    const reported = periodEvents[target] as number;
    const shortest = Math.max(1, since - CLOCK_JITTER_NS);
    const high = adjustAtOverflow(inForce, shortest, tickNs, frequencyHz, rounding);
    const longest = since + CLOCK_JITTER_NS;
    const low = adjustAtOverflow(inForce, longest, tickNs, frequencyHz, rounding);
    return low <= reported && reported <= high;
  }
}
