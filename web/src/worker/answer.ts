import type { Slices } from '../../../src/base/slices.ts';
import { findInstructions } from '../../../src/questions/instructions.ts';
import { computeLanes } from './chart/lanes.ts';
import { describeSlowTurns } from './chart/slow-turns.ts';
import { computeChart } from './chart.ts';
import type { AssemblyParams, AssemblyResult, TableKey } from './messages/messages.ts';
import type { RequestKind, Requests } from './messages/requests.ts';
import { type Selection, selectionKey } from './messages/selection.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';
import { searchChains, searchTree } from './recording/search.ts';
import type { Selected } from './recording/selected.ts';
import { drawSelected, intervalsOf } from './recording/tree.ts';
import { hitsWithKeys, treeWithKeys, withGroups } from './recording/with-keys.ts';
import { describeFunc } from './tables/func-details.ts';
import { computeSandwich } from './tables/sandwich.ts';
import { computeSource } from './tables/source.ts';
import { summarize } from './tables/summary.ts';
import {
  computeTable,
  intervalOfSelf,
  pageOfTable,
  pageWithIntervals,
  type WholeTable,
} from './tables/table.ts';
import { computeHeatMap } from './time/heat-map.ts';
import { computePeriods } from './time/time-period.ts';
import { computeSpan, computeTracks } from './time/tracks.ts';

type Handlers = {
  readonly [Kind in RequestKind]: (
    open: OpenRecordings,
    params: Requests[Kind]['params'],
  ) => Slices<Requests[Kind]['result']>;
};

/** The handlers of each kind of request. */
export const HANDLERS: Handlers = {
  open: (open, params) => open.open(params),

  *tree(open, params) {
    const { selected, matchings, recording } = open.shown();
    const funcs = recording.profile.funcs.length;
    const part = yield* selected.get(params);
    const matching = matchings.get(params.search);
    const { result } = yield* drawSelected(part, withGroups(params, funcs), matching);
    return treeWithKeys(result, funcs);
  },

  *intervals(open, params) {
    const { selected, matchings, recording } = open.shown();
    const part = yield* selected.get(params);
    const grouped = withGroups(params, recording.profile.funcs.length);
    const drawn = yield* drawSelected(part, grouped, matchings.get(params.search));
    return yield* intervalsOf(part, drawn);
  },

  *search(open, params) {
    const { selected, matchings, recording } = open.shown();
    const funcs = recording.profile.funcs.length;
    const part = yield* selected.get(params);
    const matching = matchings.get(params.search);
    const { roots, inverted } = params;
    const { unit } = part.weights;
    if (!inverted && roots !== 'none') {
      return hitsWithKeys(searchChains(yield* part.chains(roots), matching, unit), funcs);
    }
    const upright = yield* part.callees();
    const drawn = inverted ? yield* part.callers([]) : upright;
    yield;
    return hitsWithKeys(searchTree(upright, drawn, matching, unit), funcs);
  },

  *table(open, params) {
    const shown = open.shown();
    const part = yield* shown.selected.get(params);
    const table = yield* tableOf(shown, part, params, params.by);
    return params.intervals
      ? yield* pageWithIntervals(table, part, params)
      : pageOfTable(table, part, params);
  },

  *sandwich(open, params) {
    const { selected, matchings, recording } = open.shown();
    const funcs = recording.profile.funcs.length;
    const part = yield* selected.get(params);
    const halves = yield* computeSandwich(part, params.func, matchings.get(params.search));
    const { callers, callees } = halves;
    return {
      ...halves,
      callers: treeWithKeys(callers, funcs),
      callees: treeWithKeys(callees, funcs),
    };
  },

  *summary(open, params) {
    const { selected, summaries } = open.shown();
    const part = yield* selected.get(params);
    // The head of the page and its legend ask for the same until something is selected.
    return yield* summaries.getInSlices(selectionKey(params), () => summarize(part));
  },

  *details(open, params) {
    const shown = open.shown();
    if (!shown.recording.hasFunc(params.func)) return null;
    const part = yield* shown.selected.get(params);
    return yield* describeFunc(part, yield* tableOf(shown, part, params, 'function'), params);
  },

  *selfInterval(open, params) {
    const shown = open.shown();
    if (!shown.recording.hasFunc(params.func)) return null;
    const part = yield* shown.selected.get(params);
    return yield* intervalOfSelf(yield* tableOf(shown, part, params, 'function'), params.func);
  },

  *source(open, params) {
    return yield* computeSource(yield* open.shown().selected.get(params), params);
  },

  *assembly(open, params) {
    return computeAssembly(yield* open.shown().selected.get(params), params);
  },

  *diff(open, params) {
    const comparison = yield* open.compared();
    const { funcCount } = comparison;
    const part = yield* open.shown().selected.get(params);
    const result = yield* comparison.compute(part, withGroups(params, funcCount));
    const { tree, found } = result;
    return {
      ...result,
      tree: treeWithKeys(tree, funcCount),
      found: found && hitsWithKeys(found, funcCount),
    };
  },

  *changes(open, params) {
    const comparison = yield* open.compared();
    return yield* comparison.changes(yield* open.shown().selected.get(params), params);
  },

  *chart(open, params) {
    return yield* computeChart(open.shown(), params);
  },

  *lanes(open, params) {
    return yield* computeLanes(open.shown().recording, params);
  },

  *slowTurns(open, params) {
    return yield* describeSlowTurns(open.shown().recording, params);
  },

  *tracks(open, params) {
    return yield* computeTracks(open.shown(), params);
  },
  *span(open, params) {
    return yield* computeSpan(open.shown(), params);
  },
  *heatmap(open, params) {
    return yield* computeHeatMap(open.shown().recording.page, params);
  },
  *period(open, params) {
    return yield* computePeriods(open.shown().recording.page, params);
  },
};

/** The whole table of a selection, of which requests want pages or single rows. */
function tableOf(
  { tables }: OpenRecording,
  part: Selected,
  selection: Selection,
  by: TableKey,
): Slices<WholeTable> {
  const key = `${by} ${selectionKey(selection)}`;
  return tables.getInSlices(key, () => computeTable(part, by));
}

/** Any of the handlers, whatever its kind. */
export type Handler = (open: OpenRecordings, params: unknown) => Slices<unknown>;

/** Weights per instruction of a function whose code the page has got. */
function computeAssembly(selected: Selected, params: AssemblyParams): AssemblyResult {
  const { recording, asked, weights } = selected;
  return {
    name: recording.funcName[params.func] ?? '',
    ...findInstructions(asked, params.func, params),
    weight: selected.weight,
    unit: weights.unit,
  };
}
