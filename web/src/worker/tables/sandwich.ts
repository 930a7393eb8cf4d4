import { NONE } from '../../../../src/base/brand.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { type CallTree, sumSubtrees } from '../../../../src/profile/analysis/call-tree.ts';
import {
  type CallersCallees,
  computeCallersCallees,
} from '../../../../src/profile/analysis/callers-callees.ts';
import type { FuncIndex } from '../../../../src/profile/types.ts';
import { findNeighbours, type NeighbourShare } from '../../../../src/questions/neighbours.ts';
import type { SandwichResult, TreeIntervals, TreeResult } from '../messages/messages.ts';
import type { Matching } from '../recording/matching.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import type { Selected } from '../recording/selected.ts';
import type { ShownTree } from '../recording/shown-tree.ts';
import { drawTree } from '../recording/tree.ts';

/** Callers below this part of the function's weight are not told apart. */
const LEAST_CALLER = 1 / 20_000;

export function* computeSandwich(
  selected: Selected,
  func: number,
  matching: Matching | null,
): Slices<SandwichResult> {
  const { recording } = selected;
  const { tree } = yield* selected.callees();
  const least = tree.weight * LEAST_CALLER;
  const { callers, callees, self, total } = callersCalleesOf(recording, tree, func, least);
  yield;
  const draw = (part: CallTree) => {
    const zoom = part.length > 0 ? [part.group[0]] : [];
    return drawTree(selected, toShownTree(part), { roots: 'none', order: 'weight', zoom }, matching)
      .result;
  };
  const drawnCallers = draw(callers);
  yield;
  const drawnCallees = draw(callees);
  const isMeant = new Uint8Array(recording.profile.funcs.length);
  isMeant[func] = 1;
  const { profile, samples, weights } = selected;
  const asked = { profile, rows: samples, weights, estimator: yield* selected.estimator() };
  return {
    name: recording.funcName[func] ?? '',
    self,
    total,
    callers: drawnCallers,
    callees: drawnCallees,
    callerIntervals: intervalsOf(
      drawnCallers,
      yield* findNeighbours(asked, isMeant, 'callers'),
      isMeant.length,
    ),
    calleeIntervals: intervalsOf(
      drawnCallees,
      yield* findNeighbours(asked, isMeant, 'callees'),
      isMeant.length,
    ),
  };
}

/** Intervals of the rows next to the function: a neighbour that is both called and inlined has two rows, and none. */
function intervalsOf(
  { rows, labels }: TreeResult,
  neighbours: readonly NeighbourShare[],
  funcCount: number,
): TreeIntervals {
  const low = new Float64Array(rows.prefix.length).fill(Number.NaN);
  const high = low.slice();
  const known = new Map(neighbours.map(({ func, interval }) => [func, interval]));
  const rowsOfFunc = new Map<number, number[]>();
  rows.prefix.forEach((above, row) => {
    const group = labels.key[rows.label[row]] ?? NONE;
    if (above !== NONE || group < 0 || group >= 2 * funcCount) return;
    const func = group % funcCount;
    rowsOfFunc.set(func, [...(rowsOfFunc.get(func) ?? []), row]);
  });
  for (const [func, [row, another]] of rowsOfFunc) {
    const interval = known.get(func as FuncIndex) ?? null;
    if (interval === null || another !== undefined) continue;
    low[row] = interval.low;
    high[row] = interval.high;
  }
  return { low, high };
}

/** The trees of a function, called or inlined; callers lighter than `least` get no callers of their own. */
export function callersCalleesOf(
  { profile }: LoadedRecording,
  tree: CallTree,
  func: number,
  least: number,
): CallersCallees {
  const funcs = profile.funcs.length;
  const isMeant = new Uint8Array(2 * funcs);
  isMeant[func] = 1;
  isMeant[funcs + func] = 1;
  return computeCallersCallees(tree, isMeant, least);
}

/** A tree of which nobody asks for the order of time, or for intervals. */
export function toShownTree(tree: CallTree): ShownTree {
  return {
    tree,
    key: tree.group,
    samples: sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples)),
    tierOf: () => 0,
    rowOfSample: new Int32Array(0).fill(NONE),
  };
}
