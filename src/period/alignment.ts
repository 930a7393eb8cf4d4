import { eachSlice, type Slices } from '../base/slices.ts';
import type { LostBounds } from '../profile/types.ts';
import { isCountedInSoftware } from './controller.ts';
import { withoutCountLag } from './count-lag.ts';
import { computeElapsedEvents } from './elapsed-events.ts';
import { findLossGaps } from './loss-gaps.ts';
import { findRules } from './period-rule.ts';
import { groupByStream, type StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/**
 * The start of every question about an input: the samples of each event instance, the
 * interval their periods measure, and what was counted in each. Computed once, for all of them.
 */
export type Alignment = {
  readonly groups: StreamGroups;
  /** Per event. */
  readonly rules: readonly ReportedPeriod[];
  /** Per sample: events since the stream's previous sample, those of a loss gap included. */
  readonly elapsedEvents: Float64Array;
  /** Per sample: the part of these that lost samples stood for, as far as counts tell. */
  readonly lostBefore: Float64Array;
  /** Per event: how far these may be off, null where there are none. */
  readonly lostBounds: readonly (LostBounds | null)[];
  /** Per sample: the one less the other, what the sample itself stands for. The same column without gaps. */
  readonly arrivedEvents: Float64Array;
};

/** Aligns the periods of all streams. */
export function* alignPeriods(input: PeriodInput): Slices<Alignment> {
  const groups = yield* groupByStream(input);
  const rules = yield* findRules(input, groups);
  const counted = withoutCountLag(input, groups, rules);
  const elapsedEvents = yield* computeElapsedEvents(counted, groups, rules);
  const { lostBefore, lostBounds } = yield* findLossGaps(counted, groups, rules);
  const isWhole = lostBounds.every((bounds) => bounds === null);
  if (isWhole) {
    return { groups, rules, elapsedEvents, lostBefore, lostBounds, arrivedEvents: elapsedEvents };
  }
  const arrivedEvents = new Float64Array(elapsedEvents.length);
  yield* eachSlice(arrivedEvents.length, (first, end) => {
    for (let i = first; i < end; i++) {
      arrivedEvents[i] = elapsedEvents[i] - lostBefore[i];
    }
  });
  return { groups, rules, elapsedEvents, lostBefore, lostBounds, arrivedEvents };
}

/** The rules alone, for who needs no column of them: those of the table ask for no sample. */
export function* findReportedPeriods(input: PeriodInput): Slices<readonly ReportedPeriod[]> {
  const { events, samples } = input;
  const areTabled =
    samples.count === null &&
    events.every(({ mode, type }) => mode !== 'frequency' || isCountedInSoftware(type));
  return yield* findRules(input, areTabled ? NO_GROUPS : yield* groupByStream(input));
}

const NO_GROUPS: StreamGroups = {
  length: 0,
  event: new Int32Array(0),
  stream: new Int32Array(0),
  offsets: new Int32Array(1),
  rows: new Int32Array(0),
};
