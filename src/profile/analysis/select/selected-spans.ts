import { spansOfMarks } from '../../mark-table.ts';
import type { SpansOfThreads } from '../../spans-of-threads.ts';
import { longTurns, type TurnLoop } from '../../turn-table.ts';
import type { Profile } from '../../types.ts';

/**
 * The spans of threads that samples have to lie in: turns that took long, in marks that are called so; null: they may
 * lie anywhere. `threadOf`: the number by which a thread is asked for. Throws `UsageError` where a recording has no such
 * spans.
 */
export function selectedSpans(
  { turns, marks }: Pick<Profile, 'turns' | 'marks'>,
  { inTurnsOver, inMark }: { readonly inTurnsOver?: number; readonly inMark?: string },
  threadOf: (loop: TurnLoop) => number = ({ thread }) => thread,
): SpansOfThreads | null {
  const inTurns = inTurnsOver === undefined ? null : longTurns(turns, inTurnsOver, threadOf);
  const inMarks = inMark === undefined ? null : spansOfMarks(marks, inMark, threadOf);
  return inTurns !== null && inMarks !== null ? inTurns.within(inMarks) : (inTurns ?? inMarks);
}
