// Hot: once per sample.

import type { StreamGroups } from './streams.ts';
import type { PeriodInput } from './types.ts';

/**
 * Divides the intervals that cross the border between two phases.
 *
 * A sample stands for the events since the one before it. Where the program went from a phase of
 * many events to one of few in between, the sample is taken in the new phase, but most of its events
 * are the old one's: with the period of the fast phase, say 50, counted down in the slow one.
 *
 *     code     A A A A A A A A A A│B          B          B          B
 *     events   ······●·····●······│·  ·    ·     ●   ·    ·    ·     ●
 *                          └── 50 events ────────┘
 *                          └ rate of A ┘└ rate of B ┘
 *
 * While frequency mode adapts, the way in (a long interval) and the way out (a short one) don't
 * cancel: B would get too much, up to several per cent with phases of some ten samples. With c
 * events in Δt, and the rates a and b of the phases on either side, the border's place is known:
 *
 *     x = a · (c − b·Δt) / (a − b)      events of A, which go to the sample before
 *
 * Δt is the event's running time where it was read. Without it Δt may hold sleep, which shows when
 * the interval's rate is below both; then nothing but the middle is left, x = c/2.
 *
 * A border is divided only if on each side SIDE intervals in a row lie on that side's side. Where
 * phases are so short that some pass between two samples, the samples that hit one stand for the
 * others too; dividing there would take away from them what stands for those missed.
 *
 * Nothing is added or lost: Σ over a stream stays what it was. In period mode the two errors cancel
 * by themselves, and every sample keeps its N.
 */
export function splitBorders(
  elapsed: Float64Array,
  input: PeriodInput,
  groups: StreamGroups,
  lostBefore: Float64Array | null,
): Float64Array {
  const values = elapsed.slice();
  const { timeNs, runningNs } = input.samples;
  const longest = longestGroup(groups);
  const nanos = new Float64Array(longest);
  const rates = new Float64Array(longest);
  for (let g = 0; g < groups.length; g++) {
    if (input.events[groups.event[g]].mode !== 'frequency') continue;
    const start = groups.offsets[g];
    const length = groups.offsets[g + 1] - start;
    if (length < 2 * SIDE + 2) continue;
    for (let k = 1; k < length; k++) {
      const row = groups.rows[start + k];
      const previous = groups.rows[start + k - 1];
      const running = runningNs ? runningNs[row] - runningNs[previous] : Number.NaN;
      const interval = running > 0 ? running : timeNs[row] - timeNs[previous];
      nanos[k] = interval;
      // NaN, where nothing can be said, fails every comparison below.
      const isKnown = interval > 0 && (lostBefore === null || lostBefore[row] === 0);
      rates[k] = isKnown ? elapsed[row] / interval : Number.NaN;
    }
    // The first sample's interval has no beginning.
    for (let k = SIDE + 1; k < length - SIDE; k++) {
      if (!isBorder(rates, k)) continue;
      const row = groups.rows[start + k];
      const previous = groups.rows[start + k - 1];
      // Whole events, as all counts are.
      const moved = Math.round(eventsBefore(elapsed[row], nanos[k], rates, k));
      values[row] -= moved;
      values[previous] += moved;
    }
  }
  return values;
}

/** Intervals looked at on either side. */
const SIDE = 4;
/** The rates differ by at least this factor; what less of a difference misplaces is small. */
const MIN_RATIO = 1.5;

/**
 * Whether all rates before interval k lie below all rates after it, or above, far enough, and
 * interval k itself belongs to neither side.
 */
function isBorder(rates: Float64Array, k: number): boolean {
  const before = rates[k - 1];
  const after = rates[k + 1];
  // Most intervals end here.
  if (!(before > after * 1.1 || after > before * 1.1)) return false;
  const isFall = before > after;
  const high = isFall ? k - SIDE : k + 1;
  const low = isFall ? k + 1 : k - SIDE;
  const leastHigh = leastRate(rates, high);
  const mostLow = Math.max(rates[low], rates[low + 1], rates[low + 2], rates[low + 3]);
  // Math.min and Math.max pass a NaN on.
  if (!(leastHigh > mostLow)) return false;
  if (typicalRate(rates, high) < MIN_RATIO * typicalRate(rates, low)) return false;
  const rate = rates[k];
  return (rate > mostLow && rate < leastHigh) || rate < leastRate(rates, low);
}

/** Least of the SIDE = 4 rates from `first` on. */
function leastRate(rates: Float64Array, first: number): number {
  return Math.min(rates[first], rates[first + 1], rates[first + 2], rates[first + 3]);
}

/** Median of the SIDE = 4 rates from `first` on: their sum without the least and the greatest. */
function typicalRate(rates: Float64Array, first: number): number {
  const a = rates[first];
  const b = rates[first + 1];
  const c = rates[first + 2];
  const d = rates[first + 3];
  return (a + b + c + d - Math.min(a, b, c, d) - Math.max(a, b, c, d)) / 2;
}

/** The part of interval k's events that came before the border. */
function eventsBefore(count: number, nanos: number, rates: Float64Array, k: number): number {
  const before = typicalRate(rates, k - SIDE);
  const after = typicalRate(rates, k + 1);
  if (rates[k] < Math.min(before, after)) return count / 2;
  const x = (before * (count - after * nanos)) / (before - after);
  return Math.min(count, Math.max(0, x));
}

function longestGroup(groups: StreamGroups): number {
  let longest = 0;
  for (let g = 0; g < groups.length; g++) {
    longest = Math.max(longest, groups.offsets[g + 1] - groups.offsets[g]);
  }
  return longest;
}
