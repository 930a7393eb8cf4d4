/**
 * How one stream's period behaved: where it settled, where it ramped again.
 *
 * The period has no single steady value: it follows the event rate, and programs have phases. So
 * "settled" is local: a period is settled when it lies near the median of the periods that follow
 * it. A ramp is a stretch at whose end the period is settled:
 *
 *     period   1 1 1 2 5 13 35 65 104 124 131 129 … 130 4 2 2 6 24 133 377 510 486 … 96 90 93 …
 *     state    ramp               │ settled             │ re-ramp                   │ settled
 *                                 settle                fell to less than half
 *
 * A period that follows a changed rate in steps of an eighth stays settled in this sense: it is
 * near enough to the rate all the time. What counts as a new ramp is a fall to less than half from
 * one sample to the next, which no overflow can do (`controller.ts`): ticks brought it down while
 * events were rare, or another instance took over. Then a burst of samples follows.
 */

import { countBits } from '../../base/count-bits.ts';
import { SLICE_ITEMS, type Slices } from '../../base/slices.ts';
import { MAX_FALL_PER_OVERFLOW } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import { slidingMedians } from './sliding-median.ts';

/** A stretch [first, end) of samples in which the period was on its way. */
export type Ramp = {
  readonly first: number;
  /** The first settled sample, or the sequence's length if there is none. */
  readonly end: number;
};

export type Convergence = {
  /** The ramp at the start; its `end` is the settle point. Empty if settled from the first on. */
  readonly start: Ramp;
  readonly reRamps: readonly Ramp[];
  /** 1 where the sample is settled, 0 inside a ramp. */
  readonly settled: Uint8Array;
};

/** Samples that a period is compared with. */
const WINDOW = 16;
/** "Near" the window's median: within this factor, up or down. */
const BAND = 1.25;
/** The settle point is the first of 8 samples of which at least 6 are near. */
const RUN = 8;
const NEAR_IN_RUN = 6;
/** One overflow and a handful of ticks; smaller falls happen in steady running. */
const FALL = 0.5;
/** Halves of a tiny period are single events. */
const MIN_FALL_FROM = 8;

/** Fewer samples can't show whether a period is settled. */
export const MIN_SAMPLES = WINDOW + RUN;

if (FALL >= 1 - MAX_FALL_PER_OVERFLOW) throw new RangeError('an overflow alone would be a re-ramp');

/** Splits a sequence into ramps and settled stretches. */
export function* findRamps(sequence: PeriodSequence): Slices<Convergence> {
  const { length, periodEvents } = sequence;
  const medians = yield* slidingMedians(periodEvents, WINDOW);
  const settle = findSettled(periodEvents, medians, 0);
  const reRamps: Ramp[] = [];
  const settled = new Uint8Array(length);
  settled.fill(1, settle);
  let pauseAt = settle + SLICE_ITEMS;
  for (let i = settle + 1; i < length; i++) {
    if (i > pauseAt) {
      pauseAt = i + SLICE_ITEMS;
      yield;
    }
    const before = periodEvents[i - 1];
    if (before < MIN_FALL_FROM || periodEvents[i] >= before * FALL) continue;
    const end = findSettled(periodEvents, medians, i);
    // The event rate fell as far, and the period is where it should be.
    if (end === i) continue;
    settled.fill(0, i, end);
    reRamps.push({ first: i, end });
    i = end;
  }
  return { start: { first: 0, end: settle }, reRamps, settled };
}

/**
 * The first sample from `from` on that is settled, or the sequence's length. Near the end there are
 * too few samples to compare with; what has not settled before stays a ramp. `medians[i]` is
 * the median of the WINDOW periods from i on.
 */
function findSettled(periods: Float64Array, medians: Float64Array, from: number): number {
  // Bit k of `near` tells of the sample k before the current one.
  let near = 0;
  for (let i = from; i + 1 < medians.length; i++) {
    const middle = medians[i + 1];
    const period = periods[i];
    // Around 1 … 4 a step of a single event is more than the band.
    const isNear =
      Math.abs(period - middle) <= 1 || (period <= middle * BAND && middle <= period * BAND);
    near = ((near << 1) | (isNear ? 1 : 0)) & ((1 << RUN) - 1);
    const first = i - RUN + 1;
    if (first >= from && near >> (RUN - 1) === 1 && countBits(near) >= NEAR_IN_RUN) return first;
  }
  return periods.length;
}
