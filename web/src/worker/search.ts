import { NONE } from '../../../src/base/brand.ts';
import { nthLargest } from '../../../src/profile/prune-tree.ts';
import type { Matching } from './matching.ts';
import type { FrameKey, SearchResult, Unit } from './messages.ts';
import type { ShownTree } from './selected.ts';

const MOST_HITS = 500;

/** Sums what matches in the whole of `upright`, and lists the rows of `shown` that do. */
export function searchTree(
  upright: ShownTree,
  shown: ShownTree,
  matching: Matching | null,
  unit: Unit,
): SearchResult {
  const all = upright.tree.weight;
  if (matching === null) {
    return { weight: 0, all, unit, functions: 0, hits: [], hitCount: 0, problem: null };
  }
  const { total } = shown.tree;
  const rows = outermostMatches(shown, matching);
  const totals = Float64Array.from(rows, (row) => total[row] as number);
  const least = rows.length > MOST_HITS ? nthLargest(totals, MOST_HITS) : 0;
  const heaviest = [...rows.filter((row) => (total[row] as number) >= least)]
    .sort((a, b) => (total[b] as number) - (total[a] as number) || a - b)
    .slice(0, MOST_HITS);
  let weight = 0;
  // Callers' trees have a path for each match on a stack, so only this one can be added up.
  const uprightRows = shown === upright ? rows : outermostMatches(upright, matching);
  for (const row of uprightRows) weight += upright.tree.total[row] as number;
  return {
    weight,
    all,
    unit,
    functions: matching.functions,
    hits: heaviest.map((row) => ({ path: pathTo(shown, row), total: total[row] as number })),
    hitCount: rows.length,
    problem: matching.problem,
  };
}

/** A match below another one adds nothing. */
// Hot: once per row.
export function outermostMatches({ tree, key }: ShownTree, { isMatch }: Matching): Int32Array {
  const isInside = new Uint8Array(tree.length);
  const found = new Int32Array(tree.length);
  let count = 0;
  for (let row = 0; row < tree.length; row++) {
    const above = tree.prefix[row] as number;
    if (above !== NONE && isInside[above] === 1) isInside[row] = 1;
    else if (isMatch(key[row] as number)) {
      isInside[row] = 1;
      found[count++] = row;
    }
  }
  return found.subarray(0, count);
}

function pathTo({ tree, key }: ShownTree, row: number): FrameKey[] {
  const path: FrameKey[] = [];
  for (let at = row; at !== NONE; at = tree.prefix[at] as number) path.push(key[at] as number);
  return path.reverse();
}
