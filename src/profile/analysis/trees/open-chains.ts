import { NONE } from '../../../base/brand.ts';
import type { Slices } from '../../../base/slices.ts';
import type { CallNodeTable } from './call-nodes.ts';
import { type CallTree, type ChildLists, computeChildLists, sumSubtrees } from './call-tree.ts';
import type { ChainTree } from './chain-tree.ts';

/** A tree of chains with the way down, made once for many openings of it. */
export type OpenableTree = {
  readonly tree: ChainTree;
  readonly callNodes: CallNodeTable;
  readonly children: ChildLists;
  /** Rows of the call tree below each chain's outermost row, itself included. */
  readonly rowsBelow: Float64Array;
};

export function* prepareOpening(tree: ChainTree, callNodes: CallNodeTable): Slices<OpenableTree> {
  const children = computeChildLists(tree.prefix);
  yield;
  const rowsBelow = sumSubtrees(tree.prefix, new Float64Array(tree.rows));
  yield;
  return { tree, callNodes, children, rowsBelow };
}

/**
 * A part of a call tree: all rows of chains that are open, and the outermost row of each chain that
 * an open one calls or that is a root. They are in the call tree's order.
 *
 *     chains, those with + open         part of the call tree     rowsBelow
 *   + worker 7              10          worker 7        10            6
 *   + └ main, serve         10          └ main          10            5
 *       ├ parse              6            └ serve       10            4
 *       └ write, flush       4              ├ parse      6            1
 *                                           └ write      4            2
 */
export type OpenedChains = {
  readonly tree: CallTree;
  /** Call node of each row, −1 in root rows of their own. */
  readonly callNode: Int32Array;
  /** Chain of each row. */
  readonly chain: Int32Array;
  /** Rows of the whole call tree below each row, itself included. */
  readonly rowsBelow: Float64Array;
};

/** Opens those chains of `open` whose callers are open, too. */
export function openChains(openable: OpenableTree, open: ReadonlySet<number>): OpenedChains {
  const { tree: chains, callNodes } = openable;
  const shown = shownChains(openable, open);
  let length = 0;
  for (const chain of shown) length += open.has(chain) ? chains.rows[chain] : 1;
  const prefix = new Int32Array(length);
  const group = new Int32Array(length);
  const root = new Int32Array(length);
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  const selfSamples = new Int32Array(length);
  const callNode = new Int32Array(length);
  const chainOfRow = new Int32Array(length);
  const rowsBelow = new Float64Array(length);
  /** Innermost row of each open chain. */
  const innermost = new Map<number, number>();
  let first = 0;
  for (const chain of shown) {
    const rows = chains.rows[chain];
    const shownRows = open.has(chain) ? rows : 1;
    // Call nodes are known from the innermost row outwards.
    let node = chains.callNode[chain];
    for (let at = rows - 1; at >= 0; at--) {
      if (at < shownRows) {
        const row = first + at;
        prefix[row] = row - 1;
        callNode[row] = node;
        group[row] = node === NONE ? NONE : callNodes.group[node];
        root[row] = chains.root[chain];
        total[row] = chains.total[chain];
        chainOfRow[row] = chain;
        rowsBelow[row] = openable.rowsBelow[chain] - at;
      }
      if (node !== NONE) node = callNodes.prefix[node];
    }
    const above = chains.prefix[chain];
    prefix[first] = above === NONE ? NONE : (innermost.get(above) as number);
    first += shownRows;
    if (shownRows < rows) continue;
    innermost.set(chain, first - 1);
    self[first - 1] = chains.self[chain];
    selfSamples[first - 1] = chains.selfSamples[chain];
  }
  const { weight, lost, samples, withoutStack } = chains;
  const counts = { weight, lost, samples, withoutStack };
  const tree = { length, prefix, group, root, self, total, selfSamples, ...counts };
  return { tree, callNode, chain: chainOfRow, rowsBelow };
}

/** Chains with a row in the part, ascending. */
function shownChains({ children }: OpenableTree, open: ReadonlySet<number>): Int32Array {
  const { firstRoot, firstChild, nextSibling } = children;
  const shown: number[] = [];
  const addChildren = (first: number): void => {
    for (let chain = first; chain !== NONE; chain = nextSibling[chain]) {
      shown.push(chain);
    }
  };
  addChildren(firstRoot);
  for (let i = 0; i < shown.length; i++) {
    const chain = shown[i];
    if (open.has(chain)) addChildren(firstChild[chain]);
  }
  return Int32Array.from(shown).sort();
}

/** Call nodes of a chain's rows, outermost first; empty in root rows of their own. */
export function callNodesOf({ tree, callNodes }: OpenableTree, chain: number): Int32Array {
  let node = tree.callNode[chain];
  if (node === NONE) return new Int32Array(0);
  const found = new Int32Array(tree.rows[chain]);
  for (let at = found.length - 1; at >= 0; at--) {
    found[at] = node;
    node = callNodes.prefix[node];
  }
  return found;
}
