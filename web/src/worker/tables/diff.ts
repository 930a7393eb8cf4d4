import { NONE } from '../../../../src/base/brand.ts';
import { ComputedOnce, eachSlice, type Slices } from '../../../../src/base/slices.ts';
import {
  innermostFuncOfStacks,
  keysOfStacks,
} from '../../../../src/profile/analysis/call-nodes.ts';
import type { CallTree } from '../../../../src/profile/analysis/call-tree.ts';
import {
  type ComparedFunctions,
  type ComparedRun,
  compareFunctions,
  type SharedRow,
  sortChanges,
} from '../../../../src/profile/analysis/compare-functions.ts';
import {
  areSampledAlike,
  type DiffMeasure,
  secondsOf,
} from '../../../../src/profile/analysis/diff-measure.ts';
import {
  type DiffTree,
  diffTrees,
  type ScaledTree,
} from '../../../../src/profile/analysis/diff-trees.ts';
import { invertCallTree } from '../../../../src/profile/analysis/invert-call-tree.ts';
import type { DsoMatch } from '../../../../src/profile/analysis/match-dsos.ts';
import { comparedDsoName } from '../../../../src/profile/analysis/match-functions.ts';
import { boundsOfLost, boundsOfShare } from '../../../../src/profile/analysis/share-bounds.ts';
import { sumStepsByKey } from '../../../../src/profile/analysis/share-steps.ts';
import { wholeOfRun } from '../../../../src/profile/analysis/total-bounds.ts';
import type { TimeRange } from '../../../../src/profile/time-range.ts';
import {
  type ChangesParams,
  type ChangesResult,
  type DiffParams,
  type DiffResult,
  type DiffSide,
  MAX_CHANGES,
} from '../messages/messages.ts';
import type { Selection } from '../messages/selection.ts';
import { Matchings } from '../recording/matching.ts';
import { Recent } from '../recording/recent.ts';
import { LoadedRecording } from '../recording/recording.ts';
import { type Selected, SelectedCache } from '../recording/selected.ts';
import type { ShownTree } from '../recording/shown-tree.ts';
import { drawTree } from '../recording/tree.ts';
import { searchDiff } from './diff-search.ts';
import { type JoinedFunctions, joinFunctions } from './joined-functions.ts';
import { toShownTree } from './sandwich.ts';
import { computeTable } from './table.ts';

/** Callers below this part of all weight are not told apart. */
const LEAST_CALLER = 1 / 20_000;

const NO_SAMPLES = new Int32Array(0);

/** The trees of both sides of one selection, and what it is drawn from. */
type LaidOver = { readonly diff: DiffTree; readonly shown: ShownTree };

/** A recording that is compared. */
type Run = {
  readonly recording: LoadedRecording;
  readonly cache: SelectedCache;
  /** By FuncIndex the joined function; by group (functions, then inlined) the joined one. */
  readonly funcs: Int32Array;
  readonly groups: Int32Array;
};

/** What of a recording is compared, and the seconds that were recorded of it. */
type Part = Pick<Run, 'funcs' | 'groups'> & {
  readonly selected: Selected;
  readonly event: number;
  readonly seconds: number | null;
};

/** Recordings of two sides: the functions of all under the numbers of the first. */
export class Comparison {
  readonly #here: readonly Run[];
  readonly #there: readonly Run[];
  /** Names only, of the first recording's functions followed by those that only others have. */
  readonly #joined: LoadedRecording;
  readonly #renamed: readonly DsoMatch[];
  readonly matchings: Matchings;
  readonly #laidOver = new Recent<LaidOver>(2);
  readonly #changes = new Recent<ComputedOnce<ComparedFunctions>>(2);

  static *of(
    here: readonly LoadedRecording[],
    there: readonly LoadedRecording[],
  ): Slices<Comparison> {
    return new Comparison(here, there, yield* joinFunctions(here, there));
  }

  private constructor(
    here: readonly LoadedRecording[],
    there: readonly LoadedRecording[],
    { page, funcs, renamed }: JoinedFunctions,
  ) {
    const joined = page.profile.funcs.length;
    const runs = [...here, ...there].map((recording, run): Run => {
      const groups = groupsOf(funcs[run], joined);
      return { recording, cache: new SelectedCache(recording), funcs: funcs[run], groups };
    });
    this.#here = runs.slice(0, here.length);
    this.#there = runs.slice(here.length);
    this.#renamed = renamed;
    this.#joined = new LoadedRecording(page);
    this.matchings = new Matchings(this.#joined);
  }

  /** Functions of all, those that several have counted once. */
  get funcCount(): number {
    return this.#joined.profile.funcs.length;
  }

  /** `selected`: of the recording that is shown. */
  *compute(selected: Selected, params: DiffParams): Slices<DiffResult> {
    const parts = yield* this.#partsOf(selected, params);
    const { here, there, all } = parts;
    const { unit } = selected.weights;
    const isSameUnit = all.every((part) => part.selected.weights.unit === unit);
    const by = measureFor(params.by, isSameUnit, all);
    const laidOver = (inverted: boolean) =>
      this.#laidOver.getInSlices(`${by} ${keyOf(params, inverted)}`, () =>
        layOver(parts, by, inverted),
      );
    const { diff, shown } = yield* laidOver(params.inverted);
    yield;
    const matching = this.matchings.get(params.search);
    const drawn = drawTree(
      {
        recording: this.#joined,
        weights: { ...selected.weights, unit: by === 'share' ? 'samples' : unit },
        firstSamples: () => NO_SAMPLES,
      },
      shown,
      { roots: 'none', order: 'weight', zoom: params.zoom },
      matching,
    );
    const pick = (column: Float64Array) =>
      Float64Array.from(drawn.pruned.row, (row) => (row === NONE ? Number.NaN : column[row]));
    const upright = matching === null ? null : yield* laidOver(false);
    const scaled = { mine: yield* totalOf(here, by), other: yield* totalOf(there, by) };
    const shownBy = by === 'second' ? by : 'absolute';
    const eventOf = ({ selected: { profile }, event }: Part) => profile.events[event];
    return {
      tree: drawn.result,
      by,
      delta: pick(diff.delta),
      other: pick(diff.other),
      unit,
      isSameUnit,
      areSampledAlike: all.every((part) => areSampledAlike(eventOf(part), eventOf(here[0]))),
      here: yield* describeSide(here, shownBy),
      there: yield* describeSide(there, shownBy),
      found: matching && upright && searchDiff(upright, shown, matching, scaled),
    };
  }

  /** The largest changes of self, with their intervals. */
  *changes(selected: Selected, params: ChangesParams): Slices<ChangesResult> {
    const parts = yield* this.#partsOf(selected, params);
    const compared = this.#changes.get(
      keyOf(params, false),
      () => new ComputedOnce(() => compareParts(parts)),
    );
    const { rows, total } = yield* compared.get();
    const sorted = sortChanges(rows, params.by);
    yield;
    const funcs = this.#here[0].recording.profile.funcs.length;
    return {
      rows: sorted
        .slice(0, MAX_CHANGES)
        .map(({ id, ...row }) => ({ ...row, func: id < funcs ? id : NONE })),
      length: rows.length,
      total,
      renamed: this.#renamed,
    };
  }

  /**
   * What was chosen by rows of the recording that is shown means nothing in others: those it is compared
   * with are whole, and others of its side, whose mean a part would spoil, are left out then.
   */
  *#partsOf(selected: Selected, selection: Selection): Slices<Parts> {
    const [shown, ...further] = this.#here;
    const seconds = secondsOf(selected.profile, rangeOf(selection));
    const here: Part[] = [{ ...shown, selected, event: selection.event, seconds }];
    for (const run of isPart(selection) ? [] : further) {
      here.push(yield* this.#wholeOf(run, selection));
    }
    const there: Part[] = [];
    for (const run of this.#there) there.push(yield* this.#wholeOf(run, selection));
    return { here, there, all: [...here, ...there] };
  }

  *#wholeOf(run: Run, { event, weight, level, group }: Selection): Slices<Part> {
    const own = this.#eventIn(run, event);
    const selected = yield* run.cache.get({
      event: own,
      weight,
      level,
      threads: [],
      pid: null,
      cpu: null,
      fromNs: null,
      toNs: null,
      group,
      edits: [],
    });
    return { ...run, selected, event: own, seconds: secondsOf(selected.profile) };
  }

  /** The event of that name in another recording. Throws `RangeError` where it has none. */
  #eventIn(run: Run, event: number): number {
    const { name } = this.#here[0].recording.profile.events[event];
    const { events } = run.recording.profile;
    const other = events.findIndex((candidate) => candidate.name === name);
    if (other >= 0) return other;
    // The same event with other modifiers: `cycles` and `cycles:u`.
    const plain = (text: string) => text.replace(/:[a-zA-Z]*$/, '');
    const similar = events.findIndex((candidate) => plain(candidate.name) === plain(name));
    if (similar >= 0) return similar;
    const names = events.map((candidate) => candidate.name).join(', ');
    throw new RangeError(`the other recording has no event ${name}; it has ${names}`);
  }
}

type Parts = {
  readonly here: readonly Part[];
  readonly there: readonly Part[];
  readonly all: readonly Part[];
};

function isPart({ threads, pid, cpu, fromNs, toNs, edits }: Selection): boolean {
  const isWhole = [pid, cpu, fromNs, toNs].every((chosen) => chosen === null);
  return !isWhole || threads.length > 0 || edits.length > 0;
}

function* compareParts({ here, there }: Parts): Slices<ComparedFunctions> {
  const runs: { here: ComparedRun[]; there: ComparedRun[] } = { here: [], there: [] };
  for (const part of here) runs.here.push(yield* runOf(part));
  for (const part of there) runs.there.push(yield* runOf(part));
  return yield* compareFunctions(runs.here, runs.there);
}

function* layOver({ here, there }: Parts, by: DiffMeasure, inverted: boolean): Slices<LaidOver> {
  const scaledOf = function* (side: readonly Part[]): Slices<ScaledTree[]> {
    const scaled: ScaledTree[] = [];
    for (const part of side) {
      const { tree } = yield* part.selected.callees();
      const scale = scaleOf(by, tree, part) / side.length;
      const turned = inverted ? yield* invertCallTree(tree, tree.weight * LEAST_CALLER) : tree;
      scaled.push({ tree: turned, groups: part.groups, scale });
      yield;
    }
    return scaled;
  };
  const diff = yield* diffTrees(yield* scaledOf(here), yield* scaledOf(there));
  yield;
  return { diff, shown: toShownTree(diff.tree) };
}

/** The mean of all that the recordings of a side have. */
function* totalOf(side: readonly Part[], by: DiffMeasure): Slices<number> {
  let sum = 0;
  for (const part of side) {
    const { tree } = yield* part.selected.callees();
    sum += tree.weight * scaleOf(by, tree, part);
  }
  return sum / side.length;
}

function* describeSide(side: readonly Part[], by: 'absolute' | 'second'): Slices<DiffSide> {
  const seconds = side.map((part) => part.seconds ?? Number.NaN);
  const mean = seconds.reduce((all, one) => all + one, 0) / side.length;
  return {
    runs: side.length,
    weight: yield* totalOf(side, by),
    samples: side.reduce((all, { selected }) => all + selected.samples.length, 0),
    seconds: Number.isNaN(mean) ? null : mean,
  };
}

/** What the weights of a recording are multiplied by. */
function scaleOf(by: DiffMeasure, { weight }: CallTree, { seconds }: Part): number {
  if (by === 'share') return weight > 0 ? 1 / weight : 0;
  return by === 'second' ? 1 / (seconds ?? 1) : 1;
}

function* sharedRows(selected: Selected, idOfFunc: Int32Array): Slices<SharedRow[]> {
  const { recording, profile, samples } = selected;
  const { tree } = yield* selected.callees();
  const { rows, sums, lostKey } = yield* computeTable(selected, 'function');
  yield;
  const estimator = tree.weight === 0 ? null : yield* selected.estimator();
  const stepSums =
    estimator === null
      ? null
      : yield* sumStepsByKey(
          estimator.steps,
          keysOfStacks(profile, samples, innermostFuncOfStacks(profile)),
          profile.funcs.length,
        );
  const shared: SharedRow[] = [];
  const describe = (func: number): SharedRow => {
    const selfShare = tree.weight === 0 ? 0 : sums.self[func] / tree.weight;
    const interval =
      estimator === null || stepSums === null
        ? null
        : func === lostKey
          ? boundsOfLost(estimator, tree)
          : boundsOfShare(estimator, tree, selfShare, stepSums, func);
    return {
      id: idOfFunc[func],
      name: recording.funcName[func],
      dso: comparedDsoName(recording.profile, func),
      selfShare,
      ...(interval !== null && { selfInterval: interval }),
    };
  };
  yield* eachSlice(rows.length, (first, end) => {
    for (let i = first; i < end; i++) shared.push(describe(rows[i]));
  });
  return shared;
}

/** The functions of one recording, and what their shares are of. */
function* runOf({ selected, funcs, seconds }: Part): Slices<ComparedRun> {
  const estimator = yield* selected.estimator();
  const { tree } = yield* selected.callees();
  const { weights, counted } = selected;
  return {
    rows: yield* sharedRows(selected, funcs),
    ...wholeOfRun(tree, weights, estimator, counted),
    seconds,
  };
}

function rangeOf({ fromNs, toNs }: Selection): [TimeRange] | undefined {
  return fromNs === null || toNs === null ? undefined : [{ fromNs, toNs }];
}

/** The measure asked for, or the next best that the recordings have. */
function measureFor(by: DiffMeasure, isSameUnit: boolean, parts: readonly Part[]): DiffMeasure {
  if (!isSameUnit) return 'share';
  return by === 'second' && parts.some(({ seconds }) => seconds === null) ? 'absolute' : by;
}

function keyOf(
  { event, weight, level, threads, pid, cpu, fromNs, toNs, group, edits }: Selection,
  inverted: boolean,
) {
  const samples = [threads, pid, cpu, fromNs, toNs, group];
  return JSON.stringify([event, weight, level, ...samples, edits, inverted]);
}

/** Functions, then the same inlined. */
function groupsOf(funcToJoined: Int32Array, joined: number): Int32Array {
  const { length } = funcToJoined;
  return Int32Array.from({ length: 2 * length }, (_, group) =>
    group < length ? funcToJoined[group] : joined + funcToJoined[group - length],
  );
}
