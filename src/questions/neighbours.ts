import { NONE } from '../base/brand.ts';
import { mapInts } from '../base/int-column.ts';
import { PairInterner } from '../base/pair-interner.ts';
import type { Slices } from '../base/slices.ts';
import { type CallTree, sumSubtrees } from '../profile/analysis/trees/call-tree.ts';
import { invertCallTree } from '../profile/analysis/trees/invert-call-tree.ts';
import { addSelf, addSelfSamples, treeOfPairs } from '../profile/analysis/trees/join-trees.ts';
import { NO_CALLER_NAME, ROOT_NAME } from '../profile/callers.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

export type NeighbourSide = 'callers' | 'callees';

/** A caller or callee of a function; `func` null: nobody, so that it is the outermost, or runs itself. */
export type NeighbourShare = Share & { readonly func: FuncIndex | null };

/** The name of a neighbour that is no function: without stacks nobody knows who called. */
export function nobodyOf(side: NeighbourSide, hasStacks: boolean): string {
  if (side === 'callees') return '[self]';
  return hasStacks ? ROOT_NAME : NO_CALLER_NAME;
}

/**
 * Finds callers or callees of the functions of `isMeant` (by FuncIndex), heaviest first. Of each
 * stack the outermost call counts, so that recursion counts once, and all shares together are those of the
 * stacks with one of the functions on them:
 *
 *     samples              callers of work     callees of work
 *     main work leaf       main   2            leaf    1
 *     main work work       [root] 1            work    1
 *     work                                     [self]  1
 */
export function* findNeighbours(
  asked: Asked,
  isMeant: Uint8Array,
  side: NeighbourSide,
): Slices<NeighbourShare[]> {
  const { profile } = asked;
  const keys = neighbourOfSample(profile, isMeant, side);
  yield;
  const shares = yield* sharesByKey(asked, keys, profile.funcs.length + 1);
  return shares.map(({ key, ...share }) => ({
    func: key === 0 ? null : ((key - 1) as FuncIndex),
    ...share,
  }));
}

/** FuncIndex + 1; 0: nobody; −1 where none of the functions is on the stack. */
function neighbourOfSample(
  { stacks, frames, samples }: Profile,
  isMeant: Uint8Array,
  side: NeighbourSide,
): Int32Array {
  const { prefix } = stacks;
  const funcs = mapInts(stacks.frame, (frame) => frames.func[frame]);
  const call = outermostCalls(prefix, funcs, isMeant);
  const key = new Int32Array(stacks.length).fill(NONE);
  // Hot: once per stack row.
  for (let row = 0; row < stacks.length; row++) {
    if (call[row] === NONE) continue;
    const above = prefix[row];
    if (call[row] !== row) {
      key[row] = side === 'callees' && call[above] === above ? funcs[row] + 1 : key[above];
    } else {
      key[row] = side === 'callees' || above === NONE ? 0 : funcs[above] + 1;
    }
  }
  return mapInts(samples.stack, (stack) => (stack === NONE ? NONE : key[stack]));
}

/** The outermost call of what is meant, at each row or above it; −1 where there is none. Parents come first. */
// Hot: once per row.
function outermostCalls(prefix: Int32Array, group: Int32Array, isMeant: Uint8Array): Int32Array {
  const call = new Int32Array(prefix.length).fill(NONE);
  for (let row = 0; row < prefix.length; row++) {
    const above = prefix[row] === NONE ? NONE : call[prefix[row]];
    if (above !== NONE) call[row] = above;
    else if (isMeant[group[row]] === 1) call[row] = row;
  }
  return call;
}

/** A tree around functions, which are its only root; no row where they are in no sample. */
export type NeighbourTree = {
  readonly tree: CallTree;
  /** Row of `tree` by row of the tree of everything; −1: none. */
  readonly rowOf: Int32Array;
};

/**
 * Trees of what calls the groups of `isMeant` and of what they call at any depth, from the tree of everything, which must
 * have no root rows of its own. The rows below the roots are those of `findNeighbours`:
 *
 *     tree                      callees of work        callers of work
 *     main      self 0          work   total 10        work  total 10
 *     ├ work    self 4          └ leaf total 6         ├ main total 8
 *     │ └ leaf  self 4                                 └ idle total 2
 *     └ idle    self 0
 *       └ work  self 0
 *         └ leaf self 2
 *
 * Callers lighter than `minWeight` get no callers of their own.
 */
export function* growNeighbours(
  tree: CallTree,
  isMeant: Uint8Array,
  minWeight = 0,
): Slices<Record<NeighbourSide, NeighbourTree>> {
  const call = outermostCalls(tree.prefix, tree.group, isMeant);
  const self = new Float64Array(tree.length);
  const selfSamples = new Int32Array(tree.length);
  const samplesBelow = sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples));
  // Inlined and real calls are one root.
  const first = call.findIndex((row) => row !== NONE);
  const group = tree.group.slice();
  // Hot: once per row.
  for (let row = 0; row < tree.length; row++) {
    if (call[row] !== row) continue;
    self[row] = tree.total[row];
    selfSamples[row] = samplesBelow[row];
    group[row] = tree.group[first];
  }
  yield;
  const callerOf = new Int32Array(tree.length).fill(NONE);
  const calls = { ...tree, group, self, selfSamples };
  const callers = yield* invertCallTree(calls, minWeight, callerOf);
  const rowOf = mapInts(call, (row) => (row === NONE ? NONE : callerOf[row]));
  return {
    callers: { tree: callers, rowOf },
    callees: joinSubtrees({ ...tree, group }, call),
  };
}

/** All subtrees at outermost calls laid over each other, below one root. */
// Hot: once per row.
function joinSubtrees(tree: CallTree, call: Int32Array): NeighbourTree {
  const pairs = new PairInterner();
  const rowOf = new Int32Array(tree.length).fill(NONE);
  for (let row = 0; row < tree.length; row++) {
    if (call[row] === NONE) continue;
    const parent = call[row] === row ? NONE : rowOf[tree.prefix[row]];
    rowOf[row] = pairs.intern(parent, tree.group[row]);
  }
  const self = new Float64Array(pairs.length);
  addSelf(self, tree, rowOf);
  const selfSamples = new Int32Array(pairs.length);
  addSelfSamples(selfSamples, tree, rowOf);
  return { tree: { ...tree, ...treeOfPairs(pairs, self, selfSamples) }, rowOf };
}
