import { NONE } from '../../../../src/base/brand.ts';
import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import { measuresOf, sortChanges } from '../../../../src/profile/analysis/compare-functions.ts';
import { type DiffMeasure, secondsOf } from '../../../../src/profile/analysis/diff-measure.ts';
import type { MatchedRuns } from '../../../../src/profile/analysis/match-functions.ts';
import type { CallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import {
  type DiffTree,
  diffTrees,
  type ScaledTree,
} from '../../../../src/profile/analysis/trees/diff-trees.ts';
import { invertCallTree } from '../../../../src/profile/analysis/trees/invert-call-tree.ts';
import { findEvents } from '../../../../src/profile/find-events.ts';
import type { TimeRange } from '../../../../src/profile/time-range.ts';
import type { EventIndex } from '../../../../src/profile/types.ts';
import {
  type ComparedRecording,
  type Comparison,
  compare,
  meanSeconds,
} from '../../../../src/questions/compare.ts';
import { comparisonNotes } from '../../../../src/questions/compare-words.ts';
import {
  type ChangesParams,
  type ChangesResult,
  type DiffFound,
  type DiffParams,
  type DiffResult,
  type DiffSide,
  MAX_CHANGES,
} from '../messages/messages.ts';
import { type Selection, selectionKey } from '../messages/selection.ts';
import { type Matching, Matchings } from '../recording/matching.ts';
import { Recent } from '../recording/recent.ts';
import { LoadedRecording } from '../recording/recording.ts';
import { outermostMatches, searchTree } from '../recording/search.ts';
import { type Selected, SelectedCache } from '../recording/selected.ts';
import type { ShownTree } from '../recording/shown-tree.ts';
import { drawTree } from '../recording/tree.ts';
import { type JoinedFunctions, joinFunctions } from './joined-functions.ts';
import { toShownTree } from './sandwich.ts';

/** Callers below this part of all weight are not told apart. */
const LEAST_CALLER = 1 / 20_000;

const NO_SAMPLES = new Int32Array(0);

/** The trees of both sides of one selection, and what it is drawn from. */
type LaidOver = { readonly diff: DiffTree; readonly shown: ShownTree };

/** A recording that is compared. */
type Run = {
  readonly recording: LoadedRecording;
  readonly cache: SelectedCache;
  /** The joined function by FuncIndex; the joined group by group (functions, then inlined). */
  readonly funcs: Int32Array;
  readonly groups: Int32Array;
};

/** The part of a recording that is compared, and the seconds that were recorded of it. */
type Part = Pick<Run, 'recording' | 'funcs' | 'groups'> & {
  readonly selected: Selected;
  readonly event: number;
  readonly seconds: number | null;
};

/** Recordings of two sides: the functions of all under the numbers of the first. */
export class PageComparison {
  readonly #here: readonly Run[];
  readonly #there: readonly Run[];
  /** Names only, of the first recording's functions followed by those that only others have. */
  readonly #joined: LoadedRecording;
  readonly #renamed: MatchedRuns['renamed'];
  readonly matchings: Matchings;
  readonly #laidOver = new Recent<LaidOver>(2);
  readonly #changes = new Recent<ComputedOnce<Comparison>>(2);

  static *of(
    here: readonly LoadedRecording[],
    there: readonly LoadedRecording[],
  ): Slices<PageComparison> {
    return new PageComparison(here, there, yield* joinFunctions(here, there));
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
    const measures = measuresOf(
      all.map(({ seconds, selected: { weights } }) => ({ ...weights, seconds })),
    );
    const by = measures.includes(params.by) ? params.by : measures[0];
    const laidOver = (inverted: boolean) =>
      this.#laidOver.getInSlices(`${by} ${inverted} ${selectionKey(params)}`, () =>
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
    return {
      tree: drawn.result,
      by,
      delta: pick(diff.delta),
      other: pick(diff.other),
      unit,
      isSameUnit: measures.includes('absolute'),
      here: yield* describeSide(here, shownBy),
      there: yield* describeSide(there, shownBy),
      found: matching && upright && searchDiff(upright, shown, matching, scaled),
    };
  }

  /** The largest changes of self, with their intervals. */
  *changes(selected: Selected, params: ChangesParams): Slices<ChangesResult> {
    const parts = yield* this.#partsOf(selected, params);
    const compared = this.#changes.get(
      selectionKey(params),
      () => new ComputedOnce(() => this.#compareParts(parts)),
    );
    const comparison = yield* compared.get();
    const { functions, total } = comparison;
    const sorted = sortChanges(functions, params.by);
    yield;
    const funcs = this.#here[0].recording.profile.funcs.length;
    return {
      rows: sorted
        .slice(0, MAX_CHANGES)
        .map(({ id, path: _, ...row }) => ({ ...row, func: id < funcs ? id : NONE })),
      length: functions.length,
      total,
      notes: comparisonNotes(comparison),
    };
  }

  *#compareParts({ here, there, all }: Parts): Slices<Comparison> {
    const asked: ComparedRecording[] = [];
    for (const part of all) asked.push(yield* askAbout(part));
    const ids = all.map(({ funcs }) => funcs);
    const matched = { ids, count: this.funcCount, renamed: this.#renamed };
    return yield* compare(asked.slice(0, here.length), asked.slice(there.length * -1), matched);
  }

  /**
   * A choice by rows of the recording that is shown means nothing in others: those it is compared
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

  /** Throws `UsageError` where the other recording has no event of that name. */
  *#wholeOf(run: Run, { event, weight, level, group }: Selection): Slices<Part> {
    const { name } = this.#here[0].recording.profile.events[event];
    const names = run.recording.profile.events.map((candidate) => candidate.name);
    const [own] = findEvents(names, name, [], `the other recording, which has ${names.join(', ')}`);
    const selected = yield* run.cache.get({
      event: own,
      weight,
      level,
      threads: [],
      pid: null,
      cpu: null,
      inTurnsOver: null,
      fromNs: null,
      toNs: null,
      group,
      edits: [],
    });
    return { ...run, selected, event: own, seconds: secondsOf(selected.profile) };
  }
}

type Parts = {
  readonly here: readonly Part[];
  readonly there: readonly Part[];
  readonly all: readonly Part[];
};

function isPart({ threads, pid, cpu, inTurnsOver, fromNs, toNs, edits }: Selection): boolean {
  const isWhole = [pid, cpu, inTurnsOver, fromNs, toNs].every((chosen) => chosen === null);
  return !isWhole || threads.length > 0 || edits.length > 0;
}

function* askAbout({ recording, selected, event, seconds }: Part): Slices<ComparedRecording> {
  const { profile, weights, samples: rows, counted } = selected;
  const estimator = yield* selected.estimator();
  const asked = { profile, weights, rows, estimator, counted, seconds };
  return {
    ...asked,
    event: event as EventIndex,
    doubt: recording.page.weightDoubts?.[event] ?? null,
  };
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
  return {
    runs: side.length,
    weight: yield* totalOf(side, by),
    samples: side.reduce((all, { selected }) => all + selected.samples.length, 0),
    seconds: meanSeconds(side),
  };
}

/** The factor that the weights of a recording are multiplied by. */
function scaleOf(by: DiffMeasure, { weight }: CallTree, { seconds }: Part): number {
  if (by === 'share') return weight > 0 ? 1 / weight : 0;
  return by === 'second' ? 1 / (seconds ?? 1) : 1;
}

function rangeOf({ fromNs, toNs }: Selection): [TimeRange] | undefined {
  return fromNs === null || toNs === null ? undefined : [{ fromNs, toNs }];
}

/** Functions, then the same inlined. */
function groupsOf(funcToJoined: Int32Array, joined: number): Int32Array {
  const { length } = funcToJoined;
  return Int32Array.from({ length: 2 * length }, (_, group) =>
    group < length ? funcToJoined[group] : joined + funcToJoined[group - length],
  );
}

/** The weight of all of either recording, as the tree of both has it. */
type ScaledWeights = { readonly mine: number; readonly other: number };

/**
 * The matches that `matching` finds in two recordings laid over each other: paths in the tree that is `shown`, and its
 * shares. Those are summed over `upright`: callers' trees have a path for each match on a stack.
 */
function searchDiff(
  upright: LaidOver,
  shown: ShownTree,
  matching: Matching,
  all: ScaledWeights,
): DiffFound {
  const { hits, hitCount, functions, problem } = searchTree(
    upright.shown,
    shown,
    matching,
    'samples',
  );
  let mine = 0;
  let other = 0;
  for (const row of outermostMatches(upright.shown, matching)) {
    const there = upright.diff.other[row];
    mine += there + upright.diff.delta[row];
    other += there;
  }
  const share = all.mine > 0 ? mine / all.mine : 0;
  const otherShare = all.other > 0 ? other / all.other : 0;
  return { share, otherShare, functions, hits, hitCount, problem };
}
