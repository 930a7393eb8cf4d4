import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { eachSlice, type Slices } from '../../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';
import { addSelf, addSelfSamples, treeOfPairs } from './join-trees.ts';

/** Two trees laid over each other. Its weights are the means of the two recordings' scaled weights. */
export type DiffTree = {
  readonly tree: CallTree;
  /** Per row of `tree`: the total in this recording less that in the other, both scaled. */
  readonly delta: Float64Array;
  /** Total of the row in the other recording, scaled. */
  readonly other: Float64Array;
};

/** Factors of the weights of each recording: 1 / its weight makes shares of them. */
export type DiffScales = { readonly mine: number; readonly other: number };

/**
 * Lays `other` over `tree`. Its groups become those of `tree` by `otherGroupToGroup`. Width by the
 * mean of both, so that functions that only one of them has are seen too. Neither has root rows.
 */
export function* diffTrees(
  tree: CallTree,
  other: CallTree,
  otherGroupToGroup: Int32Array,
  scales: DiffScales,
): Slices<DiffTree> {
  const pairs = new PairInterner();
  const rowToJoined = yield* addRows(pairs, tree, null);
  const otherToJoined = yield* addRows(pairs, other, otherGroupToGroup);
  const { length } = pairs;
  const own = new Float64Array(length);
  addSelf(own, tree, rowToJoined, scales.mine);
  yield;
  const others = new Float64Array(length);
  addSelf(others, other, otherToJoined, scales.other);
  yield;
  const selfSamples = new Int32Array(length);
  addSelfSamples(selfSamples, tree, rowToJoined);
  addSelfSamples(selfSamples, other, otherToJoined);
  const self = own.map((value, row) => (value + others[row]) / 2);
  const joined = treeOfPairs(pairs, self, selfSamples);
  yield;
  const mineTotal = sumSubtrees(joined.prefix, own);
  const otherTotal = sumSubtrees(joined.prefix, others);
  return {
    tree: {
      ...joined,
      weight: (tree.weight * scales.mine + other.weight * scales.other) / 2,
      lost: 0,
      samples: tree.samples + other.samples,
      withoutStack: (tree.withoutStack * scales.mine + other.withoutStack * scales.other) / 2,
    },
    delta: mineTotal.map((value, row) => value - otherTotal[row]),
    other: otherTotal,
  };
}

// Hot: once per row.
function* addRows(
  pairs: PairInterner,
  { prefix, group, length }: CallTree,
  groupToGroup: Int32Array | null,
): Slices<Int32Array> {
  const joined = new Int32Array(length);
  yield* eachSlice(length, (first, end) => {
    for (let row = first; row < end; row++) {
      const caller = prefix[row];
      const own = group[row];
      joined[row] = pairs.intern(
        caller === NONE ? NONE : joined[caller],
        groupToGroup === null ? own : groupToGroup[own],
      );
    }
  });
  return joined;
}
