import { NONE } from '../../../../src/base/brand.ts';
import { callNodesOf, openChains } from '../../../../src/profile/analysis/trees/open-chains.ts';
import { nthLargest, roomForWanted } from '../../../../src/profile/analysis/trees/prune-tree.ts';
import { type FrameKey, MAX_ROWS } from '../messages/messages.ts';
import type { Matching } from './matching.ts';
import type { ShownChains, ShownTree } from './shown-tree.ts';

/** A row: the chain that it is in, and how many of the chain's rows are above it. */
type ChainRow = { readonly chain: number; readonly at: number };

/** Outermost rows that match, at most one in a chain; ascending. Parallel columns. */
export type ChainMatches = { readonly chain: Int32Array; readonly at: Int32Array };

/** The part of a tree that a picture of it needs. */
export type ShownPart = {
  readonly shown: ShownTree;
  /** Rows that match, those that there may be room for. */
  readonly wanted: Int32Array;
};

/**
 * Opens what is drawn below `zoom`: rows of `leastPart` of the zoomed weight or more, and what matches,
 * as far as `pruneTree` has room for it. What is left out of the part would be folded, whole.
 */
export function openPart(
  chains: ShownChains,
  zoom: readonly FrameKey[],
  leastPart: number,
  matching: Matching | null,
  needsTime: boolean,
): ShownPart {
  const { openable } = chains;
  const { tree, children } = openable;
  const { path, below } = findZoomed(chains, zoom);
  const zoomWeight = below === null ? tree.weight : tree.total[below.chain];
  const open = new Set(path);
  addHeavy(
    chains,
    open,
    below === null ? children.firstRoot : children.firstChild[below.chain],
    zoomWeight * leastPart,
  );
  const wanted = matching === null ? [] : addWanted(chains, open, below, matching);
  const opened = openChains(openable, open);
  const firstRow = new Map<number, number>();
  for (let row = opened.tree.length - 1; row >= 0; row--) {
    firstRow.set(opened.chain[row], row);
  }
  const { group, root, length } = opened.tree;
  const shown: ShownTree = {
    tree: opened.tree,
    key: group.map((own, row) => (root[row] === NONE ? own : chains.rootKey + root[row])),
    samples: Float64Array.from(opened.chain, (chain) => chains.samples[chain]),
    tierOf: (row) => chains.tierOfCallNode(opened.callNode[row]),
    rowOfSample: new Int32Array(0),
    rowsBelow: opened.rowsBelow,
    chains: { of: chains, chain: opened.chain },
  };
  if (needsTime) {
    const first = chains.first as Int32Array;
    shown.first = Int32Array.from({ length }, (_, row) => first[opened.chain[row]]);
  }
  return {
    shown,
    wanted: Int32Array.from(wanted, ({ chain, at }) => (firstRow.get(chain) as number) + at),
  };
}

/** Chains from the root to the row that is zoomed into, as far as it exists; null: all. */
function findZoomed(
  chains: ShownChains,
  zoom: readonly FrameKey[],
): { readonly path: number[]; readonly below: ChainRow | null } {
  const { children } = chains.openable;
  const path: number[] = [];
  let below: ChainRow | null = null;
  let keys: readonly FrameKey[] = [];
  for (const key of zoom) {
    if (below !== null && below.at + 1 < keys.length) {
      if (keys[below.at + 1] !== key) break;
      below = { chain: below.chain, at: below.at + 1 };
      continue;
    }
    let next: number = below === null ? children.firstRoot : children.firstChild[below.chain];
    while (next !== NONE && outermostKey(chains, next) !== key) {
      next = children.nextSibling[next];
    }
    if (next === NONE) break;
    path.push(next);
    keys = keysOf(chains, next);
    below = { chain: next, at: 0 };
  }
  return { path, below };
}

/** Opens `first`, its siblings and what is below them, as far as it is heavy enough. */
function addHeavy(
  { openable: { tree, children } }: ShownChains,
  open: Set<number>,
  first: number,
  leastTotal: number,
): void {
  const heavy: number[] = [];
  const addSiblings = (from: number): void => {
    for (let chain = from; chain !== NONE; chain = children.nextSibling[chain]) {
      if (tree.total[chain] >= leastTotal) heavy.push(chain);
    }
  };
  addSiblings(first);
  for (let i = 0; i < heavy.length; i++) {
    open.add(heavy[i]);
    addSiblings(children.firstChild[heavy[i]]);
  }
}

/** Opens the way to those matches that there may be room for, and returns them, heaviest first. */
function addWanted(
  chains: ShownChains,
  open: Set<number>,
  below: ChainRow | null,
  matching: Matching,
): ChainRow[] {
  const { total, prefix } = chains.openable.tree;
  const matches = matchesInChains(chains, matching);
  const room = roomForWanted(MAX_ROWS);
  const totals = Float64Array.from(matches.chain, (chain) => total[chain]);
  const least = totals.length > room ? nthLargest(totals, room) : 0;
  const heaviest = Array.from(matches.chain.keys())
    .filter((match) => total[matches.chain[match]] >= least)
    .sort((a, b) => total[matches.chain[b]] - total[matches.chain[a]] || a - b);
  const wanted: ChainRow[] = [];
  for (const match of heaviest) {
    if (wanted.length === room) break;
    const row = { chain: matches.chain[match], at: matches.at[match] };
    const way: number[] = [];
    let chain = row.chain;
    for (; chain !== NONE && chain !== below?.chain; chain = prefix[chain]) {
      way.push(chain);
    }
    if (below !== null && (chain === NONE || (row.chain === chain && row.at < below.at))) continue;
    for (const opened of way) open.add(opened);
    wanted.push(row);
  }
  return wanted;
}

/** A match below another one adds nothing. */
// Hot: once per call node, then once per chain.
export function matchesInChains(
  { openable: { tree, callNodes } }: ShownChains,
  { isMatch }: Matching,
): ChainMatches {
  const { prefix, group, length } = callNodes;
  const depth = new Int32Array(length);
  /** The outermost node that matches on the path of each call node. */
  const outermost = new Int32Array(length);
  for (let node = 0; node < length; node++) {
    const above = prefix[node];
    const matched = above === NONE ? NONE : outermost[above];
    depth[node] = above === NONE ? 0 : depth[above] + 1;
    outermost[node] = matched === NONE && isMatch(group[node]) ? node : matched;
  }
  const chains = new Int32Array(tree.length);
  const at = new Int32Array(tree.length);
  let count = 0;
  for (let chain = 0; chain < tree.length; chain++) {
    const node = tree.callNode[chain];
    if (node === NONE) continue;
    const matched = outermost[node];
    if (matched === NONE) continue;
    const rowsBelow = depth[node] - depth[matched];
    const rows = tree.rows[chain];
    // It may be in a chain above.
    if (rowsBelow >= rows) continue;
    chains[count] = chain;
    at[count++] = rows - 1 - rowsBelow;
  }
  return { chain: chains.subarray(0, count), at: at.subarray(0, count) };
}

/** Keys from the root to a row. */
export function pathToRow(chains: ShownChains, chain: number, at: number): FrameKey[] {
  const { prefix } = chains.openable.tree;
  const parts = [keysOf(chains, chain).slice(0, at + 1)];
  for (let above = prefix[chain]; above !== NONE; above = prefix[above]) {
    parts.push(keysOf(chains, above));
  }
  return parts.reverse().flat();
}

function keysOf({ openable, rootKey }: ShownChains, chain: number): FrameKey[] {
  const root = openable.tree.root[chain];
  if (root !== NONE) return [rootKey + root];
  return Array.from(callNodesOf(openable, chain), (node) => openable.callNodes.group[node]);
}

function outermostKey({ openable, rootKey }: ShownChains, chain: number): FrameKey {
  const { tree, callNodes } = openable;
  const root = tree.root[chain];
  if (root !== NONE) return rootKey + root;
  let node = tree.callNode[chain];
  for (let row = tree.rows[chain]; row > 1; row--) node = callNodes.prefix[node];
  return callNodes.group[node];
}
