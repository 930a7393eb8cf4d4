import { NONE } from '../../../base/brand.ts';
import { GrowableInt32, grownFloat64, grownInt32 } from '../../../base/growable-columns.ts';
import type { IntColumn } from '../../../base/int-column.ts';
import { eachSlice, finish, type Slices } from '../../../base/slices.ts';
import type { Profile, Weights } from '../../types.ts';
import { groupSamples } from '../select/filter.ts';
import type { CallNodeTable } from './call-nodes.ts';

/**
 * The tree of calls, with the weight spent in each: the call nodes that a selection of samples
 * touches, with their weights.
 *
 *   group   prefix  self  total
 *   main      −1      0     10
 *   work       0      4     10       total = self + Σ total of the children
 *   leaf       1      6      6
 *
 * Parents come before children. The tree of callers (`invert-call-tree.ts`) has the same shape.
 */
export type CallTree = {
  readonly length: number;
  /** Row of the caller, −1 at a root. Always smaller than the row's own index. */
  readonly prefix: Int32Array;
  /** FuncIndex (or the group that `computeCallNodes` was given), −1 in a root row of its own. */
  readonly group: Int32Array;
  /** The root that a root row stands for (see `TreeRoots`), −1 in rows that stand for code. */
  readonly root: Int32Array;
  /** Weight of the samples whose innermost frame this is. */
  readonly self: Float64Array;
  /** Weight of the samples that passed through here. */
  readonly total: Float64Array;
  /** How many samples are behind `self`. */
  readonly selfSamples: Int32Array;
  /** Weight of all selected samples, those without a stack and what was lost included. */
  readonly weight: number;
  /** Part of `weight` that no sample shows: a root row of its own if it is not 0. */
  readonly lost: number;
  /** How many samples were selected. */
  readonly samples: number;
  /** Weight of the samples without any frame that no root row accounts for. */
  readonly withoutStack: number;
};

/** Puts a row of its own above the outermost frames: the comm, for one. */
export type TreeRoots = {
  /** Parallel to the sample table; values 0 … `count` − 1. */
  readonly rootOfSample: IntColumn;
  readonly count: number;
};

/** A tree, and where its rows come from. */
export type CallTreeWithRows = {
  readonly tree: CallTree;
  /** Each sample's row, parallel to the sample table, −1 where it has none. */
  readonly rowOfSample: Int32Array;
  /** Call node of each row, −1 in root rows of their own. */
  readonly callNode: Int32Array;
};

/** The call tree of `samples` (indexes into the sample table), weighed by `weights`. */
export function computeCallTree(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  roots?: TreeRoots,
): CallTree {
  const builder = finish(buildTree(profile, callNodes, weights, samples, roots, null));
  return builder.finish(samples.length);
}

export function* computeCallTreeWithRows(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  roots?: TreeRoots,
): Slices<CallTreeWithRows> {
  const rowOfSample = new Int32Array(profile.samples.length).fill(NONE);
  const builder = yield* buildTree(profile, callNodes, weights, samples, roots, rowOfSample);
  const tree = builder.finish(samples.length);
  return { tree, rowOfSample, callNode: builder.finishCallNodes() };
}

function* buildTree(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  roots: TreeRoots | undefined,
  rowOfSample: Int32Array | null,
): Slices<CallTreeBuilder> {
  const builder = new CallTreeBuilder(profile, callNodes, weights, rowOfSample);
  if (roots === undefined) {
    builder.begin(NONE);
    yield* eachSlice(samples.length, (first, end) => builder.addSamples(samples, first, end));
  } else {
    const groups = finish(groupSamples(samples, roots.rootOfSample, roots.count));
    for (let root = 0; root < roots.count; root++) {
      const start = groups.starts[root];
      const end = groups.starts[root + 1];
      if (start === end) continue;
      builder.begin(root);
      builder.addSamples(groups.samples, start, end);
      yield;
    }
  }
  builder.addLost(profile.lostStack, weights, samples);
  return builder;
}

class CallTreeBuilder {
  readonly #sampleStack: IntColumn;
  readonly #weights: Float64Array;
  readonly #callNodes: CallNodeTable;
  #length = 0;
  #prefix = new Int32Array(FIRST_CAPACITY);
  /** Call node of each row; in root rows of their own `ROOTS` less the root. */
  #callNode = new Int32Array(FIRST_CAPACITY);
  #self = new Float64Array(FIRST_CAPACITY);
  #selfSamples = new Int32Array(FIRST_CAPACITY);
  /** Row made for each call node below the current root; −1, or an older root's, if not yet. */
  readonly #callNodeToRow: Int32Array;
  /** Call nodes between a sample's stack and the nearest one that has its row, inner first. */
  #pending = new GrowableInt32(64);
  readonly #rowOfSample: Int32Array | null;
  #firstRow = 0;
  #rootRow: number = NONE;
  #weight = 0;
  #weightOfRoot = 0;
  #lost = 0;
  #withoutStack = 0;

  constructor(
    profile: Profile,
    callNodes: CallNodeTable,
    weights: Weights,
    rowOfSample: Int32Array | null,
  ) {
    this.#rowOfSample = rowOfSample;
    if (weights.values.length !== profile.samples.length) {
      throw new RangeError(
        `expected a weight for each of ${profile.samples.length} samples, got ${weights.values.length}`,
      );
    }
    this.#sampleStack = profile.samples.stack;
    this.#weights = weights.values;
    this.#callNodes = callNodes;
    this.#callNodeToRow = new Int32Array(callNodes.length).fill(NONE);
  }

  /** `root` −1: the outermost frames are the roots. Each root may be begun once. */
  begin(root: number): void {
    this.#weight += this.#weightOfRoot;
    this.#weightOfRoot = 0;
    this.#firstRow = this.#length;
    this.#rootRow = root === NONE ? NONE : this.#addRow(NONE, ROOTS - root);
  }

  /** Samples below the root that was begun last. */
  // Hot: once per sample.
  addSamples(samples: Int32Array, start: number, end: number): void {
    const sampleStack = this.#sampleStack;
    const stackToCallNode = this.#callNodes.stackToCallNode;
    const weights = this.#weights;
    const callNodeToRow = this.#callNodeToRow;
    const rowOfSample = this.#rowOfSample;
    // Rows of earlier roots are below this bound, so they need not be cleared.
    const firstRow = this.#firstRow;
    const rootRow = this.#rootRow;
    let weightOfRoot = this.#weightOfRoot;
    for (let i = start; i < end; i++) {
      const sample = samples[i];
      const weight = weights[sample];
      const stack = sampleStack[sample];
      let row = rootRow;
      if (stack !== NONE) {
        const callNode = stackToCallNode[stack];
        row = callNodeToRow[callNode];
        if (row < firstRow || row === NONE) row = this.#addPath(callNode, firstRow, rootRow);
      }
      weightOfRoot += weight;
      if (rowOfSample !== null) rowOfSample[sample] = row;
      if (row === NONE) {
        this.#withoutStack += weight;
      } else {
        this.#self[row] = this.#self[row] + weight;
        this.#selfSamples[row] = this.#selfSamples[row] + 1;
      }
    }
    this.#weightOfRoot = weightOfRoot;
  }

  /** Adds what was lost before the samples, as a root even where comms are the roots. */
  addLost(lostStack: number, { lostBefore }: Weights, samples: Int32Array): void {
    if (lostBefore === undefined || lostStack === NONE) return;
    for (let i = 0; i < samples.length; i++) this.#lost += lostBefore[samples[i]];
    if (this.#lost === 0) return;
    const callNode = this.#callNodes.stackToCallNode[lostStack];
    const row = this.#addPath(callNode, this.#length, NONE);
    this.#self[row] = this.#lost;
  }

  /** Adds rows for `callNode` and for those of its callers that have none; returns its row. */
  #addPath(callNode: number, firstRow: number, rootRow: number): number {
    const { prefix } = this.#callNodes;
    const pending = this.#pending;
    pending.length = 0;
    let row = rootRow;
    for (let node = callNode; node !== NONE; node = prefix[node]) {
      const known = this.#callNodeToRow[node];
      if (known !== NONE && known >= firstRow) {
        row = known;
        break;
      }
      pending.push(node);
    }
    for (let i = pending.length - 1; i >= 0; i--) {
      const node = pending.array[i];
      row = this.#addRow(row, node);
      this.#callNodeToRow[node] = row;
    }
    return row;
  }

  #addRow(prefix: number, callNode: number): number {
    const row = this.#length++;
    if (row === this.#prefix.length) this.#grow();
    this.#prefix[row] = prefix;
    this.#callNode[row] = callNode;
    return row;
  }

  #grow(): void {
    const capacity = this.#prefix.length * 2;
    this.#prefix = grownInt32(this.#prefix, capacity);
    this.#callNode = grownInt32(this.#callNode, capacity);
    this.#self = grownFloat64(this.#self, capacity);
    this.#selfSamples = grownInt32(this.#selfSamples, capacity);
  }

  finishCallNodes(): Int32Array {
    const nodes = this.#callNode.slice(0, this.#length);
    for (let row = 0; row < nodes.length; row++) {
      if (nodes[row] <= ROOTS) nodes[row] = NONE;
    }
    return nodes;
  }

  finish(samples: number): CallTree {
    const length = this.#length;
    const prefix = this.#prefix.slice(0, length);
    const self = this.#self.slice(0, length);
    const groups = this.#callNodes.group;
    const group = new Int32Array(length);
    const root = new Int32Array(length);
    // Hot: once per row.
    for (let row = 0; row < length; row++) {
      const node = this.#callNode[row];
      group[row] = node <= ROOTS ? NONE : groups[node];
      root[row] = node <= ROOTS ? ROOTS - node : NONE;
    }
    return {
      length,
      prefix,
      group,
      root,
      self,
      total: sumSubtrees(prefix, self),
      selfSamples: this.#selfSamples.slice(0, length),
      weight: this.#weight + this.#weightOfRoot + this.#lost,
      lost: this.#lost,
      samples,
      withoutStack: this.#withoutStack,
    };
  }
}

const FIRST_CAPACITY = 1024;
/** Entry of root 0 in the column of call nodes. */
const ROOTS = -2;

/** Each row's own value plus those of all rows below it: one pass from the last row to the first. */
export function sumSubtrees(prefix: Int32Array, self: Float64Array): Float64Array {
  const total = self.slice();
  // Hot: once per row.
  for (let row = total.length - 1; row >= 0; row--) {
    const caller = prefix[row];
    if (caller !== NONE) total[caller] = total[caller] + total[row];
  }
  return total;
}

/** The children of every row as linked lists, in row order; −1 ends a list. */
export type ChildLists = {
  readonly firstRoot: number;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
};

/** Prefix columns only know the way up; this is the way down, for walks in tree order. */
export function computeChildLists(prefix: Int32Array): ChildLists {
  const firstChild = new Int32Array(prefix.length).fill(NONE);
  const nextSibling = new Int32Array(prefix.length).fill(NONE);
  let firstRoot: number = NONE;
  for (let row = prefix.length - 1; row >= 0; row--) {
    const caller = prefix[row];
    if (caller === NONE) {
      nextSibling[row] = firstRoot;
      firstRoot = row;
    } else {
      nextSibling[row] = firstChild[caller];
      firstChild[caller] = row;
    }
  }
  return { firstRoot, firstChild, nextSibling };
}

/** Rows above each row; a row comes after the one above it. */
export function computeDepths(prefix: Int32Array): Int32Array {
  const depth = new Int32Array(prefix.length);
  for (let row = 0; row < prefix.length; row++) {
    const above = prefix[row];
    if (above !== NONE) depth[row] = depth[above] + 1;
  }
  return depth;
}
