import type { Slices } from '../../../../src/base/slices.ts';
import { findNeighbours, type NeighbourShare } from '../../../../src/questions/neighbours.ts';
import type { DetailsParams, DetailsResult, Neighbour } from '../messages/panel-messages.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import type { Selected } from '../recording/selected.ts';
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
  const { recording, asked } = selected;
  const { func } = params;
  const isMeant = selected.flagsOf(func);
  const callers = neighboursOf(recording, yield* findNeighbours(asked, isMeant, 'callers'));
  const callees = neighboursOf(recording, yield* findNeighbours(asked, isMeant, 'callees'));
  const { line, self } = yield* computeSource(selected, params);
  yield;
  return {
    name: recording.funcName[func] ?? '',
    kind: recording.kindOf(func),
    place: recording.placeOf(func),
    dso: recording.dsoPathOf(func),
    self: table.sums.self[func],
    total: table.sums.total[func],
    samples: table.sums.selfSamples[func] ?? 0,
    weight: table.tree.weight,
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

/** Neighbours that are functions. */
function neighboursOf(recording: LoadedRecording, found: readonly NeighbourShare[]): Neighbour[] {
  return found.flatMap(({ func, weight }) =>
    func === null
      ? []
      : {
          func,
          name: recording.funcName[func],
          place: recording.placeOf(func),
          kind: recording.kindOf(func),
          weight,
        },
  );
}
