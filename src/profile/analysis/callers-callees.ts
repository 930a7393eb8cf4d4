import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { finish } from '../../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';
import { invertCallTree } from './invert-call-tree.ts';
import { addSelf, addSelfSamples, treeOfPairs } from './join-trees.ts';

/**
 * What one function is called by and what it calls, from the tree of everything. Each path counts at
 * its outermost call of the function, so that recursion counts once.
 *
 *     tree                      callees of work        callers of work
 *     main      self 0          work   total 10        work  total 10
 *     ├ work    self 4          └ leaf total 6         ├ main total 8
 *     │ └ leaf  self 4                                 └ idle total 2
 *     └ idle    self 0
 *       └ work  self 0
 *         └ leaf self 2
 *
 * Both trees have the function as their only root, or no row if it is not in `tree`, which must
 * have no root rows of its own. `isMeant` has a flag for each group of the tree.
 */
export type CallersCallees = {
  readonly callers: CallTree;
  readonly callees: CallTree;
  /** Weight of the samples with the function innermost, and anywhere. */
  readonly self: number;
  readonly total: number;
};

/** Callers lighter than `minWeight` get no callers of their own. */
export function computeCallersCallees(
  tree: CallTree,
  isMeant: Uint8Array,
  minWeight = 0,
): CallersCallees {
  // Hot: once per row. For each row the nearest outermost call at or above it, −1 if there is none.
  const call = new Int32Array(tree.length).fill(NONE);
  const callSelf = new Float64Array(tree.length);
  const callSamples = new Int32Array(tree.length);
  const samplesBelow = sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples));
  let total = 0;
  let self = 0;
  for (let row = 0; row < tree.length; row++) {
    const prefix = tree.prefix[row];
    const isCall = isMeant[tree.group[row]] === 1;
    if (isCall) self += tree.self[row];
    const above = prefix === NONE ? NONE : call[prefix];
    if (above !== NONE) {
      call[row] = above;
    } else if (isCall) {
      call[row] = row;
      callSelf[row] = tree.total[row];
      callSamples[row] = samplesBelow[row];
      total += tree.total[row];
    }
  }
  // Inlined and real calls of the function are one root.
  const first = call.findIndex((row) => row !== NONE);
  const rootGroup = first === NONE ? NONE : tree.group[first];
  const group = tree.group.slice();
  for (let row = 0; row < tree.length; row++) if (call[row] === row) group[row] = rootGroup;
  const joined = { ...tree, group };
  const callers = finish(
    invertCallTree({ ...joined, self: callSelf, selfSamples: callSamples }, minWeight),
  );
  return { callers, callees: joinSubtrees(joined, call), self, total };
}

/** All subtrees at outermost calls laid over each other, below one root. */
// Hot: once per row.
function joinSubtrees(tree: CallTree, call: Int32Array): CallTree {
  const pairs = new PairInterner();
  const newRow = new Int32Array(tree.length).fill(NONE);
  for (let row = 0; row < tree.length; row++) {
    if (call[row] === NONE) continue;
    const parent = call[row] === row ? NONE : newRow[tree.prefix[row]];
    newRow[row] = pairs.intern(parent, tree.group[row]);
  }
  const self = new Float64Array(pairs.length);
  addSelf(self, tree, newRow);
  const selfSamples = new Int32Array(pairs.length);
  addSelfSamples(selfSamples, tree, newRow);
  return { ...tree, ...treeOfPairs(pairs, self, selfSamples) };
}
