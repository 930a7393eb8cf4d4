import { type Activity, measureActivity } from './activity.ts';
import {
  type Convergence,
  findRamps,
  MIN_SAMPLES,
  type PeriodSequence,
  type Ramp,
} from './convergence.ts';
import { type ModelReport, replayGroup } from './model.ts';
import { courseOf, type PeriodCourse } from './period-course.ts';
import { findPhases, type Phase } from './phases.ts';
import { computeSpread, median, type Spread } from './spread.ts';
import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ThrottleInterval } from './types.ts';
import { effectiveSampleSize } from './weights.ts';

/**
 * What became of a stream's period.
 *
 *  - fixed          period mode or a clock: there is nothing to converge
 *  - throttled      the kernel paused the event for 1 % of the stream's time or more
 *  - too-short      too few samples to tell
 *  - not-converged  enough samples, but the period never came to rest
 *  - re-ramped      it came to rest, and later fell and had to climb again
 *  - converged      it came to rest and followed the event rate from then on
 */
export type Verdict =
  | 'converged'
  | 'not-converged'
  | 're-ramped'
  | 'throttled'
  | 'fixed'
  | 'too-short';

/** A ramp after the first one. */
export type ReRamp = {
  /** Its first sample, nanoseconds since the recording's first timestamp. */
  readonly startNs: number;
  /** The sample at which the period was at rest again; null if it never was. */
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
};

/** What holds while the period is at rest. */
export type SteadyState = {
  readonly period: Spread;
  /** Samples per second of active time (idle gaps left out). */
  readonly hz: number;
  /** Events per second of active time: λ. */
  readonly eventRateHz: number;
};

export type StreamReport = {
  /** Null where the recording does not tell streams apart. */
  readonly streamId: string | null;
  readonly tids: readonly number[];
  readonly cpus: readonly number[];
  readonly samples: number;
  /** Elapsed events of these samples. */
  readonly events: number;
  readonly verdict: Verdict;
  /** Samples before the period came to rest; null if it never did. */
  readonly settleSamples: number | null;
  readonly settleNs: number | null;
  readonly steady: SteadyState | null;
  /** Share of the stream's samples and events inside ramps; null for a stream too short to tell. */
  readonly rampShare: { readonly samples: number; readonly events: number } | null;
  /** (Σw)²/Σw² of the elapsed events. */
  readonly effectiveSamples: number | null;
  /** As reported, up to 64. */
  readonly firstPeriods: readonly number[];
  readonly phases: readonly Phase[];
  readonly reRamps: readonly ReRamp[];
  /** How far the kernel's algorithm explains the periods; null where there are too few, or fixed. */
  readonly model: ModelReport | null;
  readonly throttledNs: number;
  readonly idle: { readonly gaps: number; readonly ns: number };
  readonly course: PeriodCourse | null;
};

const FIRST_PERIODS = 64;
/** A period that has not come to rest after this many samples is said not to converge. */
const MIN_SAMPLES_NOT_CONVERGED = 64;
const MIN_THROTTLED_SHARE = 0.01;

/** The samples of one group as a sequence. `elapsedEvents` is parallel to the sample table. */
export function sequenceOf(
  input: PeriodInput,
  rows: Int32Array,
  elapsedEvents: Float64Array,
): PeriodSequence {
  const { timeNs, periodEvents } = input.samples;
  const sequence = {
    length: rows.length,
    timeNs: new Float64Array(rows.length),
    periodEvents: new Float64Array(rows.length),
    elapsedEvents: new Float64Array(rows.length),
  };
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    sequence.timeNs[k] = timeNs[row] as number;
    sequence.periodEvents[k] = periodEvents[row] as number;
    sequence.elapsedEvents[k] = elapsedEvents[row] as number;
  }
  return sequence;
}

/** The report on group `group`. */
export function reportStream(
  input: PeriodInput,
  groups: StreamGroups,
  group: number,
  elapsedEvents: Float64Array,
): StreamReport {
  const event = input.events[groups.event[group] as number]!;
  const stream = groups.stream[group] as number;
  const rows = groups.rows.subarray(groups.offsets[group], groups.offsets[group + 1]);
  const sequence = sequenceOf(input, rows, elapsedEvents);
  const isFixed = event.mode !== 'frequency';
  const convergence = isFixed ? restFromTheFirst(sequence) : findRamps(sequence);
  const activity = measureActivity(sequence, expectedIntervalNs(sequence, event.frequencyHz));
  const throttledNs = throttledTime(input.throttles ?? [], groups, group, sequence);
  const verdict = judge(sequence, convergence, isFixed, throttledNs);
  const settle = convergence.start.end;
  const hasSettled = settle < sequence.length;
  return {
    streamId: stream >= 0 ? input.streams[stream]!.streamId : null,
    tids: distinct(rows, input.samples.thread).map((thread) => input.threads[thread]!.tid),
    cpus: distinct(rows, input.samples.cpu),
    samples: sequence.length,
    events: sumWhere(sequence.elapsedEvents, null),
    verdict,
    settleSamples: hasSettled ? settle : null,
    settleNs: hasSettled ? sequence.timeNs[settle]! - sequence.timeNs[0]! : null,
    steady: steadyState(sequence, activity, convergence.atRest),
    rampShare: verdict === 'too-short' ? null : rampShare(sequence, convergence.atRest),
    effectiveSamples: effectiveSampleSize(elapsedEvents, rows),
    firstPeriods: [...sequence.periodEvents.subarray(0, FIRST_PERIODS)],
    phases: isFixed ? [] : findPhases(sequence, activity, convergence.atRest),
    reRamps: convergence.reRamps.map((ramp) => describeReRamp(sequence, ramp)),
    model: replayGroup(input, groups, group, sequence),
    throttledNs,
    idle: { gaps: activity.idleGaps, ns: activity.idleNs },
    course: courseOf(sequence),
  };
}

function restFromTheFirst(sequence: PeriodSequence): Convergence {
  return {
    start: { first: 0, end: 0 },
    reRamps: [],
    atRest: new Uint8Array(sequence.length).fill(1),
  };
}

/** The time between two samples that was asked for; of a fixed period what is usual. */
function expectedIntervalNs(sequence: PeriodSequence, frequencyHz: number | null): number {
  if (frequencyHz !== null) return 1e9 / frequencyHz;
  if (sequence.length < 2) return 0;
  const { timeNs } = sequence;
  return median(timeNs.subarray(1).map((time, i) => time - (timeNs[i] as number)));
}

function judge(
  sequence: PeriodSequence,
  convergence: Convergence,
  isFixed: boolean,
  throttledNs: number,
): Verdict {
  const { length, timeNs } = sequence;
  const spanNs = length > 0 ? timeNs[length - 1]! - timeNs[0]! : 0;
  if (throttledNs > 0 && throttledNs >= MIN_THROTTLED_SHARE * spanNs) return 'throttled';
  if (isFixed) return 'fixed';
  if (length < MIN_SAMPLES) return 'too-short';
  if (convergence.start.end === length) {
    return length < MIN_SAMPLES_NOT_CONVERGED ? 'too-short' : 'not-converged';
  }
  return convergence.reRamps.length > 0 ? 're-ramped' : 'converged';
}

function steadyState(
  sequence: PeriodSequence,
  activity: Activity,
  atRest: Uint8Array,
): SteadyState | null {
  let samples = 0;
  let events = 0;
  let nanos = 0;
  for (let i = 1; i < sequence.length; i++) {
    const interval = activity.intervalNs[i] as number;
    // An interval counts if it lies at rest as a whole, and is not an idle gap.
    if (atRest[i] !== 1 || atRest[i - 1] !== 1 || interval === 0) continue;
    samples++;
    events += sequence.elapsedEvents[i] as number;
    nanos += interval;
  }
  if (nanos === 0) return null;
  return {
    period: computeSpread(sequence.periodEvents.filter((_, i) => atRest[i] === 1)),
    hz: (samples * 1e9) / nanos,
    eventRateHz: (events * 1e9) / nanos,
  };
}

function rampShare(
  sequence: PeriodSequence,
  atRest: Uint8Array,
): { samples: number; events: number } | null {
  const events = sumWhere(sequence.elapsedEvents, null);
  if (sequence.length === 0 || events === 0) return null;
  let samplesAtRest = 0;
  for (let i = 0; i < atRest.length; i++) samplesAtRest += atRest[i] as number;
  return {
    samples: 1 - samplesAtRest / sequence.length,
    events: 1 - sumWhere(sequence.elapsedEvents, atRest) / events,
  };
}

function describeReRamp(sequence: PeriodSequence, ramp: Ramp): ReRamp {
  const { timeNs, periodEvents, elapsedEvents } = sequence;
  const inside = periodEvents.subarray(ramp.first, ramp.end);
  return {
    startNs: timeNs[ramp.first]!,
    endNs: ramp.end < sequence.length ? timeNs[ramp.end]! : null,
    samples: ramp.end - ramp.first,
    events: sumWhere(elapsedEvents.subarray(ramp.first, ramp.end), null),
    gapNs: Math.max(
      timeNs[ramp.first]! - timeNs[ramp.first - 1]!,
      ramp.first > 1 ? timeNs[ramp.first - 1]! - timeNs[ramp.first - 2]! : 0,
    ),
    periodBefore: periodEvents[ramp.first - 1]!,
    lowestPeriod: inside.reduce((a, b) => Math.min(a, b)),
    highestPeriod: inside.reduce((a, b) => Math.max(a, b)),
  };
}

/** Throttled time of a group within its first and last sample. */
function throttledTime(
  throttles: readonly ThrottleInterval[],
  groups: StreamGroups,
  group: number,
  sequence: PeriodSequence,
): number {
  if (sequence.length === 0) return 0;
  const first = sequence.timeNs[0]!;
  const last = sequence.timeNs[sequence.length - 1]!;
  let nanos = 0;
  for (const { event, stream, startNs, endNs } of throttles) {
    if (event !== groups.event[group]) continue;
    if (stream >= 0 && stream !== groups.stream[group]) continue;
    nanos += Math.max(0, Math.min(endNs, last) - Math.max(startNs, first));
  }
  return nanos;
}

/** Σ of the values whose flag is 1; of all without flags. */
function sumWhere(values: Float64Array, flags: Uint8Array | null): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    if (flags === null || flags[i] === 1) sum += values[i] as number;
  }
  return sum;
}

/** The distinct values ≥ 0 of `column` in `rows`, ascending. */
function distinct(rows: Int32Array, column: Int32Array): number[] {
  const values = new Set<number>();
  for (let k = 0; k < rows.length; k++) {
    const value = column[rows[k] as number] as number;
    if (value >= 0) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}
