/**
 * Finds the interval that a reported period belongs to (see `PeriodRule`), per event.
 *
 *  1. Counts. Where samples carry the counter's value, the difference between two samples is what
 *     was counted. Each pair in which the two candidates differ is a vote. A pair whose interval a tick
 *     cut in two fits neither, and has none.
 *  2. The probe (`probed-rule.ts`): counts that the recorder took of its own work, before it recorded.
 *  3. The table (`driver-rules.ts`): what the sources of the driver do that took the samples, as far as
 *     the recording's header tells which driver that was.
 *  4. The fit (`period-rule-fit.ts`). While the event rate stays what it was, the length of an interval
 *     follows the right period and not the wrong one. Where the table has no rule, the fit decides;
 *     where it has, the fit is a check: if it contradicts the table, neither is believed.
 *
 * A wrong rule moves weight to the neighbour of the function it belongs to, so whatever is not
 * clear stays 'unknown': the period is then used as reported, and intervals of shares span both readings
 * (`uncertainty/other-reading.ts`).
 */

import { SLICE_ITEMS, type Slices } from '../base/slices.ts';
import type { DriverRule, ProbedRule } from '../profile/types.ts';
import { isCountedInSoftware } from './controller.ts';
import { areCountsBehind } from './count-lag.ts';
import {
  computeCpuGroups,
  type FittedRule,
  fitRule,
  fitRuleWithoutStreams,
} from './period-rule-fit.ts';
import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/** Fewer votes than this decide nothing. */
const MIN_VOTES = 8;
const MIN_MAJORITY = 0.9;
/** Hardware counts on while it interrupts: a candidate within a tenth of the count explains it. */
const NEAR = 0.1;

/** The rule for each event of the input. */
export function* findRules(input: PeriodInput, groups: StreamGroups): Slices<ReportedPeriod[]> {
  const groupsByEvent = listGroupsByEvent(input, groups);
  let fits: FittedRule[] | null = null;
  const found: ReportedPeriod[] = [];
  for (const [index, event] of input.events.entries()) {
    if (event.mode !== 'frequency') {
      found.push({ rule: 'elapsed', from: 'table', confidence: 1 });
      continue;
    }
    const own = groupsByEvent[index];
    const driver = event.driverRule ?? null;
    const probed = event.probedRule ?? null;
    const counted = yield* ruleFromCounts(input, groups, own);
    if (counted !== null) {
      const { rule, confidence } = counted;
      const reported = { rule, from: 'counts', confidence } as const;
      const lags = () => areCountsBehind(input, groups, own);
      found.push(withTable(withProbe(reported, probed, lags), driver, lags));
    } else if (probed !== null) {
      const reported = { rule: probed.rule, from: 'probe', confidence: probed.majority } as const;
      found.push(withTable(reported, driver, () => false));
    } else if (isCountedInSoftware(event.type)) {
      found.push({ rule: 'next', from: 'table', confidence: 1 });
    } else {
      fits ??= yield* fitRules(input, groups);
      found.push(checkedByFit(driver, fits[index]));
    }
  }
  return found;
}

/** Rules that were measured: by counts of the recording, or by the probe before it. */
type MeasuredRule = ReportedPeriod & { readonly from: 'counts' | 'probe' };

/** The rule of the counts, set right where the probe says that they lag, which looks like the other rule. */
function withProbe(
  counted: MeasuredRule,
  probed: ProbedRule | null,
  areBehind: () => boolean,
): MeasuredRule {
  if (probed === null || probed.rule === counted.rule) return counted;
  return probed.countsLag && areBehind()
    ? { ...counted, rule: probed.rule, countsLag: true }
    : counted;
}

/** The measured rule, compared with the table. */
function withTable(
  measured: MeasuredRule,
  driver: DriverRule | null,
  areBehind: () => boolean,
): ReportedPeriod {
  if (driver === null) return measured;
  const known = { ...measured, driver: driver.driver };
  if (measured.rule === driver.rule) return known;
  if (driver.countsLag && areBehind()) return { ...known, rule: driver.rule, countsLag: true };
  return { ...known, contradiction: { table: driver.rule, by: measured.from } };
}

function checkedByFit(driver: DriverRule | null, fit: FittedRule): ReportedPeriod {
  const { rule, confidence } = fit;
  if (driver === null) return { rule, from: 'fit', confidence };
  const known = { from: 'table', driver: driver.driver } as const;
  if (rule === 'unknown' || rule === driver.rule)
    return { ...known, rule: driver.rule, confidence: 1 };
  const contradiction = { table: driver.rule, by: 'fit' } as const;
  return { ...known, rule: 'unknown', confidence: 0, contradiction };
}

/**
 * The rule by times and periods alone of every event, even of those whose rule is known: how the fit
 * itself is checked.
 */
export function* fitRules(input: PeriodInput, groups: StreamGroups): Slices<FittedRule[]> {
  const fits = yield* fitEach(input, groups);
  if (!groups.stream.includes(-1)) return fits;
  const byCpu = yield* computeCpuGroups(input);
  const fitsByCpu = yield* fitEach(input, byCpu);
  return fits.map((fit, index) => fitRuleWithoutStreams(fit, fitsByCpu[index]));
}

function* fitEach(input: PeriodInput, groups: StreamGroups): Slices<FittedRule[]> {
  const fits: FittedRule[] = [];
  for (const own of listGroupsByEvent(input, groups)) {
    fits.push(fitRule(input, groups, own));
    yield;
  }
  return fits;
}

/** Rows of `groups` for each event, in one pass: there may be a group per thread of a machine. */
function listGroupsByEvent(input: PeriodInput, groups: StreamGroups): Int32Array[] {
  const counts = new Int32Array(input.events.length);
  for (let g = 0; g < groups.length; g++) counts[groups.event[g]]++;
  const lists = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (let g = 0; g < groups.length; g++) {
    const event = groups.event[g];
    lists[event][counts[event]++] = g;
  }
  return lists;
}

/** The rule of an event by its counts, and how many pairs of samples voted. */
export type CountedRule = {
  readonly rule: 'next' | 'elapsed';
  /** Share of the votes, `MIN_MAJORITY`…1. */
  readonly confidence: number;
  readonly votes: number;
};

/** Null where counts are too few, or do not agree. */
export function* ruleFromCounts(
  input: PeriodInput,
  groups: StreamGroups,
  /** Rows of `groups`: those of one event. */
  groupsOfEvent: Int32Array,
): Slices<CountedRule | null> {
  const { periodEvents, count } = input.samples;
  if (count === null) return null;
  let forNext = 0;
  let forElapsed = 0;
  let left = SLICE_ITEMS;
  for (let j = 0; j < groupsOfEvent.length; j++) {
    const g = groupsOfEvent[j];
    const end = groups.offsets[g + 1];
    for (let k = groups.offsets[g] + 1; k < end; k++) {
      if (--left === 0) {
        left = SLICE_ITEMS;
        yield;
      }
      const row = groups.rows[k];
      const previous = groups.rows[k - 1];
      const counted = count[row] - count[previous];
      // NaN, where a sample was not read, fails this comparison too.
      if (!(counted > 0)) continue;
      const vote = voteOf(counted, periodEvents[previous], periodEvents[row]);
      if (vote > 0) forNext++;
      else if (vote < 0) forElapsed++;
    }
  }
  const votes = forNext + forElapsed;
  if (votes < MIN_VOTES) return null;
  const majority = Math.max(forNext, forElapsed) / votes;
  if (majority < MIN_MAJORITY) return null;
  return { rule: forNext > forElapsed ? 'next' : 'elapsed', confidence: majority, votes };
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
