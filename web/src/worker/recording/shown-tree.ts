import type { ComputedOnce } from '../../../../src/base/slices.ts';
import type { StepSums } from '../../../../src/profile/analysis/shares/share-steps.ts';
import type { CallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import type { OpenableTree } from '../../../../src/profile/analysis/trees/open-chains.ts';
import type {
  PrunableTree,
  PrunedTree,
} from '../../../../src/profile/analysis/trees/prune-tree.ts';
import type { TreeResult } from '../messages/messages.ts';
import type { Recent } from './recent.ts';

/** A tree, and what its rows are drawn with. */
export type ShownTree = {
  readonly tree: CallTree;
  /** Group per row (`frame-key.ts`). */
  readonly key: Int32Array;
  /** Samples behind each row's total. */
  readonly samples: Float64Array;
  /** Row of `TIERS` that most of a row's weight ran in; 0 where it is not JavaScript. */
  readonly tierOf: (row: number) => number;
  /** Row per sample of the recording, −1: none. Empty for a part of chains. */
  readonly rowOfSample: Int32Array;
  /** The whole tree and the chain of each row, if this is a part of chains. */
  readonly chains?: { readonly of: ShownChains; readonly chain: Int32Array };
  /** Rows of the whole tree below each row, where this is a part of it. */
  readonly rowsBelow?: Float64Array;
  /** Made when they are needed first. */
  prunable?: PrunableTree;
  stepSums?: ComputedOnce<StepSums>;
  drawn?: Recent<DrawnTree>;
  /** First sample in each row's total: the order of time. */
  first?: Int32Array;
};

export type DrawnTree = {
  readonly shown: ShownTree;
  readonly pruned: PrunedTree;
  readonly result: TreeResult;
};

/** A call tree below roots of its own, as chains, and what its rows are drawn with. */
export type ShownChains = {
  readonly openable: OpenableTree;
  /** Chain per sample of the recording, −1: none. */
  readonly chainOfSample: Int32Array;
  /** Samples behind each chain's total. */
  readonly samples: Float64Array;
  /** Group of root 0. */
  readonly rootKey: number;
  readonly tierOfCallNode: (callNode: number) => number;
  readonly drawn: Recent<DrawnTree>;
  /** Made when they are needed first. */
  stepSums?: ComputedOnce<StepSums>;
  /** First sample in each chain's total: the order of time. */
  first?: Int32Array;
};
