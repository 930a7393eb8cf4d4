import type { StackTableBuilder } from '../../profile/stack-table.ts';
import type { Profile } from '../../profile/types.ts';
import type { KindFrames } from './kind-frames.ts';

export type FoldedStacks = {
  /** The new row by stack row. */
  readonly newStack: Int32Array;
  /**
   * 1 by stack row: a thread sleeps, and its stack is cut in the C library, so that the thread alone
   * reports whether it has nothing to do.
   */
  readonly isCutSleep?: Uint8Array;
};

export type StackFoldInput = {
  readonly profile: Profile;
  /** Gets the new stacks, and the frames of kinds that they have. */
  readonly builder: StackTableBuilder;
  readonly kinds: KindFrames;
  /** 1 by stack row: the result has its new row; of others it has anything. */
  readonly wanted: Uint8Array;
  /** 1 by stack row: it is wanted, or a caller of one that is. Folds pass over the others. */
  readonly isNeeded: Uint8Array;
};
