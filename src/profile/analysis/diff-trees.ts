import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { eachSlice, type Slices } from '../../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';

/** Two trees laid over each other. Its weights are the means of the two recordings' scaled weights. */
export type DiffTree = {
  readonly tree: CallTree;
  /** Per row of `tree`: what this recording has, scaled, less what the other has. */
  readonly delta: Float64Array;
  /** What the other has, scaled. */
  readonly other: Float64Array;
};

/** What the weights of each recording are multiplied by: 1 / its weight makes shares of them. */
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
  const prefix = pairs.first.finish();
  const own = scaledSelf(tree, rowToJoined, length, scales.mine);
  yield;
  const others = scaledSelf(other, otherToJoined, length, scales.other);
  yield;
  const selfSamples = new Int32Array(length);
  for (let row = 0; row < tree.length; row++) {
    selfSamples[rowToJoined[row]] += tree.selfSamples[row];
  }
  for (let row = 0; row < other.length; row++) {
    selfSamples[otherToJoined[row]] += other.selfSamples[row];
  }
  const mineTotal = sumSubtrees(prefix, own);
  const otherTotal = sumSubtrees(prefix, others);
  yield;
  const self = own.map((value, row) => (value + others[row]) / 2);
  return {
    tree: {
      length,
      prefix,
      group: pairs.second.finish(),
      root: new Int32Array(length).fill(NONE),
      self,
      total: sumSubtrees(prefix, self),
      selfSamples,
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

function scaledSelf(
  tree: CallTree,
  rowToJoined: Int32Array,
  length: number,
  scale: number,
): Float64Array {
  const scaled = new Float64Array(length);
  for (let row = 0; row < tree.length; row++) {
    const at = rowToJoined[row];
    scaled[at] = scaled[at] + tree.self[row] * scale;
  }
  return scaled;
}
