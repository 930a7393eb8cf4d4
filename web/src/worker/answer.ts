import { finish, type Slices } from '../../../src/base/slices.ts';
import { computeAssembly } from './assembly.ts';
import type { RequestKind, Requests } from './messages.ts';
import { OpenRecordings } from './open-recordings.ts';
import { computeSandwich } from './sandwich.ts';
import { searchChains, searchTree } from './search.ts';
import type { Selection } from './selection.ts';
import { computeSource } from './source.ts';
import { computeTable, pageOfTable, pageWithIntervals } from './table.ts';
import { TIME_HANDLERS } from './time-handlers.ts';
import { drawSelected, intervalsOf } from './tree.ts';

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
    const { selected, matchings } = open.shown();
    const part = yield* selected.get(params);
    return (yield* drawSelected(part, params, matchings.get(params.search))).result;
  },

  *intervals(open, params) {
    const { selected, matchings } = open.shown();
    const part = yield* selected.get(params);
    const drawn = yield* drawSelected(part, params, matchings.get(params.search));
    return yield* intervalsOf(part, drawn);
  },

  *search(open, params) {
    const { selected, matchings } = open.shown();
    const part = yield* selected.get(params);
    const matching = matchings.get(params.search);
    const { roots, inverted } = params;
    const { unit } = part.weights;
    if (!inverted && roots !== 'none') {
      return searchChains(yield* part.chains(roots), matching, unit);
    }
    const upright = yield* part.callees();
    const drawn = inverted ? yield* part.callers([]) : upright;
    yield;
    return searchTree(upright, drawn, matching, unit);
  },

  *table(open, params) {
    const { selected, tables } = open.shown();
    const part = yield* selected.get(params);
    const key = JSON.stringify([selectionOf(params), params.by]);
    const table = yield* tables.getInSlices(key, () => computeTable(part, params.by));
    return params.intervals
      ? yield* pageWithIntervals(table, part, params)
      : pageOfTable(table, part, params);
  },

  *sandwich(open, params) {
    const { selected, matchings } = open.shown();
    const part = yield* selected.get(params);
    return yield* computeSandwich(part, params.func, matchings.get(params.search));
  },

  *source(open, params) {
    return computeSource(yield* open.shown().selected.get(params), params);
  },

  *assembly(open, params) {
    return computeAssembly(yield* open.shown().selected.get(params), params);
  },

  *diff(open, params) {
    const comparison = yield* open.compared();
    return yield* comparison.compute(yield* open.shown().selected.get(params), params);
  },

  *changes(open, params) {
    const comparison = yield* open.compared();
    return yield* comparison.changes(yield* open.shown().selected.get(params), params);
  },

  *timeline(open, params) {
    return yield* TIME_HANDLERS.timeline(open.shown().recording.page, params);
  },
  *heatmap(open, params) {
    return yield* TIME_HANDLERS.heatmap(open.shown().recording.page, params);
  },
  *period(open, params) {
    return yield* TIME_HANDLERS.period(open.shown().recording.page, params);
  },
};

function selectionOf({ event, weight, thread, pid, cpu, fromNs, toNs, edits }: Selection) {
  return { event, weight, thread, pid, cpu, fromNs, toNs, edits };
}

export type Answers = {
  readonly [Kind in RequestKind]: (params: Requests[Kind]['params']) => Requests[Kind]['result'];
};

/** The answers about recordings of their own, each computed without a break. */
export function createAnswers(): Answers {
  const open = new OpenRecordings();
  const answers = Object.entries(HANDLERS).map(([kind, handler]) => [
    kind,
    (params: never) => finish((handler as Handler)(open, params)),
  ]);
  return Object.fromEntries(answers) as Answers;
}

/** Any of the handlers, whatever its kind. */
export type Handler = (open: OpenRecordings, params: unknown) => Slices<unknown>;
