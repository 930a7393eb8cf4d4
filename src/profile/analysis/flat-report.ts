import { NONE } from '../../base/brand.ts';
import { finish } from '../../base/slices.ts';
import { lostFunc } from '../losses.ts';
import type { DsoIndex, EventIndex, FuncIndex, Profile, Weights } from '../types.ts';
import { boundsOfLost, boundsOfShare } from './shares/share-bounds.ts';
import {
  type ShareEstimator,
  type ShareInterval,
  type StepSums,
  sumStepsByGroup,
  sumStepsByKey,
} from './shares/share-steps.ts';
import {
  type CallNodeTable,
  computeCallNodes,
  innermostFuncOfStacks,
  keysOfStacks,
} from './trees/call-nodes.ts';
import { type CallTree, computeCallTree, computeChildLists } from './trees/call-tree.ts';

/** How much of the selection one row accounts for. Shares are 0…1 of the selection's weight. */
export type Figures = {
  /** Weight of the samples whose innermost frame is here. */
  readonly self: number;
  /** Weight of the samples with this anywhere on the stack, counted once however often it recurs. */
  readonly total: number;
  readonly selfShare: number;
  readonly totalShare: number;
  readonly selfSamples: number;
  /** Interval of the true share, in 95 of 100 recordings; only if it was asked for. */
  readonly selfInterval?: ShareInterval;
  readonly totalInterval?: ShareInterval;
};

/** Weights of one function. */
export type SymbolRow = Figures & { readonly func: FuncIndex };
/** Weights of one DSO; −1: code outside every mapping. */
export type DsoRow = Figures & { readonly dso: DsoIndex | typeof NONE };

/**
 * Weights of a selection by symbol and DSO. Rows: heaviest self first, then total, then
 * index.
 */
export type FlatReport = {
  /** The event of all samples, −1 if they are not of one event. */
  readonly event: EventIndex | typeof NONE;
  readonly samples: number;
  readonly weight: number;
  /** Part of `weight` that no sample shows: the row `[lost]` in `bySymbol`, not in `byDso`. */
  readonly lost: number;
  /** Part of `weight` from samples without any frame: in no symbol's or DSO's row. */
  readonly withoutStack: number;
  /** (Σw)²/Σw²: as many samples of equal weight would tell as much; with intervals. */
  readonly effectiveSamples?: number | null;
  readonly bySymbol: readonly SymbolRow[];
  readonly byDso: readonly DsoRow[];
};

/** Shares that get an interval. Those of totals cost as much as the tables themselves. */
export type WantedIntervals = {
  /** Made from the same weights and samples as the report. */
  readonly estimator: ShareEstimator;
  readonly tables: readonly TableName[];
  readonly totals: boolean;
};

export type TableName = 'bySymbol' | 'byDso';

/** Key of DSO −1 in sums by DSO. */
const OUTSIDE_MAPPINGS = 0;

/** The flat tables of `samples`. Weights of several events are of several units: select one. */
export function computeFlatReport(
  profile: Profile,
  weights: Weights,
  samples: Int32Array,
  wanted?: WantedIntervals,
): FlatReport {
  const callNodes = finish(computeCallNodes(profile));
  const tree = computeCallTree(profile, callNodes, weights, samples);
  const { funcs } = profile;
  const bySymbol = sumTree(tree, tree.group, funcs.length);
  const rowToDsoPlusOne = tree.group.map((func) => plusOne(funcs.dso[func]));
  const byDso = sumTree(tree, rowToDsoPlusOne, profile.dsos.length + 1);
  takeOut(byDso, OUTSIDE_MAPPINGS, tree.lost);
  const intervals =
    wanted === undefined ? null : new IntervalSource(profile, callNodes, samples, wanted);
  return {
    event: commonEvent(profile, samples),
    samples: tree.samples,
    weight: tree.weight,
    lost: tree.lost,
    withoutStack: tree.withoutStack,
    ...(wanted !== undefined && { effectiveSamples: wanted.estimator.effectiveSamples }),
    bySymbol: toRows(
      bySymbol,
      tree,
      (func) => ({ func: func as FuncIndex }),
      intervals?.byFunc('bySymbol', funcs.length),
      lostFunc(profile),
    ),
    byDso: toRows(
      byDso,
      tree,
      (key) => ({ dso: (key - 1) as DsoIndex }),
      intervals?.byFunc('byDso', profile.dsos.length + 1, funcs.dso.map(plusOne)),
    ),
  };
}

/** So that −1, no mapping, has a slot. */
const plusOne = (dso: number): number => dso + 1;

/** Input from which a table's intervals are estimated. */
type TableIntervals = {
  readonly estimator: ShareEstimator;
  readonly self: StepSums;
  /** Null: not wanted. */
  readonly total: StepSums | null;
};

class IntervalSource {
  readonly #profile: Profile;
  readonly #callNodes: CallNodeTable;
  readonly #samples: Int32Array;
  readonly #wanted: WantedIntervals;

  constructor(
    profile: Profile,
    callNodes: CallNodeTable,
    samples: Int32Array,
    wanted: WantedIntervals,
  ) {
    this.#profile = profile;
    this.#callNodes = callNodes;
    this.#samples = samples;
    this.#wanted = wanted;
  }

  /** Intervals by function, or by what `funcToGroup` makes of it. */
  byFunc(
    table: TableName,
    groupCount: number,
    funcToGroup?: Int32Array,
  ): TableIntervals | undefined {
    const { estimator, tables, totals } = this.#wanted;
    if (!tables.includes(table)) return undefined;
    const grouped = (funcs: Int32Array): Int32Array =>
      funcToGroup === undefined
        ? funcs
        : funcs.map((func) => (func === NONE ? NONE : funcToGroup[func]));
    const { steps } = estimator;
    const ownOfStack = grouped(innermostFuncOfStacks(this.#profile));
    const own = keysOfStacks(this.#profile, this.#samples, ownOfStack);
    const self = finish(sumStepsByKey(steps, own, groupCount));
    if (!totals) return { estimator, self, total: null };
    const { prefix, group, stackToCallNode } = this.#callNodes;
    const nodes = keysOfStacks(this.#profile, this.#samples, stackToCallNode);
    const tree = { prefix, group: grouped(group) };
    return { estimator, self, total: sumStepsByGroup(steps, nodes, tree, groupCount) };
  }
}

/** Sums per key. A key with no sample at all has `total` and `seen` 0. */
type Sums = {
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly selfSamples: Int32Array;
  /** 1 where some row or sample has the key. */
  readonly seen: Uint8Array;
};

function emptySums(keyCount: number): Sums {
  return {
    self: new Float64Array(keyCount),
    total: new Float64Array(keyCount),
    selfSamples: new Int32Array(keyCount),
    seen: new Uint8Array(keyCount),
  };
}

/**
 * Self and total per key of the tree's rows. A row adds its total only where no caller of it has
 * the same key, so that recursion counts once: the walk keeps how many rows of each key are open.
 */
// Hot: once per row.
export function sumTree(tree: CallTree, rowToKey: Int32Array, keyCount: number): Sums {
  const sums = emptySums(keyCount);
  const { self, total, selfSamples, seen } = sums;
  const { firstRoot, firstChild, nextSibling } = computeChildLists(tree.prefix);
  const open = new Int32Array(keyCount);
  let row = firstRoot;
  while (row !== NONE) {
    const key = rowToKey[row];
    seen[key] = 1;
    self[key] = self[key] + tree.self[row];
    selfSamples[key] = selfSamples[key] + tree.selfSamples[row];
    if (open[key] === 0) total[key] = total[key] + tree.total[row];
    open[key] = open[key] + 1;

    if (firstChild[row] !== NONE) {
      row = firstChild[row];
      continue;
    }
    // A leaf: leave rows until one has a sibling still to visit.
    while (row !== NONE) {
      const left = rowToKey[row];
      open[left] = open[left] - 1;
      const sibling = nextSibling[row];
      if (sibling !== NONE) {
        row = sibling;
        break;
      }
      row = tree.prefix[row];
    }
  }
  return sums;
}

function toRows<Key extends object>(
  sums: Sums,
  { weight, lost }: Pick<CallTree, 'weight' | 'lost'>,
  keyFields: (key: number) => Key,
  intervals: TableIntervals | undefined,
  lostKey: number = NONE,
): (Figures & Key)[] {
  const { self, total, selfSamples, seen } = sums;
  const keys: number[] = [];
  for (let key = 0; key < seen.length; key++) if (seen[key] === 1) keys.push(key);
  keys.sort((a, b) => self[b] - self[a] || total[b] - total[a] || a - b);
  const intervalOf = (share: number, stepSums: StepSums, key: number): ShareInterval => {
    const { estimator } = intervals!;
    if (key === lostKey) return boundsOfLost(estimator, { weight, lost });
    return boundsOfShare(estimator, { weight, lost }, share, stepSums, key);
  };
  return keys.map((key) => {
    const selfShare = weight === 0 ? 0 : self[key] / weight;
    const totalShare = weight === 0 ? 0 : total[key] / weight;
    const figures = {
      self: self[key],
      total: total[key],
      selfShare,
      totalShare,
      selfSamples: selfSamples[key],
    };
    const row = Object.assign(keyFields(key), figures);
    if (intervals === undefined) return row;
    return Object.assign(row, {
      selfInterval: intervalOf(selfShare, intervals.self, key),
      ...(intervals.total && { totalInterval: intervalOf(totalShare, intervals.total, key) }),
    });
  });
}

/** Takes weight out of a key that no sample put there. */
function takeOut(sums: Sums, key: number, weight: number): void {
  if (weight === 0) return;
  sums.self[key] -= weight;
  sums.total[key] -= weight;
  if (sums.total[key] === 0 && sums.selfSamples[key] === 0) sums.seen[key] = 0;
}

function commonEvent(profile: Profile, samples: Int32Array): EventIndex | typeof NONE {
  const { event } = profile.samples;
  const first = samples.length === 0 ? NONE : event[samples[0]];
  for (let i = 1; i < samples.length; i++) {
    if (event[samples[i]] !== first) return NONE;
  }
  return first as EventIndex;
}
