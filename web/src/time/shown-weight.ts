import type { ViewState } from '../state.ts';
import type { OpenResult, Unit } from '../worker/messages.ts';
import type { TimeCells } from '../worker/time-messages.ts';

/** What one unit of the weight that `state` chooses is. */
export function unitOf({ events }: OpenResult, { event, weight }: ViewState): Unit {
  if (weight === 'samples') return 'samples';
  if (weight === 'time') return 'nanoseconds';
  return events[event]?.unit ?? 'samples';
}

/** `nanoseconds of cpu-clock`: what the pictures of time show. */
export function weightName(recording: OpenResult, state: ViewState): string {
  const name = recording.events[state.event]?.name ?? '';
  const unit = unitOf(recording, state);
  if (unit === 'nanoseconds') return `time of ${name}`;
  return unit === 'samples' ? `samples of ${name}` : `${name} events`;
}

/** Columns of a strip in the chosen weight, per cell. */
export type WeightedCells = {
  readonly weight: Float64Array;
  /** The part of it that samples in ramps have. */
  readonly ramp: Float64Array;
  /** What was lost, each sample taken for a mean one: its own weight nobody knows. */
  readonly lost: Float64Array;
};

export function weighCells({ samples, weight, ramp, lost }: TimeCells): WeightedCells {
  const mean = sum(samples) === 0 ? 1 : sum(weight) / sum(samples);
  return {
    weight,
    // A cell is a few milliseconds: the samples in it weigh about the same.
    ramp: ramp.map((count, cell) => (count === 0 ? 0 : (weight[cell] * count) / samples[cell])),
    lost: lost.map((count) => count * mean),
  };
}

export function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
