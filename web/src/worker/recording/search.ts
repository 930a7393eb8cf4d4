import { NONE } from '../../../../src/base/brand.ts';
import { nthLargest } from '../../../../src/profile/analysis/trees/prune-tree.ts';
import type { FrameKey, SearchResult, Unit } from '../messages/messages.ts';
import type { Matching } from './matching.ts';
import { matchesInChains, pathToRow } from './shown-chains.ts';
import type { ShownChains, ShownTree } from './shown-tree.ts';

const MOST_HITS = 500;

/** Sums what matches in the whole of `upright`, and lists the rows of `shown` that do. */
export function searchTree(
  upright: ShownTree,
  shown: ShownTree,
  matching: Matching | null,
  unit: Unit,
): SearchResult {
  const all = upright.tree.weight;
  if (matching === null) return nothingFound(all, unit);
  const { total } = shown.tree;
  const rows = outermostMatches(shown, matching);
  let weight = 0;
  // Callers' trees have a path for each match on a stack, so only this one can be added up.
  const uprightRows = shown === upright ? rows : outermostMatches(upright, matching);
  for (const row of uprightRows) weight += upright.tree.total[row];
  return {
    weight,
    all,
    unit,
    functions: matching.functions,
    hits: heaviestHits(rows, total, matching, (at) => pathTo(shown, rows[at])),
    hitCount: rows.length,
    problem: matching.problem,
  };
}

/** Searches a tree below roots of its own. */
export function searchChains(
  chains: ShownChains,
  matching: Matching | null,
  unit: Unit,
): SearchResult {
  const { weight: all, total } = chains.openable.tree;
  if (matching === null) return nothingFound(all, unit);
  const { chain, at } = matchesInChains(chains, matching);
  let weight = 0;
  for (const row of chain) weight += total[row];
  return {
    weight,
    all,
    unit,
    functions: matching.functions,
    hits: heaviestHits(chain, total, matching, (hit) => pathToRow(chains, chain[hit], at[hit])),
    hitCount: chain.length,
    problem: matching.problem,
  };
}

function nothingFound(all: number, unit: Unit): SearchResult {
  return { weight: 0, all, unit, functions: 0, hits: [], hitCount: 0, problem: null };
}

/** The rows, ascending, that have the largest totals; `pathOf` is asked by place in `rows`. */
function heaviestHits(
  rows: Int32Array,
  total: Float64Array,
  { labelOf }: Matching,
  pathOf: (at: number) => FrameKey[],
): SearchResult['hits'] {
  const totals = Float64Array.from(rows, (row) => total[row]);
  const least = rows.length > MOST_HITS ? nthLargest(totals.slice(), MOST_HITS) : 0;
  return Array.from(rows.keys())
    .filter((at) => totals[at] >= least)
    .sort((a, b) => totals[b] - totals[a] || a - b)
    .slice(0, MOST_HITS)
    .map((at) => {
      const path = pathOf(at);
      return { path, total: totals[at], ...labelOf(path[path.length - 1]) };
    });
}

/** A match below another one adds nothing. */
// Hot: once per row.
export function outermostMatches({ tree, key }: ShownTree, { isMatch }: Matching): Int32Array {
  const isInside = new Uint8Array(tree.length);
  const found = new Int32Array(tree.length);
  let count = 0;
  for (let row = 0; row < tree.length; row++) {
    const above = tree.prefix[row];
    if (above !== NONE && isInside[above] === 1) isInside[row] = 1;
    else if (isMatch(key[row])) {
      isInside[row] = 1;
      found[count++] = row;
    }
  }
  return found.subarray(0, count);
}

function pathTo({ tree, key }: ShownTree, row: number): FrameKey[] {
  const path: FrameKey[] = [];
  for (let at = row; at !== NONE; at = tree.prefix[at]) path.push(key[at]);
  return path.reverse();
}
