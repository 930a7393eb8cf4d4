import { MARK_KINDS, type MarkKind } from '../../../../src/profile/mark-table.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import type { LaneHead } from '../messages/lane-messages.ts';

/** A lane above the tracks: marks of these kinds, or turns of event loops. */
type ProgramLane = LaneHead & { readonly marks?: readonly MarkKind[] };

const TURNS: ProgramLane = { kind: 'turns', title: 'turns' };
const OF_MARKS: readonly (ProgramLane & { readonly marks: readonly MarkKind[] })[] = [
  { kind: 'marks', title: 'requests', marks: ['request'] },
  { kind: 'marks', title: 'measures', marks: ['measure', 'console', 'span'] },
  { kind: 'gc', title: 'GC', marks: ['gc'] },
];

/** The lanes above the tracks: those that a recording has at any time, whatever is in the window. */
export function lanesOf({ turns, marks }: Profile): readonly ProgramLane[] {
  const has = new Set(marks?.kind);
  const ofMarks = OF_MARKS.filter((lane) =>
    lane.marks.some((kind) => has.has(MARK_KINDS.indexOf(kind))),
  );
  return (turns?.length ?? 0) === 0 ? ofMarks : [TURNS, ...ofMarks];
}
