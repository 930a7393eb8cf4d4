import { NONE } from '../../../../src/base/brand.ts';
import { mapInts } from '../../../../src/base/int-column.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { type CallTree, sumSubtrees } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { growNeighbours, type NeighbourTree } from '../../../../src/questions/neighbours.ts';
import type { SandwichResult } from '../messages/messages.ts';
import type { Matching } from '../recording/matching.ts';
import type { Selected } from '../recording/selected.ts';
import type { ShownTree } from '../recording/shown-tree.ts';
import { drawTree, intervalsOf } from '../recording/tree.ts';

/** Callers below this part of the function's weight are not told apart. */
const LEAST_CALLER = 1 / 20_000;

export function* computeSandwich(
  selected: Selected,
  func: number,
  matching: Matching | null,
): Slices<SandwichResult> {
  const { recording } = selected;
  const { tree, rowOfSample } = yield* selected.callees();
  const funcs = recording.profile.funcs.length;
  const isMeant = new Uint8Array(2 * funcs);
  // Called and inlined.
  isMeant[func] = 1;
  isMeant[funcs + func] = 1;
  const halves = yield* growNeighbours(tree, isMeant, tree.weight * LEAST_CALLER);
  yield;
  const draw = ({ tree: part, rowOf }: NeighbourTree) => {
    const zoom = part.length > 0 ? [part.group[0]] : [];
    const shown = toShownTree(
      part,
      mapInts(rowOfSample, (row) => (row === NONE ? NONE : rowOf[row])),
    );
    return drawTree(selected, shown, { roots: 'none', order: 'weight', zoom }, matching);
  };
  const callers = draw(halves.callers);
  yield;
  const callees = draw(halves.callees);
  yield;
  let self = 0;
  for (let row = 0; row < tree.length; row++)
    if (isMeant[tree.group[row]] === 1) self += tree.self[row];
  return {
    name: recording.funcName[func] ?? '',
    self,
    total: halves.callees.tree.total[0] ?? 0,
    callers: callers.result,
    callees: callees.result,
    callerIntervals: yield* intervalsOf(selected, callers),
    calleeIntervals: yield* intervalsOf(selected, callees),
  };
}

/** A tree of which nobody asks for the order of time; without `rowOfSample` nor for intervals. */
export function toShownTree(
  tree: CallTree,
  rowOfSample: Int32Array = new Int32Array(0),
): ShownTree {
  return {
    tree,
    key: tree.group,
    samples: sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples)),
    tierOf: () => 0,
    rowOfSample,
  };
}
