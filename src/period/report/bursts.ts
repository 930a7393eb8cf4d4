// Hot: once per sample.

import type { PeriodSequence } from '../period-sequence.ts';

/**
 * A burst: samples far faster than asked, right after a gap. While events were rare the ticks
 * brought the period down; when they come back, every few of them are a sample.
 *
 *     samples   ●    ●    ●                 ●●●●●●●● ●  ●    ●
 *                             gap           burst
 */
export type Burst = {
  /** Its first fast sample, nanoseconds since the recording's first timestamp. */
  readonly startNs: number;
  readonly gapNs: number;
  readonly samples: number;
  readonly events: number;
  /** Samples per second over the burst. */
  readonly hz: number;
};

export type Bursts = {
  readonly count: number;
  /** Samples in all bursts. */
  readonly samples: number;
  readonly events: number;
  /** Rate of the fastest burst; null without any. */
  readonly peakHz: number | null;
  /** The largest 20, in time order. */
  readonly largest: readonly Burst[];
};

/** A gap: this many samples' worth without one. */
const GAP_SAMPLES = 8;
/** "Far above": this many times the rate asked, from sample to sample. */
const FAST = 4;
/** Number of fast samples in a row. */
const MIN_BURST = 4;
const MAX_LISTED = 20;

/** The bursts of a stream that was to be sampled at `frequencyHz`; the start is not one. */
export function findBursts(sequence: PeriodSequence, frequencyHz: number): Bursts {
  const { length, timeNs, elapsedEvents } = sequence;
  const gapFrom = (GAP_SAMPLES * 1e9) / frequencyHz;
  const fastBelow = 1e9 / frequencyHz / FAST;
  const found: Burst[] = [];
  let samples = 0;
  let events = 0;
  let peakHz = 0;
  for (let i = 1; i < length; i++) {
    const gapNs = timeNs[i] - timeNs[i - 1];
    if (gapNs < gapFrom) continue;
    // The sample that ends the gap may be followed by one with the old, large period.
    let first = i + 1;
    if (first < length && timeNs[first] - timeNs[i] >= fastBelow) first++;
    let end = first;
    let counted = 0;
    while (end < length && timeNs[end] - timeNs[end - 1] < fastBelow) {
      counted += elapsedEvents[end];
      end++;
    }
    if (end - first < MIN_BURST) continue;
    const nanos = timeNs[end - 1] - timeNs[first - 1];
    const hz = nanos > 0 ? ((end - first) * 1e9) / nanos : 0;
    samples += end - first;
    events += counted;
    peakHz = Math.max(peakHz, hz);
    found.push({
      startNs: timeNs[first],
      gapNs,
      samples: end - first,
      events: counted,
      hz,
    });
    i = end - 1;
  }
  const largest = found.slice().sort((a, b) => b.samples - a.samples);
  return {
    count: found.length,
    samples,
    events,
    peakHz: found.length > 0 ? peakHz : null,
    largest: largest.slice(0, MAX_LISTED).sort((a, b) => a.startNs - b.startNs),
  };
}
