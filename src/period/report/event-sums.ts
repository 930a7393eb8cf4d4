// Hot: once per sample.

import type { StreamContext } from './stream-report.ts';

/** Sums over all samples of one event. */
export type EventSums = {
  /** (Σw)²/Σw² of the events that arrived; null without any. */
  readonly effectiveSamples: number | null;
  /** Σ elapsed events if every sample of the event carries the counter's value, else null. */
  readonly eventsCounted: number | null;
  /** Samples at which a thread was met by another instance than before. */
  readonly migrations: number;
};

/** The sums of every event, in one pass over the samples however many events there are. */
export function sumByEvent(
  context: Pick<StreamContext, 'input' | 'arrivedEvents' | 'elapsedEvents' | 'cameFrom'>,
): EventSums[] {
  const { input, arrivedEvents, elapsedEvents, cameFrom } = context;
  const { length, event, count } = input.samples;
  const events = input.events.length;
  const samples = new Int32Array(events);
  const uncounted = new Int32Array(events);
  const migrations = new Int32Array(events);
  const counted = new Float64Array(events);
  const weights = new Float64Array(events);
  const squares = new Float64Array(events);
  for (let i = 0; i < length; i++) {
    const row = event[i];
    const weight = arrivedEvents[i];
    samples[row]++;
    weights[row] += weight;
    squares[row] += weight * weight;
    if (count === null || Number.isNaN(count[i])) uncounted[row]++;
    else counted[row] += elapsedEvents[i];
    if (cameFrom[i] >= 0) migrations[row]++;
  }
  return input.events.map((_, row) => ({
    effectiveSamples: squares[row] > 0 ? (weights[row] * weights[row]) / squares[row] : null,
    eventsCounted: samples[row] > 0 && uncounted[row] === 0 ? counted[row] : null,
    migrations: migrations[row],
  }));
}
