import { NONE } from '../../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../../base/growable-columns.ts';
import type { IntColumn } from '../../../base/int-column.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import type { Profile, Weights } from '../../types.ts';
import { groupSamples } from '../select/filter.ts';
import type { CallNodeTable } from './call-nodes.ts';
import { type CallTree, computeDepths, sumSubtrees, type TreeRoots } from './call-tree.ts';

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
 * Facts about a row hold for its whole chain, but for where in it the row is. A stack that
 * is seen in a thread adds at most two chains, however deep it is: 1 M samples in 2 000 threads with
 * 27 frames each have 11 million call nodes below threads, and a tenth of that in chains.
 *
 * Parents come before children. The rows of the call tree, in the order of `computeCallTree`, are
 * those of chain 0, outermost first, those of chain 1, and so on.
 */
export type ChainTree = Pick<
  CallTree,
  'length' | 'root' | 'selfSamples' | 'weight' | 'lost' | 'samples' | 'withoutStack'
> & {
  /** The chain whose innermost row calls the outermost of this one, −1 at a root. */
  readonly prefix: Int32Array;
  /** Call node of the innermost row; −1 in root rows of their own. */
  readonly callNode: Int32Array;
  /** Rows of the call tree that it stands for; the others' call nodes are above `callNode`. */
  readonly rows: Int32Array;
  /** Self weight of the innermost row; that of the others is 0. */
  readonly self: Float64Array;
  /** Total weight of each of its rows. */
  readonly total: Float64Array;
};

export type ChainTreeWithSamples = {
  readonly tree: ChainTree;
  /** Parallel to the sample table: the chain at whose innermost row a sample is, −1: none. */
  readonly chainOfSample: Int32Array;
};

/** The chains of what `computeCallTree` gives with the same arguments. */
export function* computeChainTree(
  profile: Profile,
  callNodes: CallNodeTable,
  weights: Weights,
  samples: Int32Array,
  { rootOfSample, count }: TreeRoots,
): Slices<ChainTreeWithSamples> {
  const groups = yield* groupSamples(samples, rootOfSample, count);
  const builder = new ChainTreeBuilder(profile, callNodes, weights, groups.samples);
  for (let root = 0; root < count; root++) {
    const start = groups.starts[root];
    const length = groups.starts[root + 1] - start;
    if (length === 0) continue;
    builder.begin(root);
    yield* eachSlice(length, (first, end) => builder.mark(start + first, start + end));
    builder.sortEnds();
    yield* eachSlice(builder.walks, (first, end) => builder.addChains(first, end));
    yield* eachSlice(length, (first, end) => builder.addSamples(start + first, start + end));
  }
  builder.addLost(profile.lostStack, samples);
  yield;
  return yield* builder.finish(samples.length);
}

/**
 * Takes the roots one after the other: `begin`, then each of the others for all of it.
 *
 * The first sample at each call node is the beginning of a walk outwards, as far as no other walk has
 * come. Where it meets another one's way, or a sample is on it, a chain ends. A walk's chains are
 * numbered once all walks below the root are made, and walks in their order; so are rows.
 */
class ChainTreeBuilder {
  readonly #sampleStack: IntColumn;
  readonly #weights: Weights;
  readonly #callNodes: CallNodeTable;
  readonly #depth: Int32Array;
  readonly #samples: Int32Array;
  readonly #chainOfSample: Int32Array;
  /** 2 × the last walk that came by each call node, + 1 where a chain ends. */
  readonly #walkOfNode: Int32Array;
  /** Chain that each call node ends, where it ends one below this root. */
  readonly #chainOfNode: Int32Array;
  /** Call node with which each walk of this root began, and the one that it met; −1: the root. */
  readonly #from = new GrowableInt32();
  readonly #to = new GrowableInt32();
  /** Walks below the roots before this one. */
  #firstWalk = 0;
  /** Call nodes on the ways of walks at which chains end; those of a walk together, outer first. */
  readonly #ends = new GrowableInt32();
  #sortedEnds = new Int32Array(0);
  /** Start of the ends of each walk of this root; one more than there are walks. */
  #endsOfWalk = new Int32Array(1);
  readonly #prefix = new GrowableInt32();
  /** Call node of each chain; in root rows of their own `ROOTS` less the root. */
  readonly #callNode = new GrowableInt32();
  readonly #rows = new GrowableInt32();
  readonly #self = new GrowableFloat64();
  readonly #selfSamples = new GrowableInt32();
  #rootChain: number = NONE;
  #weight = 0;
  #weightOfRoot = 0;
  #lost = 0;

  constructor(
    profile: Profile,
    callNodes: CallNodeTable,
    weights: Weights,
    /** Sorted by root. */
    samples: Int32Array,
  ) {
    this.#sampleStack = profile.samples.stack;
    this.#weights = weights;
    this.#callNodes = callNodes;
    this.#depth = computeDepths(callNodes.prefix);
    this.#samples = samples;
    this.#chainOfSample = new Int32Array(profile.samples.length).fill(NONE);
    this.#walkOfNode = new Int32Array(callNodes.length).fill(NONE);
    this.#chainOfNode = new Int32Array(callNodes.length).fill(NONE);
  }

  /** Walks of the current root. */
  get walks(): number {
    return this.#from.length;
  }

  begin(root: number): void {
    this.#weight += this.#weightOfRoot;
    this.#weightOfRoot = 0;
    this.#firstWalk += this.#from.length;
    this.#from.length = 0;
    this.#to.length = 0;
    this.#ends.length = 0;
    this.#rootChain = this.#addChain(NONE, ROOTS - root, 1);
  }

  /** Makes the walks of some of the root's samples. */
  // Hot: once per sample, and once per call node below each root.
  mark(first: number, end: number): void {
    const { prefix, stackToCallNode } = this.#callNodes;
    const sampleStack = this.#sampleStack;
    const samples = this.#samples;
    const walkOfNode = this.#walkOfNode;
    const ofThisRoot = 2 * this.#firstWalk;
    for (let i = first; i < end; i++) {
      const stack = sampleStack[samples[i]];
      if (stack === NONE) continue;
      let node = stackToCallNode[stack];
      if (walkOfNode[node] < ofThisRoot) {
        const walk = 2 * (this.#firstWalk + this.#from.length);
        this.#from.push(node);
        walkOfNode[node] = walk + 1;
        node = prefix[node];
        while (node !== NONE && walkOfNode[node] < ofThisRoot) {
          walkOfNode[node] = walk;
          node = prefix[node];
        }
        this.#to.push(node);
        if (node === NONE) continue;
      }
      const met = walkOfNode[node];
      if (met % 2 === 1) continue;
      walkOfNode[node] = met + 1;
      this.#ends.push(node);
    }
  }

  /** Puts the ends of each walk together (a counting sort), outer first. */
  sortEnds(): void {
    const walkOfNode = this.#walkOfNode;
    const { array: ends, length } = this.#ends;
    const starts = new Int32Array(this.#from.length + 1);
    for (let i = 0; i < length; i++) {
      starts[(walkOfNode[ends[i]] >> 1) - this.#firstWalk + 1]++;
    }
    for (let walk = 1; walk < starts.length; walk++) starts[walk] += starts[walk - 1];
    const next = starts.slice();
    const sorted = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      const node = ends[i];
      sorted[next[(walkOfNode[node] >> 1) - this.#firstWalk]++] = node;
    }
    this.#sortedEnds = sorted;
    this.#endsOfWalk = starts;
  }

  /** Adds the chains of some of the root's walks. */
  // Hot: once per chain.
  addChains(first: number, end: number): void {
    const from = this.#from.array;
    const to = this.#to.array;
    const depth = this.#depth;
    const chainOfNode = this.#chainOfNode;
    const ends = this.#sortedEnds;
    const endsOfWalk = this.#endsOfWalk;
    for (let walk = first; walk < end; walk++) {
      const met = to[walk];
      let chain = met === NONE ? this.#rootChain : chainOfNode[met];
      let depthAbove = met === NONE ? -1 : depth[met];
      const firstEnd = endsOfWalk[walk];
      const lastEnd = endsOfWalk[walk + 1];
      // On one path the outer call node is the smaller one.
      if (lastEnd - firstEnd > 1) ends.subarray(firstEnd, lastEnd).sort();
      for (let i = firstEnd; i <= lastEnd; i++) {
        const node = i < lastEnd ? ends[i] : from[walk];
        chain = this.#addChain(chain, node, depth[node] - depthAbove);
        chainOfNode[node] = chain;
        depthAbove = depth[node];
      }
    }
  }

  // Hot: once per sample.
  addSamples(first: number, end: number): void {
    const { stackToCallNode } = this.#callNodes;
    const sampleStack = this.#sampleStack;
    const samples = this.#samples;
    const chainOfSample = this.#chainOfSample;
    const chainOfNode = this.#chainOfNode;
    const self = this.#self.array;
    const selfSamples = this.#selfSamples.array;
    const { values } = this.#weights;
    let weightOfRoot = this.#weightOfRoot;
    for (let i = first; i < end; i++) {
      const sample = samples[i];
      const stack = sampleStack[sample];
      const chain = stack === NONE ? this.#rootChain : chainOfNode[stackToCallNode[stack]];
      const weight = values[sample];
      chainOfSample[sample] = chain;
      weightOfRoot += weight;
      self[chain] = self[chain] + weight;
      selfSamples[chain] = selfSamples[chain] + 1;
    }
    this.#weightOfRoot = weightOfRoot;
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
    for (let i = 0; i < samples.length; i++) this.#lost += lostBefore[samples[i]];
    if (this.#lost === 0) return;
    const callNode = this.#callNodes.stackToCallNode[lostStack];
    const rows = this.#depth[callNode] + 1;
    this.#self.array[this.#addChain(NONE, callNode, rows)] = this.#lost;
  }

  *finish(samples: number): Slices<ChainTreeWithSamples> {
    const length = this.#prefix.length;
    const prefix = this.#prefix.finish();
    const callNode = this.#callNode.finish();
    yield;
    const root = new Int32Array(length);
    for (let chain = 0; chain < length; chain++) {
      const node = callNode[chain];
      root[chain] = node <= ROOTS ? ROOTS - node : NONE;
      if (node <= ROOTS) callNode[chain] = NONE;
    }
    yield;
    const self = this.#self.finish();
    const total = sumSubtrees(prefix, self);
    yield;
    const tree = {
      length,
      prefix,
      callNode,
      rows: this.#rows.finish(),
      root,
      self,
      total,
      selfSamples: this.#selfSamples.finish(),
      weight: this.#weight + this.#weightOfRoot + this.#lost,
      lost: this.#lost,
      samples,
      withoutStack: 0,
    };
    return { tree, chainOfSample: this.#chainOfSample };
  }
}

/** Entry of root 0 in the column of call nodes. */
const ROOTS = -2;
