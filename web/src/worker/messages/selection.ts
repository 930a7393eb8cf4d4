import type { KindGroup } from '../../../../src/formats/export/kind-group.ts';
import type { FrameEdit } from '../../../../src/profile/analysis/stacks/edit-stacks.ts';
import type { FrameLevel } from '../../../../src/profile/frame-level.ts';
import type { WeightKind } from '../../../../src/profile/types.ts';

/** Which samples, and what each counts for. All views of one page state share it. */
export type Selection = {
  /** EventIndex. */
  readonly event: number;
  readonly weight: WeightKind;
  readonly level: FrameLevel;
  /** ThreadIndex; none: all. */
  readonly threads: readonly number[];
  readonly pid: number | null;
  readonly cpu: number | null;
  /** Milliseconds: in turns of an event loop that took as long or longer; null: whether in any or none. */
  readonly inTurnsOver: number | null;
  /** Nanoseconds since the recording's start; the first moment inside. Null: from the start. */
  readonly fromNs: number | null;
  /** The first moment no longer inside. Null: to the end. */
  readonly toNs: number | null;
  /** Samples whose innermost function is of this group only; null: all. */
  readonly group: KindGroup | null;
  /** Applied in this order, before anything is summed. */
  readonly edits: readonly FrameEdit[];
};

/** The key that all requests of the same samples share; a request has more keys than its selection. */
export function selectionKey(selection: Selection): string {
  const { event, weight, level, threads, pid, cpu, fromNs, toNs, edits, group } = selection;
  const samples = [threads, pid, cpu, selection.inTurnsOver, fromNs, toNs, group];
  return JSON.stringify([event, weight, level, ...samples, edits]);
}
