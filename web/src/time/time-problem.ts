import type { OpenResult } from '../worker/messages/messages.ts';

/** Why this recording has no picture over time, in a sentence; null: it has one. */
export function timeProblem({ events, endNs }: OpenResult): string | null {
  const samples = events.reduce((sum, event) => sum + event.samples, 0);
  if (samples === 0) return 'Nothing to show over time: the recording has no samples.';
  if (endNs > 0) return null;
  return samples === 1
    ? 'One sample is a moment: there is nothing to show over time.'
    : 'The samples have no time stamps: nothing can be shown over time.';
}
