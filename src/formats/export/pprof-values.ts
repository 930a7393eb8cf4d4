import type { ProfileEvent, Weights } from '../../profile/types.ts';
import { withUnitOf } from './weight-title.ts';

/** A column of values: what is counted, in what unit. */
export type PprofValueType = { readonly type: string; readonly unit: string };

/**
 * The value columns of a file: two for each event, its samples and its weight.
 *
 *   cycles alone              samples/count  cycles/events
 *   a clock alone             samples/count  cpu/nanoseconds         what pprof calls CPU time
 *   several                   cycles_samples/count  cycles/events  page-faults_samples/count  …
 *   --weight time             samples/count  time/nanoseconds
 *   --weight samples          samples/count
 *
 * Columns of different events are kept apart: a sum over them would mean nothing.
 */
export type PprofValues = {
  readonly types: readonly PprofValueType[];
  /** The columns of each event's samples and of its weight; the same where samples are weighed. */
  readonly countColumn: readonly number[];
  readonly weightColumn: readonly number[];
};

/** The columns for the events `shown`, in their order. */
export function pprofValues(
  events: readonly ProfileEvent[],
  shown: readonly number[],
  weights: Weights,
): PprofValues {
  const types: PprofValueType[] = [];
  const countColumn: number[] = [];
  const weightColumn: number[] = [];
  const isOnlyOne = shown.length === 1;
  for (const index of shown) {
    const event = events[index];
    const prefix = isOnlyOne ? '' : `${event.name}_`;
    countColumn[index] = types.push({ type: `${prefix}samples`, unit: 'count' }) - 1;
    if (weights.kind === 'samples') weightColumn[index] = countColumn[index];
    else weightColumn[index] = types.push(weightType(event, weights, prefix)) - 1;
  }
  return { types, countColumn, weightColumn };
}

/** The unit and meaning of an event's weights. */
export function weightType(event: ProfileEvent, weights: Weights, prefix = ''): PprofValueType {
  const { unit } = withUnitOf(event, weights);
  if (weights.kind === 'samples') return { type: `${prefix}samples`, unit: 'count' };
  if (weights.kind === 'time') return { type: `${prefix}time`, unit };
  const isCpuTime = prefix === '' && event.mode === 'clock';
  return { type: isCpuTime ? 'cpu' : event.name, unit };
}
