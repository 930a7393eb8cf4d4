import { NONE } from '../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../base/growable-columns.ts';
import { finish, SLICE_ITEMS, type Slices } from '../base/slices.ts';
import type { CallNodeTable } from './call-nodes.ts';
import { sumSubtrees, type TreeRoots } from './call-tree.ts';
import { groupSamplesInSlices } from './filter.ts';
import type { Profile, Weights } from './types.ts';

/**
 * A call tree below roots of its own (threads, CPUs), with a row for each chain of it. A chain is
 * functions of which each calls only the next and spends nothing itself, to the first that calls
 * several or spends something:
 *
 *     call tree                    chains
 *     worker 7        total 10     worker 7               rows 1  total 10
 *     └ main          total 10     └ main, serve          rows 2  total 10
 *       └ serve       total 10       ├ parse              rows 1  total 6
 *         ├ parse     total 6        └ write, flush       rows 2  total 4
 *         └ write     total 4
 *           └ flush   total 4
 *
 * What can be said of a row holds for its whole chain, but for where in it the row is. A stack that
 * is seen in a thread adds at most two chains, however deep it is: 1 M samples in 2 000 threads with
 * 27 frames each have 11 million call nodes below threads, and a tenth of that in chains.
 *
 * Parents come before children. The rows of the call tree, in the order of `computeCallTree`, are
 * those of chain 0, outermost first, those of chain 1, and so on.
 */
export type ChainTree = {
  readonly length: number;
  /** The chain whose innermost row calls the outermost of this one, −1 at a root. */
  readonly prefix: Int32Array;
  /** Call node of the innermost row; −1 in root rows of their own. */
  readonly callNode: Int32Array;
  /** Rows of the call tree that it stands for; the others' call nodes are above `callNode`. */
  readonly rows: Int32Array;
  /** As in a `CallTree`: which root a root row stands for, −1 in chains of code. */
  readonly root: Int32Array;
  /** Of the innermost row; of the others it is 0. */
  readonly self: Float64Array;
  /** Of each of its rows. */
  readonly total: Float64Array;
  /** How many samples are behind `self`. */
  readonly selfSamples: Int32Array;
  /** As in a `CallTree`. */
  readonly weight: number;
  readonly lost: number;
  readonly samples: number;
  readonly withoutStack: number;
};

export type ChainTreeWithSamples = {
  readonly tree: ChainTree;
  /** As long as the sample table: the chain at whose innermost row a sample is, −1: none. */
  readonly chainOfSample: Int32Array;
};

/** The chains of what `computeCallTree` gives with the same arguments. */
export function computeChainTree(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  roots: TreeRoots,
): ChainTreeWithSamples {
  return finish(chainTreeInSlices(profile, callNodes, weights, samples, roots));
}

export function* chainTreeInSlices(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  { rootOfSample, count }: TreeRoots,
): Slices<ChainTreeWithSamples> {
  const groups = yield* groupSamplesInSlices(samples, rootOfSample, count);
  const builder = new ChainTreeBuilder(profile, callNodes, weights, groups.samples);
  let left = SLICE_ITEMS;
  for (let root = 0; root < count; root++) {
    const end = groups.starts[root + 1] as number;
    let first = groups.starts[root] as number;
    if (first === end) continue;
    // A slice may be a part of one root's samples, or those of many roots.
    for (let at = first; at < end; ) {
      const until = Math.min(end, at + left);
      builder.mark(at, until, root);
      left -= until - at;
      at = until;
      if (left > 0) continue;
      left = SLICE_ITEMS;
      yield;
    }
    builder.begin(root);
    while (first < end) {
      const until = Math.min(end, first + left);
      builder.add(first, until);
      left -= until - first;
      first = until;
      if (left > 0) continue;
      left = SLICE_ITEMS;
      yield;
    }
  }
  builder.addLost(profile.lostStack, samples);
  yield;
  return builder.finish(samples.length);
}

/** Takes the roots one after the other: `mark` all of its samples, `begin`, `add` all of them. */
class ChainTreeBuilder {
  readonly #sampleStack: Int32Array;
  readonly #weights: Weights;
  readonly #callNodes: CallNodeTable;
  readonly #samples: Int32Array;
  readonly #chainOfSample: Int32Array;
  /** Root + 1 below which each call node was met last. */
  readonly #markedBy: Int32Array;
  /** 1: the call node ends a chain below that root. */
  readonly #endsChain: Uint8Array;
  /** Chain that each call node ends; below `#firstChain`: an older root's, or none. */
  readonly #chainOfNode: Int32Array;
  /** Call nodes that end the chains a sample is the first of, inner first. */
  readonly #pending = new GrowableInt32(64);
  readonly #prefix = new GrowableInt32();
  /** Of each chain; in root rows of their own `ROOTS` less the root. */
  readonly #callNode = new GrowableInt32();
  readonly #rows = new GrowableInt32();
  readonly #self = new GrowableFloat64();
  readonly #selfSamples = new GrowableInt32();
  #firstChain = 0;
  #rootChain: number = NONE;
  #weight = 0;
  #weightOfRoot = 0;
  #lost = 0;

  constructor(
    profile: Profile,
    callNodes: CallNodeTable,
    weights: Weights,
    /** By root. */
    samples: Int32Array,
  ) {
    this.#sampleStack = profile.samples.stack;
    this.#weights = weights;
    this.#callNodes = callNodes;
    this.#samples = samples;
    this.#chainOfSample = new Int32Array(profile.samples.length).fill(NONE);
    this.#markedBy = new Int32Array(callNodes.length);
    this.#endsChain = new Uint8Array(callNodes.length);
    this.#chainOfNode = new Int32Array(callNodes.length).fill(NONE);
  }

  /** Finds out where chains end: at call nodes of samples, and where a second path leads to. */
  // Hot: once per sample, and once per call node below each root.
  mark(first: number, end: number, root: number): void {
    const { prefix, stackToCallNode } = this.#callNodes;
    const sampleStack = this.#sampleStack;
    const samples = this.#samples;
    const markedBy = this.#markedBy;
    const endsChain = this.#endsChain;
    const mark = root + 1;
    for (let i = first; i < end; i++) {
      const stack = sampleStack[samples[i] as number] as number;
      if (stack === NONE) continue;
      let node = stackToCallNode[stack] as number;
      if (markedBy[node] === mark) {
        endsChain[node] = 1;
        continue;
      }
      markedBy[node] = mark;
      endsChain[node] = 1;
      for (node = prefix[node] as number; node !== NONE; node = prefix[node] as number) {
        if (markedBy[node] === mark) {
          endsChain[node] = 1;
          break;
        }
        markedBy[node] = mark;
        endsChain[node] = 0;
      }
    }
  }

  /** Begins with the chains below `root`. */
  begin(root: number): void {
    this.#weight += this.#weightOfRoot;
    this.#weightOfRoot = 0;
    this.#firstChain = this.#prefix.length;
    this.#rootChain = this.#addChain(NONE, ROOTS - root, 1);
  }

  // Hot: once per sample.
  add(first: number, end: number): void {
    const { stackToCallNode } = this.#callNodes;
    const sampleStack = this.#sampleStack;
    const samples = this.#samples;
    const chainOfSample = this.#chainOfSample;
    const chainOfNode = this.#chainOfNode;
    const firstChain = this.#firstChain;
    const { values } = this.#weights;
    let weightOfRoot = this.#weightOfRoot;
    for (let i = first; i < end; i++) {
      const sample = samples[i] as number;
      const weight = values[sample] as number;
      const stack = sampleStack[sample] as number;
      let chain = this.#rootChain;
      if (stack !== NONE) {
        const node = stackToCallNode[stack] as number;
        chain = chainOfNode[node] as number;
        if (chain < firstChain) chain = this.#addPath(node);
      }
      chainOfSample[sample] = chain;
      weightOfRoot += weight;
      this.#self.array[chain] = (this.#self.array[chain] as number) + weight;
      this.#selfSamples.array[chain] = (this.#selfSamples.array[chain] as number) + 1;
    }
    this.#weightOfRoot = weightOfRoot;
  }

  /** Adds the chains that end at `callNode` and at its callers, unless they are known. */
  #addPath(callNode: number): number {
    const { prefix } = this.#callNodes;
    const endsChain = this.#endsChain;
    const pending = this.#pending;
    pending.length = 0;
    let chain = this.#rootChain;
    for (let node = callNode; node !== NONE; node = prefix[node] as number) {
      if (endsChain[node] === 0) continue;
      const known = this.#chainOfNode[node] as number;
      if (known >= this.#firstChain) {
        chain = known;
        break;
      }
      pending.push(node);
    }
    // The call node that the chain above ends with.
    let above = chain === this.#rootChain ? NONE : (this.#callNode.array[chain] as number);
    for (let i = pending.length - 1; i >= 0; i--) {
      const node = pending.array[i] as number;
      let rows = 0;
      for (let row = node; row !== above; row = prefix[row] as number) rows++;
      chain = this.#addChain(chain, node, rows);
      this.#chainOfNode[node] = chain;
      above = node;
    }
    return chain;
  }

  #addChain(prefix: number, callNode: number, rows: number): number {
    this.#prefix.push(prefix);
    this.#callNode.push(callNode);
    this.#rows.push(rows);
    this.#self.push(0);
    this.#selfSamples.push(0);
    return this.#prefix.length - 1;
  }

  /** Adds what was lost before the samples, as a root of its own. */
  addLost(lostStack: number, samples: Int32Array): void {
    const { lostBefore } = this.#weights;
    if (lostBefore === undefined || lostStack === NONE) return;
    for (let i = 0; i < samples.length; i++) this.#lost += lostBefore[samples[i] as number]!;
    if (this.#lost === 0) return;
    const callNode = this.#callNodes.stackToCallNode[lostStack] as number;
    const { prefix } = this.#callNodes;
    let rows = 0;
    for (let node = callNode; node !== NONE; node = prefix[node] as number) rows++;
    this.#self.array[this.#addChain(NONE, callNode, rows)] = this.#lost;
  }

  finish(samples: number): ChainTreeWithSamples {
    const length = this.#prefix.length;
    const prefix = this.#prefix.finish();
    const callNode = this.#callNode.finish();
    const root = new Int32Array(length);
    for (let chain = 0; chain < length; chain++) {
      const node = callNode[chain] as number;
      root[chain] = node <= ROOTS ? ROOTS - node : NONE;
      if (node <= ROOTS) callNode[chain] = NONE;
    }
    const self = this.#self.finish();
    const tree = {
      length,
      prefix,
      callNode,
      rows: this.#rows.finish(),
      root,
      self,
      total: sumSubtrees(prefix, self),
      selfSamples: this.#selfSamples.finish(),
      weight: this.#weight + this.#weightOfRoot + this.#lost,
      lost: this.#lost,
      samples,
      withoutStack: 0,
    };
    return { tree, chainOfSample: this.#chainOfSample };
  }
}

/** In the column of call nodes: root 0. */
const ROOTS = -2;
