import type { ViewState } from '../state/state.ts';
import type { OpenResult, Unit } from '../worker/messages/messages.ts';

/** The unit of the weight that `state` chooses. */
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
  return unit === 'events' ? `${name} events` : `${unit} of ${name}`;
}

export function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
