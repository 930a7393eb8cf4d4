import type { Weights } from '../profile/types.ts';

/** What the numbers of an export are, in words: every export names its weight and unit. */
export function weightTitle(weights: Weights): string {
  switch (weights.kind) {
    case 'samples':
      return 'samples';
    case 'period':
      return `${weights.unit} (the period that each sample reports)`;
    case 'events':
      return `${weights.unit} (counted since the stream's previous sample)`;
    case 'time':
      return `${weights.unit} (running time since the stream's previous sample)`;
  }
}
