import { NONE } from '../../../base/brand.ts';
import type { PairInterner } from '../../../base/pair-interner.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';

/**
 * The tree whose rows are `pairs` of a caller's row, −1 at a root, and a group. `self` and
 * `selfSamples` are by its rows.
 */
export function treeOfPairs(
  pairs: PairInterner,
  self: Float64Array,
  selfSamples: Int32Array,
): Pick<CallTree, 'length' | 'prefix' | 'group' | 'root' | 'self' | 'total' | 'selfSamples'> {
  const { length } = pairs;
  const prefix = pairs.first.finish();
  return {
    length,
    prefix,
    group: pairs.second.finish(),
    root: new Int32Array(length).fill(NONE),
    self,
    total: sumSubtrees(prefix, self),
    selfSamples,
  };
}

/**
 * Adds the self weights of a tree, times `scale`, to the rows of another one that its rows have
 * become; rows that became none (−1) are left out.
 */
// Hot: once per row.
export function addSelf(
  sums: Float64Array,
  tree: CallTree,
  rowToJoined: Int32Array,
  scale = 1,
): void {
  for (let row = 0; row < tree.length; row++) {
    const joined = rowToJoined[row];
    if (joined !== NONE) sums[joined] = sums[joined] + tree.self[row] * scale;
  }
}

/** Adds the numbers of samples in the same way. */
// Hot: once per row.
export function addSelfSamples(sums: Int32Array, tree: CallTree, rowToJoined: Int32Array): void {
  for (let row = 0; row < tree.length; row++) {
    const joined = rowToJoined[row];
    if (joined !== NONE) sums[joined] = sums[joined] + tree.selfSamples[row];
  }
}
