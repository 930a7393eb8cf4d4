import { finish, type Slices } from '../base/slices.ts';
import { computeElapsedEvents } from './elapsed-events.ts';
import { findLossGaps } from './loss/loss-gaps.ts';
import { findRules } from './realign.ts';
import { groupByStream, type StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/**
 * What every question about an input begins with: which samples are of one event instance, which
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
  /** Per sample: the one less the other, what the sample itself stands for. */
  readonly arrivedEvents: Float64Array;
};

/** Aligns the periods of all streams. */
export function alignPeriods(input: PeriodInput): Alignment {
  return finish(alignInSlices(input));
}

export function* alignInSlices(input: PeriodInput): Slices<Alignment> {
  const groups = groupByStream(input);
  yield;
  const rules = findRules(input, groups);
  yield;
  const elapsedEvents = computeElapsedEvents(input, groups, rules);
  yield;
  const lostBefore = findLossGaps(input, groups, rules);
  yield;
  const arrivedEvents = elapsedEvents.map((events, i) => events - (lostBefore[i] as number));
  return { groups, rules, elapsedEvents, lostBefore, arrivedEvents };
}
