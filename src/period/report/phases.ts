import type { Slices } from '../../base/slices.ts';
import { median } from '../distribution.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { Activity } from './activity.ts';
import { slidingMedians } from './sliding-median.ts';

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
/** Factor by which the rates or the periods of two phases differ at least. */
const MIN_APART = 1.5;

/**
 * Splits the settled samples where their event rate doubles or halves; empty if it never does.
 * Rates are compared by the median over intervals, so that a pause is not a phase. Ramps are left
 * out: with a period of 1 the cost of sampling itself holds the rate down.
 */
export function* findPhases(
  sequence: PeriodSequence,
  activity: Activity,
  settled: Uint8Array,
): Slices<Phase[]> {
  const rows = settledRows(settled);
  if (rows.length < 2 * WINDOW) return [];

  yield;
  const rates = ratesOf(rows, sequence, activity);
  yield;
  const typicalRate = yield* slidingMedians(rates, WINDOW);
  const borders = [0];
  let best = -1;
  let bestChange = 0;
  for (let k = WINDOW; k <= rows.length - WINDOW; k++) {
    const before = typicalRate[k - WINDOW];
    const after = typicalRate[k];
    const change = Math.abs(Math.log(after / before));
    // Not finite where a window holds no active interval at all.
    if (Number.isFinite(change) && change >= Math.log(MIN_RATIO) && change > bestChange) {
      best = k;
      bestChange = change;
    }
    // The largest change within a window is the border, found to within half a window.
    if (best >= 0 && (k - best >= WINDOW || k === rows.length - WINDOW)) {
      const border = sharpen(best, rates, typicalRate);
      const last = borders[borders.length - 1];
      if (border - last >= WINDOW && rows.length - border >= WINDOW) borders.push(border);
      best = -1;
      bestChange = 0;
    }
  }
  yield;
  if (borders.length === 1) return [];

  const describe = (from: number, to: number): Phase => ({
    startNs: sequence.timeNs[rows[from]],
    endNs: sequence.timeNs[rows[to - 1]],
    samples: to - from,
    eventRateHz: rateOver(rows, from, to, sequence, activity),
    period: medianPeriod(rows.subarray(from, to), sequence),
  });
  borders.push(rows.length);
  const phases: Phase[] = [];
  let start = 0;
  for (let b = 1; b < borders.length; b++) {
    const end = borders[b];
    const phase = describe(start, end);
    const next = b + 1 < borders.length ? describe(end, borders[b + 1]) : null;
    if (next !== null && !areApart(phase, next)) continue;
    phases.push(phase);
    start = end;
  }
  return phases.length > 1 ? phases : [];
}

/** Pauses can make the intervals around a border look like a change that the phases don't show. */
function areApart(a: Phase, b: Phase): boolean {
  const apart = (x: number, y: number) => Math.max(x, y) >= MIN_APART * Math.min(x, y);
  return apart(a.eventRateHz, b.eventRateHz) || apart(a.period, b.period);
}

function settledRows(settled: Uint8Array): Int32Array {
  const rows = new Int32Array(settled.length);
  let length = 0;
  for (let i = 0; i < settled.length; i++) if (settled[i] === 1) rows[length++] = i;
  return rows.subarray(0, length);
}

function medianPeriod(rows: Int32Array, sequence: PeriodSequence): number {
  const periods = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) {
    periods[k] = sequence.periodEvents[rows[k]];
  }
  return median(periods);
}

/** The event rate (per ns) of the interval that each row ends; infinite across idle gaps. */
function ratesOf(rows: Int32Array, sequence: PeriodSequence, activity: Activity): Float64Array {
  const rates = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k];
    const interval = activity.intervalNs[row];
    rates[k] = interval > 0 ? sequence.elapsedEvents[row] / interval : Infinity;
  }
  return rates;
}

/**
 * Moves a border to where the single intervals change sides. Medians are the same half a window
 * before and after it; so the intervals nearer to the rate before are counted: they come first.
 */
function sharpen(border: number, rates: Float64Array, typicalRate: Float64Array): number {
  const before = typicalRate[border - WINDOW];
  const after = typicalRate[border];
  const middle = Math.sqrt(before * after);
  let onBeforeSide = 0;
  for (let k = border - WINDOW; k < border + WINDOW; k++) {
    if (rates[k] < middle === before < middle) onBeforeSide++;
  }
  return border - WINDOW + onBeforeSide;
}

/** Events per second of active time over the rows [from, to). */
function rateOver(
  rows: Int32Array,
  from: number,
  to: number,
  sequence: PeriodSequence,
  activity: Activity,
): number {
  let events = 0;
  let nanos = 0;
  for (let k = from; k < to; k++) {
    const row = rows[k];
    const interval = activity.intervalNs[row];
    // Across an idle gap neither its time nor its events are of use.
    if (interval === 0) continue;
    events += sequence.elapsedEvents[row];
    nanos += interval;
  }
  return (events / nanos) * 1e9;
}
