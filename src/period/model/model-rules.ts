import { adjustPeriod, type EighthRounding } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { PeriodRule, ThrottleInterval } from '../types.ts';
import { replay } from './replay.ts';
import { isFitted, type Replay, type ReplayRules, STEP } from './replay-rules.ts';
import { TICK_RATES, type TickGrid, tickLengthNs, UNKNOWN_TICK_NS, voteForPhase } from './ticks.ts';

export type ModelOptions = {
  /** The rate asked, Hz. */
  readonly frequencyHz: number;
  /** The interval that a reported period measures. 'unknown': the rule that explains more is taken. */
  readonly rule: PeriodRule;
  /** Software events, tracepoints and breakpoints, which take a new period up one sample later. */
  readonly isCountedInSoftware: boolean;
  /** Phase of this machine's ticks, if another stream has shown it. */
  readonly grid?: TickGrid;
  /** The event's. */
  readonly throttles?: readonly ThrottleInterval[];
  /** Times of this stream's `LOST` records, nanoseconds, ascending. */
  readonly lossTimesNs?: readonly number[];
};

/** HZ and rounding are found out on this many samples, the first. */
const MAX_TRIED = 8192;
/** Departures that must agree on a phase, or … */
const CLEAR_AGREEMENT = 12;
/** … so large a share is within 1 % without any tick, no further phases are tried. */
const ENOUGH = 0.995;
/** Otherwise this many of every HZ, on so many samples. */
const PHASES = 16;
const MAX_SCANNED = 384;
/**
 * HZ is known if it explains so many samples, and so large a share, more than any other value does,
 * or than no ticks do …
 */
const MIN_LEAD = 3;
const HZ_LEAD = 0.002;
/** … and the stream is understood at all. */
const TRUSTED = 0.8;
/** Weight of a fitted step against others: less, but with ticks there is more to fit. */
const FITTED = 0.75;
/** Steps that must tell the two ways of rounding apart, four of five in favour of one. */
const MIN_ROUNDINGS = 8;
/** A sample's time differs from the controller's own by about this much. */
const TYPICAL_JITTER_NS = 100;

/** Facts that the recording does not hold. */
export type FoundRules = {
  readonly rules: ReplayRules;
  /** No other HZ explains nearly as much. */
  readonly isHzClear: boolean;
  readonly rounding: EighthRounding | 'unknown';
};

/** Lag, HZ and phase: whatever explains most. */
export function findReplayRules(whole: PeriodSequence, options: ModelOptions): FoundRules {
  const sequence = startOf(whole, MAX_TRIED);
  const { frequencyHz } = options;
  let best: FoundRules | null = null;
  let bestShare = -1;
  for (const lag of possibleLags(options)) {
    const rounding = findRounding(sequence, lag, frequencyHz);
    const plain: ReplayRules = {
      frequencyHz,
      lag,
      rounding: rounding === 'unknown' ? 'away' : rounding,
      grid: null,
      isCountedInSoftware: options.isCountedInSoftware,
    };
    const grids = possibleGrids(sequence, plain, options.grid);
    const tried = startOf(sequence, grids.length > TICK_RATES.length + 2 ? MAX_SCANNED : Infinity);
    const scores = grids.map((grid) => scoreOf(tried, replay(tried, { ...plain, grid })));
    const score = Math.max(...scores);
    const grid = grids[scores.indexOf(score)]!;
    // With the ticks known, the intervals without any tell more clearly how the eighth is rounded.
    const { ticks } = replay(sequence, { ...plain, grid });
    const withTicks = findRounding(sequence, lag, frequencyHz, ticks);
    const rules =
      withTicks === 'unknown' ? { ...plain, grid } : { ...plain, grid, rounding: withTicks };
    const explained = nearShare(sequence, replay(sequence, rules));
    if (explained <= bestShare) continue;
    bestShare = explained;
    const lead = score - Math.max(...scores.filter((_, k) => grids[k]?.hz !== grid?.hz));
    const isHzClear =
      grid !== null &&
      explained > TRUSTED &&
      (grid.hz === options.grid?.hz || lead > MIN_LEAD + HZ_LEAD * tried.length);
    best = { rules, isHzClear, rounding: withTicks };
  }
  return best!;
}

function possibleLags({ rule, isCountedInSoftware }: ModelOptions): readonly (1 | 2)[] {
  if (isCountedInSoftware || rule === 'elapsed') return [2];
  return rule === 'next' ? [1] : [2, 1];
}

/**
 * Adds the grids that may be to what is known: for every HZ the phase that the departures vote for.
 * Where few can vote, because intervals are about as long as ticks or their jitter hides the ticks,
 * every phase is a candidate.
 */
function possibleGrids(
  sequence: PeriodSequence,
  plain: ReplayRules,
  known: TickGrid | undefined,
): (TickGrid | null)[] {
  const grids: (TickGrid | null)[] = known ? [null, known] : [null];
  const departs = findDepartures(sequence, plain);
  let agreement = 0;
  // A machine has one HZ; CPUs may tick at different times (`skew_tick`).
  for (const hz of known ? [known.hz] : TICK_RATES) {
    const { phaseNs, score } = voteForPhase(sequence, departs, hz);
    agreement = Math.max(agreement, score);
    grids.push({ hz, tickNs: tickLengthNs(hz), phaseNs });
  }
  if (
    !known &&
    agreement < CLEAR_AGREEMENT &&
    nearShare(sequence, replay(sequence, plain)) < ENOUGH
  ) {
    for (const hz of TICK_RATES) {
      const tickNs = tickLengthNs(hz);
      for (let k = 0; k < PHASES; k++) grids.push({ hz, tickNs, phaseNs: (tickNs * k) / PHASES });
    }
  }
  return grids;
}

/**
 * One entry an interval: 1 if the period after it differs from what its overflow alone gives, else 0, −1 where
 * that is not known. What the jitter of time stamps can have done is no departure: of fast events a
 * nanosecond is an event.
 */
function findDepartures(sequence: PeriodSequence, rules: ReplayRules): Int8Array {
  const { length, timeNs, periodEvents } = sequence;
  const { lag, frequencyHz, rounding } = rules;
  const departs = new Int8Array(length).fill(-1);
  for (let i = 1; i + lag < length; i++) {
    const since = timeNs[i] - timeNs[i - 1];
    if (!(since > 0) || since >= 2 * UNKNOWN_TICK_NS || isSwitched(sequence, i)) continue;
    const reported = periodEvents[i + lag];
    const inForce = periodEvents[i + lag - 1];
    const expected = adjustPeriod(inForce, inForce, since, frequencyHz, rounding);
    const blur = (reported * 2 * TYPICAL_JITTER_NS) / (8 * since);
    departs[i] = Math.abs(expected - reported) > blur ? 1 : 0;
  }
  return departs;
}

/** Whether a switch is known, or can't be excluded, between samples `i` and `i` + 2. */
function isSwitched({ offCpuNs }: PeriodSequence, i: number): boolean {
  return offCpuNs ? offCpuNs[i + 1] !== 0 || offCpuNs[i + 2] !== 0 : false;
}

/** Share of the compared samples within 1 %. */
function nearShare({ length, periodEvents }: PeriodSequence, { expected, step }: Replay): number {
  let compared = 0;
  let near = 0;
  for (let i = 0; i < length; i++) {
    if (step[i] === STEP.NONE) continue;
    compared++;
    const reported = periodEvents[i];
    if (Math.abs(expected[i] - reported) <= 0.01 * reported) near++;
  }
  return near / compared;
}

/**
 * How well a replay explains the periods. Each counts a half where it is within 1 %, and up to a
 * half more the closer it is; less where something was fitted.
 */
function scoreOf({ length, periodEvents }: PeriodSequence, { expected, step }: Replay): number {
  let score = 0;
  for (let i = 0; i < length; i++) {
    if (step[i] === STEP.NONE) continue;
    const reported = periodEvents[i];
    const distance = Math.abs(expected[i] - reported) / reported;
    // A period of 0, out of a damaged recording, is no step of the kernel's.
    if (!Number.isFinite(distance)) continue;
    const weight = isFitted(step[i]) ? FITTED : 1;
    score += weight * ((distance <= 0.01 ? 0.5 : 0) + 0.5 / (1 + 1000 * distance));
  }
  return score;
}

/** The first `count` samples: in the ramp the steps are large, and tell most. */
function startOf(sequence: PeriodSequence, count: number): PeriodSequence {
  if (sequence.length <= count) return sequence;
  return {
    length: count,
    timeNs: sequence.timeNs.subarray(0, count),
    periodEvents: sequence.periodEvents.subarray(0, count),
    elapsedEvents: sequence.elapsedEvents.subarray(0, count),
    offCpuNs: sequence.offCpuNs?.subarray(0, count) ?? null,
  };
}

/**
 * How the kernel rounds, from the overflows that give another period under the other rounding, and
 * if `ticks` are given, from those only that no tick followed.
 * Where events are so fast that the jitter of a time stamp moves the result by an event, nothing
 * can be told.
 */
function findRounding(
  sequence: PeriodSequence,
  lag: 1 | 2,
  frequencyHz: number,
  ticks: Uint16Array | null = null,
): EighthRounding | 'unknown' {
  const { timeNs, periodEvents, length } = sequence;
  let away = 0;
  let up = 0;
  for (let i = 1; i + lag < length; i++) {
    if (ticks !== null && ticks[i + lag] > 0) continue;
    if (isSwitched(sequence, i)) continue;
    const since = timeNs[i] - timeNs[i - 1];
    const inForce = periodEvents[i + lag - 1];
    const wanted = (inForce * 1e9) / (since * frequencyHz);
    if (wanted >= inForce || wanted * TYPICAL_JITTER_NS > since) continue;
    const reported = periodEvents[i + lag];
    const ifAway = adjustPeriod(inForce, inForce, since, frequencyHz, 'away');
    const ifUp = adjustPeriod(inForce, inForce, since, frequencyHz, 'up');
    if (ifAway === ifUp) continue;
    if (reported === ifAway) away++;
    else if (reported === ifUp) up++;
  }
  if (Math.max(away, up) < MIN_ROUNDINGS || Math.min(away, up) > 0.2 * (away + up)) {
    return 'unknown';
  }
  return away > up ? 'away' : 'up';
}
