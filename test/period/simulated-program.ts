import { adjustPeriod } from '../../src/period/controller.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

/** A stretch of a simulated program: events of one function at an even rate. */
export type Run = {
  readonly func: number;
  readonly events: number;
  readonly nanosPerEvent: number;
};

export type SimulatedRecording = {
  readonly input: PeriodInput;
  /** Function that each sample hit. */
  readonly funcs: Int32Array;
  /** The share of the events that each function truly has, from the script itself. */
  readonly trueShares: Float64Array;
};

/** Numbers 0…1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Exponential with this mean, rounded, at least 1. */
export function drawExponential(random: () => number, mean: number): number {
  return Math.max(1, Math.round(-mean * Math.log(1 - random())));
}

/**
 * One task per script, each sampled as the kernel samples a software event: the period adapts to
 * the rate with its lag (`frequencyHz`), or is fixed (`fixedPeriod`).
 */
export function recordScripts(
  scripts: readonly (readonly Run[])[],
  sampling: { readonly frequencyHz: number } | { readonly fixedPeriod: number },
): SimulatedRecording {
  const drawn: DrawnSample[] = [];
  const hit: number[] = [];
  const eventsOf: number[] = [];
  const fixed = 'fixedPeriod' in sampling ? sampling.fixedPeriod : null;
  const frequencyHz = 'frequencyHz' in sampling ? sampling.frequencyHz : 0;
  for (const [stream, runs] of scripts.entries()) {
    let count = 0;
    let timeNs = 0;
    let lastOverflowNs = Number.NaN;
    let inForce = fixed ?? 1;
    let upcoming = fixed ?? 1;
    let left = inForce;
    for (const { func, events, nanosPerEvent } of runs) {
      eventsOf[func] = (eventsOf[func] ?? 0) + events;
      let done = 0;
      while (left <= events - done) {
        done += left;
        const now = timeNs + done * nanosPerEvent;
        drawn.push({ timeNs: now, period: inForce, count: count + done, stream, thread: stream });
        hit.push(func);
        inForce = upcoming;
        left = inForce;
        if (fixed === null && now > lastOverflowNs) {
          upcoming = adjustPeriod(inForce, inForce, now - lastOverflowNs, frequencyHz);
        }
        lastOverflowNs = now;
      }
      left -= events - done;
      count += events;
      timeNs += events * nanosPerEvent;
    }
  }
  const byTime = drawn.map((_, i) => i).sort((a, b) => drawn[a].timeNs - drawn[b].timeNs || a - b);
  const event =
    fixed === null
      ? { ...PAGE_FAULTS, frequencyHz }
      : ({ ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: fixed } as const);
  const trueShares = Float64Array.from(eventsOf, (events) => events ?? 0);
  const total = trueShares.reduce((sum, events) => sum + events, 0);
  return {
    input: recordingOf(
      [event],
      byTime.map((i) => drawn[i]),
    ),
    funcs: Int32Array.from(byTime, (i) => hit[i]),
    trueShares: trueShares.map((events) => events / total),
  };
}
