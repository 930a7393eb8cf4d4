// Hot: once per sample.

import type { SamplePlaces } from '../profile/sample-places.ts';
import type { ProfileEvent } from '../profile/types.ts';
import { markUnclaimed } from './alike-tasks.ts';
import { placeOfTasks } from './in-step.ts';
import { rowsOfStreams, type StreamGroups } from './streams.ts';
import type { PeriodInput } from './types.ts';

/**
 * Divides the events between two samples among the two, as the trapezoidal rule does: a half each.
 *
 * A sample is taken at the end of the interval that it ends. To give it all of the interval's events
 * is right only as long as the program does the same all the time. Where it went from a phase of many
 * events to one of few in between, most of the events are the old phase's, and the sample is taken in
 * the new one:
 *
 *     code     A A A A A A A A A A│B          B          B
 *     events   ······●·····●······│·  ·    ·     ●   ·    ·
 *                          └── 50 events ────────┘
 *
 * While frequency mode adapts, the way in (a long interval) and the way out (a short one) don't
 * cancel: B would get too much, up to several per cent with phases of some ten samples. Weights
 * that give each interval to the sample that begins it, as perf's are, err as far the other way. With
 * halves the border is as often in the one half as in the other, and nothing is left but chance.
 *
 * The last of w events is the sample itself; the others are divided:
 *
 *     events      ● · · · · · · ●          w = 7
 *     sample      0             1          3 more for sample 0, 4 for sample 1
 *
 * Halves are too much for a visit to a function along which intervals grow, as behind a burst: it ends at 0.47 of its last interval on average.
 * Visits may end at x with density p(x), where intervals have w(x) events. In one interval ends are p′·w³/12 behind its middle, as more of them lie
 * where p is larger. Over all intervals that is ∫ p′·w²/12 = −∫ p·(w²)′/12: ends are w·w′/6 before the middle on average, a sixth of what an interval
 * has more than the one before it. Between two samples of one function the correction changes no share.
 *
 * Nothing is added or lost, but for what is said below: Σ over a stream stays what it was. An interval in which samples were lost is
 * left to the sample that ends it.
 *
 * With a fixed period N the samples within a stream still weigh N, those at its ends don't: the first one has
 * half of the next interval as well, the last one half of its own. Of many tasks, whole intervals give the
 * beginning of each too little and its end too much, N/2 each time.
 *
 * The border's place could be computed where the rates on both sides are known, but only that of
 * borders between long phases: what such borders no longer move one way does then not come back by
 * the others, which was a bias of up to 1.5 points with phases of some samples (bench/coverage).
 *
 * A border that many tasks have at the same samples of a fixed period is no coin that is tossed for each of them
 * (`alike-tasks.ts`): what is given to the wrong side is given so in every task, and nothing tells which is the wrong one. Half of
 * such an interval is given to nobody, nor is half of what came before first samples where that is much: shares are those
 * of perf's weights there. `places` says where samples lie; null: this is not looked for.
 *
 * Returns `elapsed` itself where no event's intervals are divided.
 */
export function splitIntervals(
  elapsed: Float64Array,
  input: PeriodInput,
  groups: StreamGroups,
  lostBefore: Float64Array | null,
  places: SamplePlaces | null = null,
): Float64Array {
  if (!input.events.some(areIntervalsDivided)) return elapsed;
  const values = elapsed.slice();
  const isUnclaimed = places === null ? null : findUnclaimed(elapsed, input, groups, places);
  for (let g = 0; g < groups.length; g++) {
    if (!areIntervalsDivided(input.events[groups.event[g]])) continue;
    const start = groups.offsets[g];
    const end = groups.offsets[g + 1];
    const isFixed = input.events[groups.event[g]].mode === 'period';
    for (let k = start; k < end; k++) {
      const row = groups.rows[k];
      const isGiven = isUnclaimed?.[row] !== 1;
      if (k === start && isGiven) continue;
      if (lostBefore !== null && lostBefore[row] !== 0) continue;
      // Whole events, as all counts are: the odd one goes to either side in turn, with a fixed period
      // from stream to stream, so that samples within one all weigh N.
      const growth = isFixed || k < start + 2 ? 0 : growthOf(elapsed, groups.rows, k);
      const odd = (isFixed ? g + 1 : k) & 1;
      const moved = Math.floor((elapsed[row] - 1 + odd) / 2) - Math.round(growth / 6);
      if (!(moved > 0)) continue;
      values[row] -= moved;
      if (isGiven) values[groups.rows[k - 1]] += moved;
    }
  }
  return values;
}

/** The events that an interval has more than the one before it, no more than an eighth: chance moves periods as well. A jump is no growth. */
function growthOf(elapsed: Float64Array, rows: Int32Array, k: number): number {
  const interval = elapsed[rows[k]];
  const growth = interval - elapsed[rows[k - 1]];
  if (Math.abs(growth) > interval / 2) return 0;
  return Math.max(-interval / 8, Math.min(interval / 8, growth));
}

/** 1 at samples of whose intervals one half is nobody's, by rows; null where there are none. */
function findUnclaimed(
  elapsed: Float64Array,
  { events, samples }: PeriodInput,
  groups: StreamGroups,
  places: SamplePlaces,
): Uint8Array | null {
  const isUnclaimed = new Uint8Array(samples.length);
  for (const [event, { mode, type, fixedPeriod }] of events.entries()) {
    if (mode !== 'period' || fixedPeriod === null) continue;
    const place = placeOfTasks(type, places);
    markUnclaimed(rowsOfStreams(groups, event), elapsed, place, isUnclaimed);
  }
  return isUnclaimed.includes(1) ? isUnclaimed : null;
}

/**
 * True where the events of an interval are those between two samples. A clock's are times, in which nothing is
 * dense or sparse; and where each sample says a number of its own in period mode, as scheduler tracepoints do,
 * all of it is that sample's.
 */
export function areIntervalsDivided({
  mode,
  fixedPeriod,
}: Pick<ProfileEvent, 'mode' | 'fixedPeriod'>): boolean {
  return mode === 'frequency' || (mode === 'period' && fixedPeriod !== null);
}
