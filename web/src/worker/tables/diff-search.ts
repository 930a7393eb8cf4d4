import type { DiffTree } from '../../../../src/profile/analysis/trees/diff-trees.ts';
import type { DiffFound } from '../messages/messages.ts';
import type { Matching } from '../recording/matching.ts';
import { outermostMatches, searchTree } from '../recording/search.ts';
import type { ShownTree } from '../recording/shown-tree.ts';

/** A tree of both recordings, and what is drawn of it. */
type LaidOver = { readonly diff: DiffTree; readonly shown: ShownTree };

/** The weight of all of either recording, as the tree of both has it. */
type ScaledWeights = { readonly mine: number; readonly other: number };

/**
 * The matches that `matching` finds in two recordings laid over each other: paths in the tree that is `shown`, and its
 * shares. Those are summed over `upright`: callers' trees have a path for each match on a stack.
 */
export function searchDiff(
  upright: LaidOver,
  shown: ShownTree,
  matching: Matching,
  all: ScaledWeights,
): DiffFound {
  const { hits, hitCount, functions, problem } = searchTree(
    upright.shown,
    shown,
    matching,
    'samples',
  );
  let mine = 0;
  let other = 0;
  for (const row of outermostMatches(upright.shown, matching)) {
    const there = upright.diff.other[row];
    mine += there + upright.diff.delta[row];
    other += there;
  }
  const share = all.mine > 0 ? mine / all.mine : 0;
  const otherShare = all.other > 0 ? other / all.other : 0;
  return { share, otherShare, functions, hits, hitCount, problem };
}
