// Hot: once per sample.

import type { PeriodSequence } from '../period-sequence.ts';

/**
 * When the timer ticked, found out from what the ticks did.
 *
 * A recording holds neither CONFIG_HZ nor the ticks. But ticks come on a grid, one every 1/HZ, and
 * every tick that meets the event running adjusts its period once more than its overflows explain.
 * So where a replay without ticks departs, a tick lies in the interval, and where it does not
 * depart, probably none does. Folded at the length of a tick, the intervals that depart share one
 * point:
 *
 *     time        ├──•───┼──────┼─•────┼──•───┼──────┤      • interval with a departure
 *     folded      ├──•••─────────────┤                      the grid's phase
 *
 * The grid is even as long as the samples carry CLOCK_MONOTONIC: the tick is a timer on that clock.
 */
export type TickGrid = {
  readonly hz: number;
  /** Length of a tick, nanoseconds (`TICK_NSEC`). */
  readonly tickNs: number;
  /** Time of one tick, 0 ≤ phase < tick, on the axis of the samples' times. */
  readonly phaseNs: number;
};

/** The values that kernels are built with. */
export const TICK_RATES: readonly number[] = [100, 250, 300, 1000];

/** The length of a tick that is assumed where ticks left no trace, nanoseconds: HZ = 250. */
export const UNKNOWN_TICK_NS = 4e6;

/** `TICK_NSEC`: the length of a tick as the kernel computes with it, nanoseconds. */
export function tickLengthNs(hz: number): number {
  return Math.floor((1e9 + Math.floor(hz / 2)) / hz);
}

/** The first tick at `timeNs` or later. */
export function nextTickNs(grid: TickGrid, timeNs: number): number {
  const { tickNs, phaseNs } = grid;
  return phaseNs + Math.ceil((timeNs - phaseNs) / tickNs) * tickNs;
}

/** A time off that differs by no more from a whole number of ticks was begun and ended by ticks. */
export const ALIGNED_NS = 60_000;

/** Whether a task was switched out for whole ticks: the scheduler mostly switches on them. */
export function isWholeTicks(offCpuNs: number, tickNs: number): boolean {
  const ticks = Math.round(offCpuNs / tickNs);
  return ticks > 0 && Math.abs(offCpuNs - ticks * tickNs) <= ALIGNED_NS;
}

const BINS = 2048;

/**
 * A phase, and how many more departures lie on it than would by chance. Intervals all of which
 * depart, or none, tell nothing.
 */
export type PhaseVote = { readonly phaseNs: number; readonly score: number };

/**
 * The phase of ticks at `hz` that most departures agree on. `departs[i]` is 1 where the interval
 * from sample i to i + 1 changed the period otherwise than its overflow alone explains, 0 where it
 * did not, −1 where that is not known. A time off of whole ticks began on one, so there is one in
 * what remains of the interval.
 */
export function voteForPhase(
  { timeNs, offCpuNs }: PeriodSequence,
  departs: Int8Array,
  hz: number,
): PhaseVote {
  const tickNs = tickLengthNs(hz);
  const scale = BINS / tickNs;
  const usual = shareOfDepartures(departs);
  // Differences of neighbouring bins; their running sum is the vote for each bin.
  const steps = new Float64Array(BINS);
  for (let i = 0; i + 1 < timeNs.length; i++) {
    const start = timeNs[i];
    let length = timeNs[i + 1] - start;
    let departed = departs[i];
    if (offCpuNs && isWholeTicks(offCpuNs[i + 1], tickNs)) {
      departed = 1;
      length -= offCpuNs[i + 1];
    }
    if (departed < 0) continue;
    if (!(length > 0) || length >= tickNs) continue;
    const weight = departed - usual;
    const first = Math.min(BINS - 1, Math.floor((start % tickNs) * scale));
    const last = Math.floor(((start % tickNs) + length) * scale);
    steps[first] += weight;
    if (last < BINS) {
      steps[last] -= weight;
    } else {
      steps[0] += weight;
      steps[last - BINS] -= weight;
    }
  }
  return highestPlateau(steps, tickNs);
}

function shareOfDepartures(departs: Int8Array): number {
  let known = 0;
  let departed = 0;
  for (let i = 0; i < departs.length; i++) {
    if (departs[i] < 0) continue;
    known++;
    departed += departs[i];
  }
  return known > 0 ? departed / known : 0;
}

/** The middle of the longest run of bins, round the end, that share the highest vote. */
function highestPlateau(steps: Float64Array, tickNs: number): PhaseVote {
  const votes = new Float64Array(BINS);
  let sum = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (let bin = 0; bin < BINS; bin++) {
    sum += steps[bin];
    votes[bin] = sum;
    if (sum > highest) highest = sum;
  }
  let longest = 0;
  let longestEnd = 0;
  let run = 0;
  for (let k = 0; k < 2 * BINS; k++) {
    run = votes[k % BINS] >= highest - 1e-6 ? run + 1 : 0;
    if (run > longest && run <= BINS) {
      longest = run;
      longestEnd = k;
    }
  }
  const middle = (longestEnd - longest / 2 + 0.5 + BINS) % BINS;
  return { phaseNs: (middle * tickNs) / BINS, score: highest };
}
