import { NONE } from '../../../src/base/brand.ts';
import { ComputedOnce, eachSlice, type Slices } from '../../../src/base/slices.ts';
import { innermostFuncs } from '../../../src/profile/analysis/call-nodes.ts';
import type { CallTree } from '../../../src/profile/analysis/call-tree.ts';
import {
  compareShares,
  type DiffTree,
  diffTrees,
  type SharedRow,
} from '../../../src/profile/analysis/diff.ts';
import { invertCallTree } from '../../../src/profile/analysis/invert-call-tree.ts';
import type { DsoMatch } from '../../../src/profile/analysis/match-dsos.ts';
import { comparedDsoName } from '../../../src/profile/analysis/match-functions.ts';
import {
  boundsOfLost,
  boundsOfNothing,
  boundsOfShare,
} from '../../../src/profile/analysis/share-bounds.ts';
import {
  keysOfSelected,
  type ShareInterval,
  sumStepsByKey,
} from '../../../src/profile/analysis/share-steps.ts';
import { searchDiff } from './diff-search.ts';
import { type JoinedFunctions, joinFunctions } from './joined-functions.ts';
import { Matchings } from './matching.ts';
import { type ChangesResult, type DiffParams, type DiffResult, MAX_CHANGES } from './messages.ts';
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
  readonly #changes = new Recent<ComputedOnce<ChangesResult>>(2);

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

  *compute(selected: Selected, params: DiffParams): Slices<DiffResult> {
    const other = yield* this.#otherOf(params);
    const laidOver = (inverted: boolean) =>
      this.#laidOver.getInSlices(keyOf(params, inverted), () =>
        this.#layOver(selected, other, inverted),
      );
    const { diff, shown } = yield* laidOver(params.inverted);
    yield;
    const matching = this.matchings.get(params.search);
    const drawn = drawTree(
      {
        recording: this.#joined,
        weights: { ...selected.weights, unit: 'samples' },
        firstSamples: () => NO_SAMPLES,
      },
      shown,
      { roots: 'none', order: 'weight', zoom: params.zoom },
      matching,
    );
    const pick = (column: Float64Array) =>
      Float64Array.from(drawn.pruned.row, (row) => (row === NONE ? Number.NaN : column[row]));
    const upright = matching === null ? null : yield* laidOver(false);
    const { tree: otherTree } = yield* other.callees();
    return {
      tree: drawn.result,
      delta: pick(diff.delta),
      otherShare: pick(diff.otherShare),
      otherWeight: otherTree.weight,
      otherSamples: other.samples.length,
      found: matching && upright && searchDiff(upright, shown, matching),
    };
  }

  /** The heaviest changes of self, with their intervals. */
  *changes(selected: Selected, selection: Selection): Slices<ChangesResult> {
    const other = yield* this.#otherOf(selection);
    const changes = this.#changes.get(
      keyOf(selection, false),
      () => new ComputedOnce(() => this.#compareFunctions(selected, other)),
    );
    return yield* changes.get();
  }

  *#compareFunctions(selected: Selected, other: Selected): Slices<ChangesResult> {
    const changes = yield* compareShares(
      yield* sharedRows(selected, this.#mineFunc),
      yield* sharedRows(other, this.#otherFunc),
      yield* nothingOf(selected),
      yield* nothingOf(other),
    );
    const { length } = changes;
    return { rows: changes.slice(0, MAX_CHANGES), length, renamed: this.#renamed };
  }

  /** What was chosen by rows of the one recording means nothing in the other. */
  #otherOf({ event, weight, level }: Selection): Slices<Selected> {
    return this.#others.get({
      event: this.#otherEvent(event),
      weight,
      level,
      thread: null,
      pid: null,
      cpu: null,
      fromNs: null,
      toNs: null,
      edits: [],
    });
  }

  *#layOver(selected: Selected, other: Selected, inverted: boolean): Slices<LaidOver> {
    const tree = yield* treeOf(selected, inverted);
    const otherTree = yield* treeOf(other, inverted);
    yield;
    const mineTree = {
      ...tree,
      group: tree.group.map((group) => this.#mineGroup[group]),
    };
    const diff = yield* diffTrees(mineTree, otherTree, this.#otherGroup);
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

/** How much a function may have had that no sample showed. */
function* nothingOf(selected: Selected): Slices<ShareInterval | null> {
  const estimator = yield* selected.estimator();
  const { tree } = yield* selected.callees();
  return estimator === null ? null : boundsOfNothing(estimator, tree);
}

function keyOf(
  { event, weight, level, thread, pid, cpu, fromNs, toNs, edits }: Selection,
  inverted: boolean,
) {
  return JSON.stringify([event, weight, level, thread, pid, cpu, fromNs, toNs, edits, inverted]);
}

/** Functions, then the same inlined. */
function groupsOf(funcToJoined: Int32Array, joined: number): Int32Array {
  const { length } = funcToJoined;
  return Int32Array.from({ length: 2 * length }, (_, group) =>
    group < length ? funcToJoined[group] : joined + funcToJoined[group - length],
  );
}
