import type { Slices } from '../../base/slices.ts';
import { median } from '../distribution.ts';
import type { StreamLedger } from '../loss/loss-ledger.ts';
import { type ModelReport, replayGroup } from '../model/model.ts';
import type { TickGrid } from '../model/ticks.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput, ThrottleInterval } from '../types.ts';
import { effectiveSampleSize } from '../weights.ts';
import { measureActivity } from './activity.ts';
import { type Bursts, findBursts } from './bursts.ts';
import { type Convergence, findRamps } from './convergence.ts';
import { type Pair, pairsOf } from './pairs.ts';
import { courseOf, type PeriodCourse } from './period-course.ts';
import { findPhases, type Phase } from './phases.ts';
import { type RateCourse, rateCourseOf } from './rate-course.ts';
import { describeReRamp, type ReRamp } from './re-ramp.ts';
import { type ReportedStreamLedger, reportStreamLedger } from './reported-ledger.ts';
import { distinctIn, gather, sequenceOf } from './sequence.ts';
import {
  overshootOf,
  type RampTotals,
  rampTotals,
  type SteadyState,
  steadyState,
} from './steady-state.ts';
import { historyOf, type TaskHistory } from './task-history.ts';
import { endOfTime, throttledBetween, throttlesOfGroup } from './throttled-time.ts';
import { judge, type Verdict } from './verdict.ts';

export type StreamReport = {
  /** Null where the recording does not tell streams apart. */
  readonly streamId: string | null;
  readonly tids: readonly number[];
  readonly cpus: readonly number[];
  readonly samples: number;
  /** Elapsed events of these samples. */
  readonly events: number;
  readonly verdict: Verdict;
  /** Samples before the period settled; null if it never did. */
  readonly settleSamples: number | null;
  readonly settleNs: number | null;
  /** Highest period before it settled ÷ the settled period; null where it was settled at once. */
  readonly overshoot: number | null;
  /**
   * The reason why the stream starts with a ramp: 'migration' if its first thread had been sampled by another
   * instance before, 'new' if not.
   */
  readonly startedBy: 'new' | 'migration';
  readonly history: TaskHistory;
  readonly steady: SteadyState | null;
  /** Share of the stream's samples and events inside ramps; null for a stream too short to tell. */
  readonly rampShare: { readonly samples: number; readonly events: number } | null;
  /** (Σw)²/Σw² of the elapsed events. */
  readonly effectiveSamples: number | null;
  /** The first reported periods, up to 64. */
  readonly firstPeriods: readonly number[];
  readonly phases: readonly Phase[];
  readonly reRamps: readonly ReRamp[];
  /** Null outside frequency mode. */
  readonly bursts: Bursts | null;
  /** Null: not compared with the kernel's algorithm. */
  readonly model: ModelReport | null;
  readonly throttledNs: number;
  /** Null where losses were not looked at. */
  readonly ledger: ReportedStreamLedger | null;
  readonly idle: { readonly gaps: number; readonly ns: number };
  readonly course: PeriodCourse | null;
  /** Achieved over time; null where the samples take no time. */
  readonly rate: RateCourse | null;
  /** Only where they were asked for. */
  readonly pairs?: readonly Pair[];
};

/** Data that reports of all streams share. */
export type StreamContext = {
  readonly input: PeriodInput;
  readonly groups: StreamGroups;
  /** Parallel to the sample table: all events since the stream's previous sample. */
  readonly elapsedEvents: Float64Array;
  /** Parallel to the sample table: elapsed events without those in loss gaps. */
  readonly arrivedEvents: Float64Array;
  /** The result of `followThreads`. */
  readonly cameFrom: Int32Array;
  /** Throttle intervals of the event. */
  readonly throttles: readonly ThrottleInterval[];
};

/** Results of looking through every stream, also those that are not described. */
export type StreamAnalysis = {
  readonly group: number;
  /** Its samples, in time order. */
  readonly rows: Int32Array;
  readonly sequence: PeriodSequence;
  readonly convergence: Convergence;
  readonly throttles: readonly ThrottleInterval[];
  readonly throttledNs: number;
  readonly verdict: Verdict;
  readonly totals: RampTotals;
};

const FIRST_PERIODS = 64;

/** Ramps, rest and verdict of one group. */
export function* analyseStream(context: StreamContext, group: number): Slices<StreamAnalysis> {
  const { input, groups, elapsedEvents } = context;
  const event = input.events[groups.event[group]];
  const rows = groups.rows.subarray(groups.offsets[group], groups.offsets[group + 1]);
  const sequence = sequenceOf(input, rows, elapsedEvents);
  yield;
  const isFixed = event.mode !== 'frequency';
  const convergence = isFixed ? restFromTheFirst(sequence) : yield* findRamps(sequence);
  yield;
  const { length, timeNs } = sequence;
  const throttles = throttlesOfGroup(context.throttles, groups, group, timeNs);
  const firstNs = length > 0 ? timeNs[0] : 0;
  const endNs = endOfTime(throttles, length > 0 ? timeNs[length - 1] : 0);
  const throttledNs = throttledBetween(throttles, firstNs, endNs);
  return {
    group,
    rows,
    sequence,
    convergence,
    throttles,
    throttledNs,
    verdict: judge(sequence, convergence, isFixed, throttledNs, endNs - firstNs),
    totals: rampTotals(sequence, convergence.settled),
  };
}

function restFromTheFirst(sequence: PeriodSequence): Convergence {
  return {
    start: { first: 0, end: 0 },
    reRamps: [],
    settled: new Uint8Array(sequence.length).fill(1),
  };
}

export type StreamReportOptions = {
  /** Compare with the kernel's algorithm. */
  readonly withModel: boolean;
  /** The machine's ticks, as a larger stream's model shows them; null if none does. */
  readonly grid: TickGrid | null;
  readonly ledger: StreamLedger | null;
  /** Pairs to list; 0: none. */
  readonly pairs: number;
};

/** The report on an analysed group. */
export function* describeStream(
  { input, groups, arrivedEvents, cameFrom }: StreamContext,
  analysis: StreamAnalysis,
  options: StreamReportOptions,
): Slices<StreamReport> {
  const { group, rows, sequence, convergence, verdict, totals, throttles } = analysis;
  const event = input.events[groups.event[group]];
  const stream = groups.stream[group];
  const isAdaptive = event.mode === 'frequency';
  const activity = measureActivity(sequence, expectedIntervalNs(sequence, event.frequencyHz));
  const settle = convergence.start.end;
  const hasSettled = settle < sequence.length;
  yield;
  const cpus = distinctIn(rows, input.samples.cpu);
  const tids = tidsOf(input, rows);
  yield;
  const history = historyOf(input, rows);
  yield;
  const steady = yield* steadyState(sequence, activity, convergence.settled);
  const effectiveSamples = effectiveSampleSize(arrivedEvents, rows);
  yield;
  const phases = isAdaptive ? yield* findPhases(sequence, activity, convergence.settled) : [];
  const course = yield* courseOf(sequence);
  const rate = rateCourseOf(groups, [group], input.samples.timeNs);
  yield;
  return {
    streamId: stream >= 0 ? input.streams[stream].streamId : null,
    tids,
    cpus,
    samples: sequence.length,
    events: totals.events,
    verdict,
    settleSamples: hasSettled ? settle : null,
    settleNs: hasSettled ? sequence.timeNs[settle] - sequence.timeNs[0] : null,
    overshoot: overshootOf(sequence, convergence),
    startedBy: rows.length > 0 && cameFrom[rows[0]] >= 0 ? 'migration' : 'new',
    history,
    steady,
    rampShare: verdict === 'too-short' ? null : rampShareOf(totals),
    effectiveSamples,
    firstPeriods: Array.from(sequence.periodEvents.subarray(0, FIRST_PERIODS)),
    phases,
    reRamps: convergence.reRamps.map((ramp) =>
      describeReRamp(input, rows, sequence, ramp, throttles, cameFrom),
    ),
    bursts:
      isAdaptive && event.frequencyHz !== null && event.frequencyHz > 0
        ? findBursts(sequence, event.frequencyHz)
        : null,
    model: options.withModel ? replayGroup(input, groups, group, sequence, options.grid) : null,
    throttledNs: analysis.throttledNs,
    ledger: options.ledger && reportStreamLedger(options.ledger),
    idle: { gaps: activity.idleGaps, ns: activity.idleNs },
    course,
    rate,
    ...(options.pairs > 0 && {
      pairs: pairsOf(
        sequence,
        input.samples.count && gather(input.samples.count, rows),
        options.pairs,
      ),
    }),
  };
}

/** Ascending. Rows of a thread before and after an exec are the same tid. */
function tidsOf(input: PeriodInput, rows: Int32Array): number[] {
  const tids = distinctIn(rows, input.samples.thread).map((thread) => input.threads[thread].tid);
  return [...new Set(tids)].sort((a, b) => a - b);
}

/** Shares 0…1; null without events. */
export function rampShareOf(totals: RampTotals): { samples: number; events: number } | null {
  if (totals.samples === 0 || totals.events === 0) return null;
  return {
    samples: totals.samplesInRamps / totals.samples,
    events: totals.eventsInRamps / totals.events,
  };
}

/** The time between two samples that was asked for; of a fixed period what is usual. */
function expectedIntervalNs(sequence: PeriodSequence, frequencyHz: number | null): number {
  if (frequencyHz !== null) return 1e9 / frequencyHz;
  const { length, timeNs } = sequence;
  if (length < 2) return 0;
  const intervals = new Float64Array(length - 1);
  for (let i = 1; i < length; i++) {
    intervals[i - 1] = timeNs[i] - timeNs[i - 1];
  }
  return median(intervals);
}
