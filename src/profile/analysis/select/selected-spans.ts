import { marksCalled } from '../../mark-table.ts';
import type { ThreadSpans } from '../../thread-spans.ts';
import { longTurns, type TurnLoop } from '../../turn-table.ts';
import type { Profile } from '../../types.ts';
import type { SampleSelection } from './filter.ts';

/**
 * The spans of threads that samples have to lie in: turns that took long, in marks that are called so; null: they may
 * lie anywhere. `threadOf`: the number by which a thread is asked for. Throws `UsageError` where a recording has no such
 * spans.
 */
export function selectedSpans(
  { turns, marks }: Pick<Profile, 'turns' | 'marks'>,
  { inTurnsOver, inMark }: Pick<SampleSelection, 'inTurnsOver' | 'inMark'>,
  threadOf: (loop: TurnLoop) => number = ({ thread }) => thread,
): ThreadSpans | null {
  const inTurns = inTurnsOver === undefined ? null : longTurns(turns, inTurnsOver, threadOf);
  const inMarks = inMark === undefined ? null : marksCalled(marks, inMark, threadOf);
  return inTurns !== null && inMarks !== null ? inTurns.within(inMarks) : (inTurns ?? inMarks);
}
