import { ComputedOnce, finish, type Slices } from '../../../src/base/slices.ts';
import { pageDataInSlices } from '../../../src/formats/export/page-data.ts';
import { computeAssembly } from './assembly.ts';
import { Comparison } from './diff.ts';
import { Matchings } from './matching.ts';
import type {
  DiffParams,
  OpenParams,
  OpenResult,
  RequestKind,
  Requests,
  SearchParams,
  Slot,
  TableParams,
  TreeParams,
} from './messages.ts';
import { Recent } from './recent.ts';
import { Recording } from './recording.ts';
import { computeSandwich } from './sandwich.ts';
import { searchChains, searchTree } from './search.ts';
import { type Selected, SelectedCache } from './selected.ts';
import type { Selection } from './selection.ts';
import type { DrawnTree } from './shown-tree.ts';
import { computeSource } from './source.ts';
import { computeTable, pageOfTable, pageWithIntervals, type WholeTable } from './table.ts';
import { TIME_HANDLERS } from './time-handlers.ts';
import { drawSelected, intervalsOf } from './tree.ts';

/** A recording and what was computed from it lately. */
export type OpenRecording = {
  readonly recording: Recording;
  readonly selected: SelectedCache;
  readonly matchings: Matchings;
  readonly tables: Recent<WholeTable>;
};

/** What answers at once, and what takes long enough to be put aside in between. */
export type InterruptibleAnswers = {
  readonly [Kind in RequestKind]: (
    params: Requests[Kind]['params'],
  ) => Requests[Kind]['result'] | Slices<Requests[Kind]['result']>;
};

export type Answers = {
  readonly [Kind in RequestKind]: (params: Requests[Kind]['params']) => Requests[Kind]['result'];
};

export function isSlices(answer: unknown): answer is Slices<unknown> {
  return typeof (answer as Slices<unknown>).next === 'function';
}

/** The same answers, each without a break. */
export function createAnswers(): Answers {
  const answers = Object.entries(createInterruptibleAnswers()).map(([kind, answer]) => [
    kind,
    (params: never) => {
      const result = (answer as (params: never) => unknown)(params);
      return isSlices(result) ? finish(result) : result;
    },
  ]);
  return Object.fromEntries(answers) as Answers;
}

const OTHER: Slot = 1;

/** One answer to each kind of request, about the recordings that were opened. */
export function createInterruptibleAnswers(): InterruptibleAnswers {
  const open: (OpenRecording | undefined)[] = [];
  let comparison: ComputedOnce<Comparison> | null = null;

  /** Throws where nothing was opened. */
  function shown(): OpenRecording {
    const recording = open[0];
    if (recording === undefined) throw new RangeError('no recording was opened');
    return recording;
  }

  function* openRecording({ slot, bytes }: OpenParams): Slices<OpenResult> {
    const recording = new Recording(yield* pageDataInSlices(bytes));
    yield;
    const described = yield* recording.describe();
    open[slot] = {
      recording,
      selected: new SelectedCache(recording),
      matchings: new Matchings(recording),
      tables: new Recent(3),
    };
    comparison = null;
    return described;
  }

  function compared(): ComputedOnce<Comparison> {
    const { recording } = shown();
    const other = open[OTHER];
    if (other === undefined) throw new RangeError('no other recording was opened');
    comparison ??= new ComputedOnce(() => Comparison.of(recording, other.recording));
    return comparison;
  }

  function* draw(selected: Selected, params: TreeParams): Slices<DrawnTree> {
    return yield* drawSelected(selected, params, shown().matchings.get(params.search));
  }

  return {
    open: openRecording,
    *tree(params) {
      const part = yield* shown().selected.get(params);
      return (yield* draw(part, params)).result;
    },
    *intervals(params) {
      const part = yield* shown().selected.get(params);
      return yield* intervalsOf(part, yield* draw(part, params));
    },
    *search(params: SearchParams) {
      const { selected, matchings } = shown();
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
    *table(params: TableParams) {
      const { selected, tables } = shown();
      const part = yield* selected.get(params);
      const key = JSON.stringify([selectionOf(params), params.by]);
      const table = yield* tables.getInSlices(key, () => computeTable(part, params.by));
      return params.intervals
        ? yield* pageWithIntervals(table, part, params)
        : pageOfTable(table, part, params);
    },
    *sandwich(params) {
      const { selected, matchings } = shown();
      const part = yield* selected.get(params);
      return yield* computeSandwich(part, params.func, matchings.get(params.search));
    },
    *source(params) {
      return computeSource(yield* shown().selected.get(params), params);
    },
    *assembly(params) {
      return computeAssembly(yield* shown().selected.get(params), params);
    },
    *diff(params: DiffParams) {
      const comparison = yield* compared().get();
      return yield* comparison.compute(yield* shown().selected.get(params), params);
    },
    *changes(params: Selection) {
      const comparison = yield* compared().get();
      return yield* comparison.changes(yield* shown().selected.get(params), params);
    },
    timeline: (params) => TIME_HANDLERS.timeline(shown().recording.page, params),
    heatmap: (params) => TIME_HANDLERS.heatmap(shown().recording.page, params),
    period: (params) => TIME_HANDLERS.period(shown().recording.page, params),
  };
}

function selectionOf({ event, weight, thread, pid, cpu, fromNs, toNs, edits }: Selection) {
  return { event, weight, thread, pid, cpu, fromNs, toNs, edits };
}
