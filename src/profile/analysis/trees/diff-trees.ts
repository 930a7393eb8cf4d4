import { NONE } from '../../../base/brand.ts';
import { PairInterner } from '../../../base/pair-interner.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';
import { addSelf, addSelfSamples, treeOfPairs } from './join-trees.ts';

/** The trees of two sides laid over each other. Its weights are the means of both sides' scaled weights. */
export type DiffTree = {
  readonly tree: CallTree;
  /** Per row of `tree`: the total on this side less that on the other, both scaled. */
  readonly delta: Float64Array;
  /** Total of the row on the other side, scaled. */
  readonly other: Float64Array;
};

/** The tree of one recording of a side. It has no root rows. */
export type ScaledTree = {
  readonly tree: CallTree;
  /** The group that a function has in all trees, by its group in this tree. */
  readonly groups: Int32Array;
  /** Factor of its weights: 1 / its weight makes shares of them. */
  readonly scale: number;
};

/**
 * Lays the trees of both sides over each other. Width by the mean of both sides, so that functions that
 * only one of them has are seen too.
 */
export function* diffTrees(
  mine: readonly ScaledTree[],
  others: readonly ScaledTree[],
): Slices<DiffTree> {
  const pairs = new PairInterner();
  const all = [...mine, ...others];
  const rowsToJoined: Int32Array[] = [];
  for (const run of all) rowsToJoined.push(yield* addRows(pairs, run));
  const { length } = pairs;
  const own = new Float64Array(length);
  const other = new Float64Array(length);
  const selfSamples = new Int32Array(length);
  for (const [run, { tree, scale }] of all.entries()) {
    addSelf(run < mine.length ? own : other, tree, rowsToJoined[run], scale);
    addSelfSamples(selfSamples, tree, rowsToJoined[run]);
    yield;
  }
  const self = own.map((value, row) => (value + other[row]) / 2);
  const joined = treeOfPairs(pairs, self, selfSamples);
  yield;
  const mineTotal = sumSubtrees(joined.prefix, own);
  const otherTotal = sumSubtrees(joined.prefix, other);
  const scaled = (key: 'weight' | 'withoutStack') =>
    all.reduce((sum, { tree, scale }) => sum + tree[key] * scale, 0);
  return {
    tree: {
      ...joined,
      weight: scaled('weight') / 2,
      lost: 0,
      samples: all.reduce((sum, { tree }) => sum + tree.samples, 0),
      withoutStack: scaled('withoutStack') / 2,
    },
    delta: mineTotal.map((value, row) => value - otherTotal[row]),
    other: otherTotal,
  };
}

// Hot: once per row.
function* addRows(
  pairs: PairInterner,
  { tree: { prefix, group, length }, groups }: ScaledTree,
): Slices<Int32Array> {
  const joined = new Int32Array(length);
  yield* eachSlice(length, (first, end) => {
    for (let row = first; row < end; row++) {
      const caller = prefix[row];
      joined[row] = pairs.intern(caller === NONE ? NONE : joined[caller], groups[group[row]]);
    }
  });
  return joined;
}
