import type { ProfileEvent, Weights } from '../../profile/types.ts';

/**
 * The weights with the unit of one event. Weights of a whole recording have the unit that all its
 * events share; with a clock and a counter, that is `events` even for the nanoseconds.
 */
export function withUnitOf(event: ProfileEvent, weights: Weights): Weights {
  const isCount = weights.kind === 'samples' || weights.kind === 'time';
  return isCount ? weights : { ...weights, unit: event.unit };
}

/** The weight and the unit of an export's numbers as text: every export names them. */
export function weightTitle(
  weights: Pick<Weights, 'kind' | 'areOfText' | 'areWaits' | 'areMeasured'> & {
    readonly unit: string;
  },
): string {
  if (weights.areOfText && weights.kind !== 'samples') {
    return `${weights.unit} (the numbers of the imported text)`;
  }
  if (weights.areWaits && weights.kind !== 'samples') return `${weights.unit} (off the CPU)`;
  if (weights.areMeasured && weights.kind !== 'samples') {
    return `${weights.unit} (as each sample measured them)`;
  }
  switch (weights.kind) {
    case 'samples':
      return 'samples';
    case 'period':
      return `${weights.unit} (the period that each sample has in perf)`;
    case 'events':
      return `${weights.unit} (counted since the stream's previous sample)`;
    case 'time':
      return `${weights.unit} (running time since the stream's previous sample)`;
    case 'wall':
      return `${weights.unit} (divided among the threads that ran at a time)`;
  }
}
