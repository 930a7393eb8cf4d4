import type { FrameEdit } from '../../../../src/profile/analysis/stacks/edit-stacks.ts';
import type { FrameLevel } from '../../../../src/profile/frame-level.ts';
import type { WeightKind } from '../../../../src/profile/types.ts';
import type { KindGroup } from './kind-group.ts';

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
  /** Nanoseconds since the recording's start; the first moment inside. Null: from the start. */
  readonly fromNs: number | null;
  /** The first moment no longer inside. Null: to the end. */
  readonly toNs: number | null;
  /** Samples whose innermost function is of this group only; null: all. */
  readonly group: KindGroup | null;
  /** Applied in this order, before anything is summed. */
  readonly edits: readonly FrameEdit[];
};
