import type { Slices } from '../../../../src/base/slices.ts';
import { hasCallers } from '../../../../src/profile/callers.ts';
import {
  findNeighbours,
  type NeighbourSide,
  nobodyOf,
} from '../../../../src/questions/neighbours.ts';
import type { DetailsParams, DetailsResult, Neighbour } from '../messages/panel-messages.ts';
import type { Selected } from '../recording/selected.ts';
import { computeSource } from './source.ts';
import type { WholeTable } from './table.ts';

/** How many callers, callees and lines are named. */
const NEIGHBOURS = 12;
const LINES = 12;

/** One function of a selection, whose table of functions is `table`. */
export function* describeFunc(
  selected: Selected,
  table: WholeTable,
  params: DetailsParams,
): Slices<DetailsResult> {
  const { recording } = selected;
  const { func } = params;
  const isMeant = selected.flagsOf(func);
  const callers = yield* neighboursOf(selected, isMeant, 'callers');
  const callees = yield* neighboursOf(selected, isMeant, 'callees');
  const { fileIndex, line, self, withoutLine, isJit } = yield* computeSource(selected, params);
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
    file: fileIndex,
    withoutLine,
    isJit,
    lines: Array.from(line, (number, i) => ({ line: number, self: self[i] }))
      .filter((found) => found.self > 0)
      .sort((a, b) => b.self - a.self)
      .slice(0, LINES),
  };
}

function* neighboursOf(
  { recording, asked }: Selected,
  isMeant: Uint8Array,
  side: NeighbourSide,
): Slices<Neighbour[]> {
  const nobody = nobodyOf(side, hasCallers(recording.profile));
  const found = yield* findNeighbours(asked, isMeant, side);
  return found
    .filter(({ weight }) => weight > 0)
    .map(({ func, weight }) => ({
      func,
      name: func === null ? nobody : recording.funcName[func],
      place: func === null ? '' : recording.placeOf(func),
      weight,
    }));
}
