import type { DiffTree } from '../../../src/profile/analysis/diff.ts';
import type { Matching } from './matching.ts';
import type { DiffFound } from './messages.ts';
import { outermostMatches, searchTree } from './search.ts';
import type { ShownTree } from './shown-tree.ts';

/** A tree of both recordings, and what is drawn of it. */
type LaidOver = { readonly diff: DiffTree; readonly shown: ShownTree };

/**
 * What `matching` finds in two recordings laid over each other: paths in the tree that is `shown`, and
 * its shares. Those are summed over `upright`: callers' trees have a path for each match on a stack.
 */
export function searchDiff(upright: LaidOver, shown: ShownTree, matching: Matching): DiffFound {
  const { hits, hitCount, functions, problem } = searchTree(
    upright.shown,
    shown,
    matching,
    'samples',
  );
  let share = 0;
  let otherShare = 0;
  for (const row of outermostMatches(upright.shown, matching)) {
    const there = upright.diff.otherShare[row];
    share += there + upright.diff.delta[row];
    otherShare += there;
  }
  return { share, otherShare, functions, hits, hitCount, problem };
}
