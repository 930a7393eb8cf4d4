/**
 * Which interval a reported period belongs to (see `PeriodRule`), found out per event.
 *
 *  1. Counts. Where samples carry the counter's value, the difference between two samples is what
 *     was counted. Each pair in which the two candidates differ is a vote.
 *  2. The table. Events that the kernel counts in software report the next interval's period; the
 *     code that does so is quoted in `controller.ts`. Fixed periods and clocks: both are the same.
 *  3. The fit. Otherwise it depends on the driver and its age (x86 reported the next interval's
 *     until a change of 2025, arm64 the elapsed one's). When the period jumps from A to B while the
 *     event rate stays what it was, only one of A/Δt and B/Δt is that rate. Taken over all jumps,
 *     the right candidate scatters little, the wrong one by the size of the jumps.
 *
 * A wrong rule moves weight to the neighbour of the function it belongs to, so whatever is not
 * clear stays 'unknown', and the period is then used as reported.
 */

import { median } from './spread.ts';
import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

const UNKNOWN: ReportedPeriod = { rule: 'unknown', from: 'fit', confidence: 0 };

/** Fewer votes than this decide nothing. */
const MIN_VOTES = 8;
const MIN_MAJORITY = 0.9;
/** Hardware counts on while it interrupts: a candidate within a tenth of the count explains it. */
const NEAR = 0.1;

const MIN_JUMPS = 8;
/** A jump: the period at least doubles or halves. */
const JUMP = Math.LN2;
/** Below this the interrupt's own duration is a good part of the interval, nanoseconds. */
const MIN_JUMP_INTERVAL_NS = 10_000;
/** Deviations are of ln(rate): the right candidate stays within about a third … */
const MAX_SCATTER = 0.3;
/** … and the wrong one scatters this many times more. */
const MIN_SCATTER_RATIO = 4;

/** The rule for each event of the input. */
export function findRules(input: PeriodInput, groups: StreamGroups): ReportedPeriod[] {
  return input.events.map((event, index) => {
    if (event.mode !== 'frequency') return { rule: 'elapsed', from: 'table', confidence: 1 };
    const counted = ruleFromCounts(input, groups, index);
    if (counted) return counted;
    if (isCountedInSoftware(event.type)) return { rule: 'next', from: 'table', confidence: 1 };
    return ruleFromFit(input, groups, index);
  });
}

/** `perf_event_attr.type`: software (1), tracepoint (2), breakpoint (5). */
function isCountedInSoftware(type: number): boolean {
  return type === 1 || type === 2 || type === 5;
}

function ruleFromCounts(
  input: PeriodInput,
  groups: StreamGroups,
  event: number,
): ReportedPeriod | null {
  const { periodEvents, count } = input.samples;
  let forNext = 0;
  let forElapsed = 0;
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    const end = groups.offsets[g + 1] as number;
    for (let k = (groups.offsets[g] as number) + 1; k < end; k++) {
      const row = groups.rows[k] as number;
      const previous = groups.rows[k - 1] as number;
      const counted = (count[row] as number) - (count[previous] as number);
      // NaN, where a sample was not read, fails this comparison too.
      if (!(counted > 0)) continue;
      const vote = voteOf(counted, periodEvents[previous] as number, periodEvents[row] as number);
      if (vote > 0) forNext++;
      else if (vote < 0) forElapsed++;
    }
  }
  const votes = forNext + forElapsed;
  if (votes < MIN_VOTES) return null;
  const majority = Math.max(forNext, forElapsed) / votes;
  if (majority < MIN_MAJORITY) return null;
  return {
    rule: forNext > forElapsed ? 'next' : 'elapsed',
    from: 'counts',
    confidence: majority,
  };
}

/** 1: `next` explains what was counted, −1: `elapsed` does, 0: both or neither. */
function voteOf(counted: number, next: number, elapsed: number): -1 | 0 | 1 {
  if (next === elapsed) return 0;
  if (counted === next) return 1;
  if (counted === elapsed) return -1;
  const isNext = Math.abs(counted - next) <= NEAR * counted;
  const isElapsed = Math.abs(counted - elapsed) <= NEAR * counted;
  if (isNext === isElapsed) return 0;
  return isNext ? 1 : -1;
}

function ruleFromFit(input: PeriodInput, groups: StreamGroups, event: number): ReportedPeriod {
  const { periodEvents, timeNs } = input.samples;
  const deviationNext: number[] = [];
  const deviationElapsed: number[] = [];
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    const start = (groups.offsets[g] as number) + 1;
    const end = groups.offsets[g + 1] as number;
    // The rate differs from stream to stream, so each is compared with its own median.
    const next: number[] = [];
    const elapsed: number[] = [];
    for (let k = start; k < end; k++) {
      const row = groups.rows[k] as number;
      const previous = groups.rows[k - 1] as number;
      const before = periodEvents[previous] as number;
      const after = periodEvents[row] as number;
      const intervalNs = (timeNs[row] as number) - (timeNs[previous] as number);
      if (intervalNs < MIN_JUMP_INTERVAL_NS || !(before > 0) || !(after > 0)) continue;
      if (Math.abs(Math.log(after / before)) < JUMP) continue;
      next.push(Math.log(before / intervalNs));
      elapsed.push(Math.log(after / intervalNs));
    }
    if (next.length < 4) continue;
    pushDeviations(next, deviationNext);
    pushDeviations(elapsed, deviationElapsed);
  }
  if (deviationNext.length < MIN_JUMPS) return UNKNOWN;
  const scatterNext = median(deviationNext);
  const scatterElapsed = median(deviationElapsed);
  const small = Math.min(scatterNext, scatterElapsed);
  const large = Math.max(scatterNext, scatterElapsed);
  if (small > MAX_SCATTER || large < MIN_SCATTER_RATIO * small) return UNKNOWN;
  return {
    rule: scatterNext < scatterElapsed ? 'next' : 'elapsed',
    from: 'fit',
    confidence: 1 - small / large,
  };
}

function pushDeviations(values: readonly number[], into: number[]): void {
  const middle = median(values);
  for (const value of values) into.push(Math.abs(value - middle));
}
