import type { Slices } from '../../../../src/base/slices.ts';
import type { CallTree } from '../../../../src/profile/analysis/call-tree.ts';
import type { DetailsParams, DetailsResult, Neighbour } from '../messages/panel-messages.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import type { Selected } from '../recording/selected.ts';
import { callersCalleesOf } from './sandwich.ts';
import { computeSource } from './source.ts';
import type { WholeTable } from './table.ts';

/** How many callers, callees and lines are named. */
const NEIGHBOURS = 5;
const LINES = 5;

/** One function of a selection, whose table of functions is `table`. */
export function* describeFunc(
  selected: Selected,
  table: WholeTable,
  params: DetailsParams,
): Slices<DetailsResult> {
  const { recording } = selected;
  const { func } = params;
  const { tree } = yield* selected.callees();
  // Callers of callers are of no interest.
  const around = callersCalleesOf(recording, tree, func, table.sums.total[func]);
  yield;
  const callers = neighboursIn(recording, around.callers);
  const callees = neighboursIn(recording, around.callees);
  const { line, self } = computeSource(selected, params);
  yield;
  return {
    name: recording.funcName[func] ?? '',
    kind: recording.kindOf(func),
    place: recording.placeOf(func),
    dso: recording.dsoPathOf(func),
    self: around.self,
    total: around.total,
    samples: table.sums.selfSamples[func] ?? 0,
    weight: tree.weight,
    unit: selected.weights.unit,
    callers: callers.slice(0, NEIGHBOURS),
    callees: callees.slice(0, NEIGHBOURS),
    callerCount: callers.length,
    calleeCount: callees.length,
    lines: Array.from(line, (number, i) => ({ line: number, self: self[i] }))
      .filter((found) => found.self > 0)
      .sort((a, b) => b.self - a.self)
      .slice(0, LINES),
  };
}

/** The functions directly below the root of a tree of callers or callees, each once, heaviest first. */
function neighboursIn(recording: LoadedRecording, tree: CallTree): Neighbour[] {
  const funcs = recording.profile.funcs.length;
  const weights = new Map<number, number>();
  for (let row = 0; row < tree.length; row++) {
    if (tree.prefix[row] !== 0) continue;
    const func = tree.group[row] % funcs;
    weights.set(func, (weights.get(func) ?? 0) + tree.total[row]);
  }
  return [...weights]
    .sort(([, a], [, b]) => b - a)
    .map(([func, weight]) => ({
      func,
      name: recording.funcName[func],
      place: recording.placeOf(func),
      kind: recording.kindOf(func),
      weight,
    }));
}
