import type { Activity } from './activity.ts';
import type { PeriodSequence } from './convergence.ts';
import { median } from './spread.ts';

/** A stretch of a stream in which the event rate stayed about the same. */
export type Phase = {
  /** Nanoseconds since the recording's first timestamp. */
  readonly startNs: number;
  readonly endNs: number;
  readonly samples: number;
  /** Events per second of active time. */
  readonly eventRateHz: number;
  /** Median of the reported periods. */
  readonly period: number;
};

/** Samples compared on either side of a border; also the shortest phase. */
const WINDOW = 32;
/** A border: the rate at least doubles or halves. */
const MIN_RATIO = 2;

/**
 * Splits the samples at rest where their event rate doubles or halves; empty if it never does.
 * Rates are compared by the median over intervals, so that a pause is not a phase. Ramps are left
 * out: with a period of 1 the cost of sampling itself holds the rate down.
 */
export function findPhases(
  sequence: PeriodSequence,
  activity: Activity,
  atRest: Uint8Array,
): Phase[] {
  const rows: number[] = [];
  for (let i = 0; i < sequence.length; i++) if (atRest[i] === 1) rows.push(i);
  if (rows.length < 2 * WINDOW) return [];

  const rates = ratesOf(rows, sequence, activity);
  const typicalRate = slidingMedians(rates);
  const borders = [0];
  let best = -1;
  let bestChange = 0;
  for (let k = WINDOW; k <= rows.length - WINDOW; k++) {
    const before = typicalRate[k - WINDOW] as number;
    const after = typicalRate[k] as number;
    const change = Math.abs(Math.log(after / before));
    // Not finite where a window holds no active interval at all.
    if (Number.isFinite(change) && change >= Math.log(MIN_RATIO) && change > bestChange) {
      best = k;
      bestChange = change;
    }
    // The largest change within a window is the border, found to within half a window.
    if (best >= 0 && (k - best >= WINDOW || k === rows.length - WINDOW)) {
      const border = sharpen(best, rates, typicalRate);
      const last = borders[borders.length - 1] as number;
      if (border - last >= WINDOW && rows.length - border >= WINDOW) borders.push(border);
      best = -1;
      bestChange = 0;
    }
  }
  if (borders.length === 1) return [];

  borders.push(rows.length);
  const phases: Phase[] = [];
  for (let b = 1; b < borders.length; b++) {
    const from = borders[b - 1] as number;
    const to = borders[b] as number;
    phases.push({
      startNs: sequence.timeNs[rows[from] as number] as number,
      endNs: sequence.timeNs[rows[to - 1] as number] as number,
      samples: to - from,
      eventRateHz: rateOver(rows, from, to, sequence, activity),
      period: median(rows.slice(from, to).map((row) => sequence.periodEvents[row] as number)),
    });
  }
  return phases;
}

/** The event rate (per ns) of the interval that each row ends; infinite across idle gaps. */
function ratesOf(
  rows: readonly number[],
  sequence: PeriodSequence,
  activity: Activity,
): Float64Array {
  const rates = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] as number;
    const interval = activity.intervalNs[row] as number;
    rates[k] = interval > 0 ? (sequence.elapsedEvents[row] as number) / interval : Infinity;
  }
  return rates;
}

/** For each k the median of the rates [k, k + WINDOW). */
function slidingMedians(rates: Float64Array): Float64Array {
  const medians = new Float64Array(rates.length - WINDOW + 1);
  const sorted = rates.slice(0, WINDOW).sort();
  for (let k = 0; k < medians.length; k++) {
    medians[k] = ((sorted[WINDOW / 2 - 1] as number) + (sorted[WINDOW / 2] as number)) / 2;
    const next = k + WINDOW;
    if (next < rates.length) replaceSorted(sorted, rates[k] as number, rates[next] as number);
  }
  return medians;
}

/**
 * Moves a border to where the single intervals change sides. Medians are the same half a window
 * before and after it; so the intervals nearer to the rate before are counted: they come first.
 */
function sharpen(border: number, rates: Float64Array, typicalRate: Float64Array): number {
  const before = typicalRate[border - WINDOW] as number;
  const after = typicalRate[border] as number;
  const middle = Math.sqrt(before * after);
  let onBeforeSide = 0;
  for (let k = border - WINDOW; k < border + WINDOW; k++) {
    if ((rates[k] as number) < middle === before < middle) onBeforeSide++;
  }
  return border - WINDOW + onBeforeSide;
}

/** Takes `old` out of a sorted array and puts `value` in. */
function replaceSorted(sorted: Float64Array, old: number, value: number): void {
  let at = sorted.indexOf(old);
  while (at > 0 && (sorted[at - 1] as number) > value) {
    sorted[at] = sorted[at - 1] as number;
    at--;
  }
  while (at < sorted.length - 1 && (sorted[at + 1] as number) < value) {
    sorted[at] = sorted[at + 1] as number;
    at++;
  }
  sorted[at] = value;
}

/** Events per second of active time over the rows [from, to). */
function rateOver(
  rows: readonly number[],
  from: number,
  to: number,
  sequence: PeriodSequence,
  activity: Activity,
): number {
  let events = 0;
  let nanos = 0;
  for (let k = from; k < to; k++) {
    const row = rows[k] as number;
    const interval = activity.intervalNs[row] as number;
    // Across an idle gap neither its time nor its events are of use.
    if (interval === 0) continue;
    events += sequence.elapsedEvents[row] as number;
    nanos += interval;
  }
  return (events / nanos) * 1e9;
}
