import { NONE } from '../../../src/base/brand.ts';
import { ComputedOnce, eachSlice, type Slices } from '../../../src/base/slices.ts';
import { boundsOfTotal } from '../../../src/period/uncertainty/total-bounds.ts';
import { innermostFuncs } from '../../../src/profile/analysis/call-nodes.ts';
import type { CallTree } from '../../../src/profile/analysis/call-tree.ts';
import {
  type ComparedFunctions,
  type ComparedRun,
  compareFunctions,
  type SharedRow,
  sortChanges,
} from '../../../src/profile/analysis/compare-functions.ts';
import {
  areSampledAlike,
  type DiffMeasure,
  secondsOf,
} from '../../../src/profile/analysis/diff-measure.ts';
import {
  type DiffScales,
  type DiffTree,
  diffTrees,
} from '../../../src/profile/analysis/diff-trees.ts';
import { invertCallTree } from '../../../src/profile/analysis/invert-call-tree.ts';
import type { DsoMatch } from '../../../src/profile/analysis/match-dsos.ts';
import { comparedDsoName } from '../../../src/profile/analysis/match-functions.ts';
import {
  boundsOfLost,
  boundsOfNothing,
  boundsOfShare,
} from '../../../src/profile/analysis/share-bounds.ts';
import { keysOfSelected, sumStepsByKey } from '../../../src/profile/analysis/share-steps.ts';
import type { TimeRange } from '../../../src/profile/time-range.ts';
import { searchDiff } from './diff-search.ts';
import { type JoinedFunctions, joinFunctions } from './joined-functions.ts';
import { Matchings } from './matching.ts';
import {
  type ChangesParams,
  type ChangesResult,
  type DiffParams,
  type DiffResult,
  MAX_CHANGES,
} from './messages.ts';
import { Recent } from './recent.ts';
import { LoadedRecording } from './recording.ts';
import { toShownTree } from './sandwich.ts';
import { type Selected, SelectedCache } from './selected.ts';
import type { Selection } from './selection.ts';
import type { ShownTree } from './shown-tree.ts';
import { computeTable } from './table.ts';
import { drawTree } from './tree.ts';

/** Callers below this part of all weight are not told apart. */
const LEAST_CALLER = 1 / 20_000;

const NO_SAMPLES = new Int32Array(0);

/** Both trees of one selection, and what it is drawn from. */
type LaidOver = { readonly diff: DiffTree; readonly shown: ShownTree };

/** Two recordings side by side: the functions of both under the numbers of one. */
export class Comparison {
  readonly #mine: LoadedRecording;
  readonly #other: LoadedRecording;
  /** Names only, of this recording's functions followed by those that only the other has. */
  readonly #joined: LoadedRecording;
  readonly #others: SelectedCache;
  /** Of the other recording's groups (functions, then inlined) the joined ones. */
  readonly #otherGroup: Int32Array;
  readonly #mineGroup: Int32Array;
  /** By FuncIndex of either recording the joined function. */
  readonly #mineFunc: Int32Array;
  readonly #otherFunc: Int32Array;
  readonly #renamed: readonly DsoMatch[];
  readonly matchings: Matchings;
  readonly #laidOver = new Recent<LaidOver>(2);
  readonly #changes = new Recent<ComputedOnce<ComparedFunctions>>(2);

  static *of(mine: LoadedRecording, other: LoadedRecording): Slices<Comparison> {
    return new Comparison(mine, other, yield* joinFunctions(mine, other));
  }

  private constructor(
    mine: LoadedRecording,
    other: LoadedRecording,
    { page, mineFunc, otherFunc, renamed }: JoinedFunctions,
  ) {
    this.#mine = mine;
    this.#mineFunc = mineFunc;
    this.#otherFunc = otherFunc;
    this.#renamed = renamed;
    this.#other = other;
    this.#others = new SelectedCache(other);
    this.#joined = new LoadedRecording(page);
    const joined = page.profile.funcs.length;
    this.#otherGroup = groupsOf(otherFunc, joined);
    this.#mineGroup = groupsOf(mineFunc, joined);
    this.matchings = new Matchings(this.#joined);
  }

  /** Functions of both, those that both have counted once. */
  get funcCount(): number {
    return this.#joined.profile.funcs.length;
  }

  *compute(selected: Selected, params: DiffParams): Slices<DiffResult> {
    const other = yield* this.#otherOf(params);
    const { tree: mineTree } = yield* selected.callees();
    const { tree: otherTree } = yield* other.callees();
    const seconds = [secondsOf(selected.profile, rangeOf(params)), secondsOf(other.profile)];
    const isSameUnit = selected.weights.unit === other.weights.unit;
    const by = measureFor(params.by, isSameUnit, seconds);
    const scales = scalesFor(by, [mineTree, otherTree], seconds);
    const laidOver = (inverted: boolean) =>
      this.#laidOver.getInSlices(`${by} ${keyOf(params, inverted)}`, () =>
        this.#layOver(selected, other, inverted, scales),
      );
    const { diff, shown } = yield* laidOver(params.inverted);
    yield;
    const matching = this.matchings.get(params.search);
    const unit = by === 'share' ? 'samples' : selected.weights.unit;
    const drawn = drawTree(
      {
        recording: this.#joined,
        weights: { ...selected.weights, unit },
        firstSamples: () => NO_SAMPLES,
      },
      shown,
      { roots: 'none', order: 'weight', zoom: params.zoom },
      matching,
    );
    const pick = (column: Float64Array) =>
      Float64Array.from(drawn.pruned.row, (row) => (row === NONE ? Number.NaN : column[row]));
    const upright = matching === null ? null : yield* laidOver(false);
    return {
      tree: drawn.result,
      by,
      delta: pick(diff.delta),
      other: pick(diff.other),
      unit: selected.weights.unit,
      isSameUnit,
      areSampledAlike: areSampledAlike(
        this.#mine.profile.events[params.event],
        this.#other.profile.events[this.#otherEvent(params.event)],
      ),
      weight: mineTree.weight,
      otherWeight: otherTree.weight,
      samples: selected.samples.length,
      otherSamples: other.samples.length,
      seconds: seconds[0],
      otherSeconds: seconds[1],
      found:
        matching &&
        upright &&
        searchDiff(upright, shown, matching, {
          mine: mineTree.weight * scales.mine,
          other: otherTree.weight * scales.other,
        }),
    };
  }

  /** The largest changes of self, with their intervals. */
  *changes(selected: Selected, params: ChangesParams): Slices<ChangesResult> {
    const other = yield* this.#otherOf(params);
    const compared = this.#changes.get(
      keyOf(params, false),
      () => new ComputedOnce(() => this.#compareFunctions(selected, other, params)),
    );
    const { rows, total } = yield* compared.get();
    const sorted = sortChanges(rows, params.by);
    yield;
    const funcs = this.#mine.profile.funcs.length;
    return {
      rows: sorted
        .slice(0, MAX_CHANGES)
        .map(({ id, ...row }) => ({ ...row, func: id < funcs ? id : NONE })),
      length: rows.length,
      total,
      renamed: this.#renamed,
    };
  }

  *#compareFunctions(
    selected: Selected,
    other: Selected,
    selection: Selection,
  ): Slices<ComparedFunctions> {
    const here = yield* runOf(
      selected,
      this.#mineFunc,
      secondsOf(selected.profile, rangeOf(selection)),
    );
    const there = yield* runOf(other, this.#otherFunc, secondsOf(other.profile));
    return yield* compareFunctions([here], [there]);
  }

  /** What was chosen by rows of the one recording means nothing in the other. */
  #otherOf({ event, weight, level, group }: Selection): Slices<Selected> {
    return this.#others.get({
      event: this.#otherEvent(event),
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
  }

  *#layOver(
    selected: Selected,
    other: Selected,
    inverted: boolean,
    scales: DiffScales,
  ): Slices<LaidOver> {
    const tree = yield* treeOf(selected, inverted);
    const otherTree = yield* treeOf(other, inverted);
    yield;
    const mineTree = {
      ...tree,
      group: tree.group.map((group) => this.#mineGroup[group]),
    };
    const diff = yield* diffTrees(mineTree, otherTree, this.#otherGroup, scales);
    yield;
    return { diff, shown: toShownTree(diff.tree) };
  }

  #otherEvent(event: number): number {
    const { name } = this.#mine.profile.events[event];
    const { events } = this.#other.profile;
    const other = events.findIndex((candidate) => candidate.name === name);
    if (other >= 0) return other;
    // The same event with other modifiers: `cycles` and `cycles:u`.
    const plain = (text: string) => text.replace(/:[a-zA-Z]*$/, '');
    const similar = events.findIndex((candidate) => plain(candidate.name) === plain(name));
    if (similar >= 0) return similar;
    const names = this.#other.profile.events.map((candidate) => candidate.name).join(', ');
    throw new RangeError(`the other recording has no event ${name}; it has ${names}`);
  }
}

function* treeOf(selected: Selected, inverted: boolean): Slices<CallTree> {
  const { tree } = yield* selected.callees();
  return inverted ? yield* invertCallTree(tree, tree.weight * LEAST_CALLER) : tree;
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
          keysOfSelected(innermostFuncs(profile), samples),
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
function* runOf(
  selected: Selected,
  idOfFunc: Int32Array,
  seconds: number | null,
): Slices<ComparedRun> {
  const estimator = yield* selected.estimator();
  const { tree } = yield* selected.callees();
  const { weights } = selected;
  const { weight, lost } = tree;
  const { counted } = selected;
  return {
    rows: yield* sharedRows(selected, idOfFunc),
    nothing: estimator && boundsOfNothing(estimator, tree),
    total: {
      value: weight,
      interval:
        estimator && boundsOfTotal({ weight, lost, kind: weights.kind, estimator, counted }),
    },
    unit: weights.unit,
    seconds,
  };
}

function rangeOf({ fromNs, toNs }: Selection): [TimeRange] | undefined {
  return fromNs === null || toNs === null ? undefined : [{ fromNs, toNs }];
}

type OfBoth<Value> = readonly [mine: Value, other: Value];

/** The measure asked for, or the next best that the recordings have. */
function measureFor(
  by: DiffMeasure,
  isSameUnit: boolean,
  seconds: readonly (number | null)[],
): DiffMeasure {
  if (!isSameUnit) return 'share';
  return by === 'second' && seconds.includes(null) ? 'absolute' : by;
}

function scalesFor(
  by: DiffMeasure,
  trees: OfBoth<CallTree>,
  seconds: readonly (number | null)[],
): DiffScales {
  const [mine, other] = trees.map(({ weight }, side) => {
    if (by === 'share') return weight > 0 ? 1 / weight : 0;
    return by === 'second' ? 1 / (seconds[side] ?? 1) : 1;
  });
  return { mine, other };
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
