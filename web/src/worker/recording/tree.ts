import { NONE } from '../../../../src/base/brand.ts';
import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import { boundsOfShare } from '../../../../src/profile/analysis/shares/share-bounds.ts';
import { sumStepsByTreeRow } from '../../../../src/profile/analysis/shares/share-steps.ts';
import type { CallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import {
  type PrunedTree,
  preparePruning,
  pruneTree,
} from '../../../../src/profile/analysis/trees/prune-tree.ts';
import {
  type FrameKey,
  MAX_ROWS,
  type TreeIntervals,
  type TreeParams,
  type TreeRows,
} from '../messages/messages.ts';
import { FOLDED_KEY, LabelCollector, nameOfKey } from './labels.ts';
import type { Matching } from './matching.ts';
import { Recent } from './recent.ts';
import { outermostMatches } from './search.ts';
import type { Selected } from './selected.ts';
import { openPart } from './shown-chains.ts';
import type { DrawnTree, ShownTree } from './shown-tree.ts';

/** The least part where the page does not say: narrower rows can't be seen on a screen of 3 840 pixels. */
const LEAST_PART = 1 / 8000;

const NO_ROWS = new Int32Array(0);

export type DrawOptions = Pick<TreeParams, 'roots' | 'order' | 'zoom'> & {
  readonly leastPart?: number;
  readonly maxRows?: number;
};

/** The tree that `params` ask for, as it is sent to the page. */
export function* drawSelected(
  selected: Selected,
  params: TreeParams,
  matching: Matching | null,
): Slices<DrawnTree> {
  const { inverted, zoom, roots, leastPart, order } = params;
  const key = JSON.stringify(params);
  if (inverted || roots === 'none') {
    const shown = yield* inverted ? selected.callers(zoom) : selected.callees();
    yield;
    shown.drawn ??= new Recent(3);
    return shown.drawn.get(key, () =>
      drawTree(selected, shown, { ...params, roots: 'none' }, matching),
    );
  }
  const chains = yield* selected.chains(roots);
  yield;
  return chains.drawn.get(key, () => {
    const isByTime = order === 'time';
    if (isByTime) selected.firstSamplesOfChains(chains);
    const { shown, wanted } = openPart(chains, zoom, leastPart ?? LEAST_PART, matching, isByTime);
    return drawTree(selected, shown, params, matching, wanted);
  });
}

/** Prunes `shown` below `zoom` and names what is left. */
export function drawTree(
  selected: Pick<Selected, 'recording' | 'weights' | 'firstSamples'>,
  shown: ShownTree,
  { roots, order, zoom, leastPart = LEAST_PART, maxRows = MAX_ROWS }: DrawOptions,
  matching: Matching | null,
  wanted = matching === null ? NO_ROWS : outermostMatches(shown, matching),
): DrawnTree {
  const { recording, weights } = selected;
  const { tree, key } = shown;
  const path = findPath(shown, zoom);
  const below = path.at(-1) ?? NONE;
  const zoomWeight = below === NONE ? tree.weight : tree.total[below];
  const name = (row: number): string => nameOfKey(recording, key[row], roots);
  const first = order === 'time' ? selected.firstSamples(shown) : NO_ROWS;
  shown.prunable ??= preparePruning(tree, shown.rowsBelow);
  const pruned = pruneTree(shown.prunable, {
    below,
    maxRows: Math.min(maxRows, MAX_ROWS),
    leastTotal: zoomWeight * leastPart,
    compare: ORDERS[order](tree, name, first),
    wanted,
  });
  const labels = new LabelCollector(recording, roots, matching?.isMatch ?? null);
  const rows = collectRows(shown, pruned, labels);
  const crumbs = path.map((row) => ({
    key: key[row],
    name: name(row),
    label: labels.add(key[row]),
    total: tree.total[row],
    self: tree.self[row],
    samples: shown.samples[row],
    tier: shown.tierOf(row),
  }));
  return {
    shown,
    pruned,
    result: {
      rows,
      labels: labels.finish(),
      zoom: crumbs,
      weight: tree.weight,
      zoomWeight,
      samples: tree.samples,
      unit: weights.unit,
      withoutStack: tree.withoutStack,
      allRows: pruned.allRows,
      foldedRows: pruned.foldedRows,
      foldedWeight: pruned.foldedWeight,
    },
  };
}

type Compare = (a: number, b: number) => number;

/** How the rows below one row are ordered. `first`: the first sample of each row, for time only. */
const ORDERS: {
  readonly [Order in TreeParams['order']]: (
    tree: CallTree,
    name: (row: number) => string,
    first: Int32Array,
  ) => Compare;
} = {
  weight: (tree, name) => (a, b) => tree.total[b] - tree.total[a] || compareText(name(a), name(b)),
  name: (tree, name) => (a, b) => compareText(name(a), name(b)) || tree.total[b] - tree.total[a],
  time: (_tree, _name, first) => (a, b) => first[a] - first[b] || a - b,
};

/** The columns of the rows left, each with a row of `labels`. */
function collectRows(
  { tree, key, samples, tierOf }: ShownTree,
  pruned: PrunedTree,
  labels: LabelCollector,
): TreeRows {
  const length = pruned.row.length;
  const rows = {
    prefix: pruned.prefix,
    label: new Int32Array(length),
    total: pruned.total,
    self: new Float64Array(length),
    samples: new Float64Array(length),
    tier: new Uint8Array(length),
    folded: pruned.folded,
  };
  for (let i = 0; i < length; i++) {
    const row = pruned.row[i];
    rows.label[i] = labels.add(row === NONE ? FOLDED_KEY : key[row]);
    if (row === NONE) continue;
    rows.self[i] = tree.self[row];
    rows.samples[i] = samples[row];
    rows.tier[i] = tierOf(row);
  }
  return rows;
}

/** Rows from the outermost to the one zoomed into, as far as the path exists. */
// Hot: once per row. A child comes after its parent, so one pass finds all of them.
function findPath({ tree, key }: ShownTree, zoom: readonly FrameKey[]): number[] {
  const path: number[] = [];
  let parent: number = NONE;
  for (let row = 0; row < tree.length && path.length < zoom.length; row++) {
    if (tree.prefix[row] !== parent || key[row] !== zoom[path.length]) continue;
    path.push(row);
    parent = row;
  }
  return path;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Intervals of the rows that were drawn. */
export function* intervalsOf(
  selected: Selected,
  { shown, pruned }: DrawnTree,
): Slices<TreeIntervals> {
  const { length } = pruned.row;
  const low = new Float64Array(length).fill(Number.NaN);
  const high = new Float64Array(length).fill(Number.NaN);
  const estimator = yield* selected.estimator();
  const { tree, samples, chains } = shown;
  const arrived = tree.weight - tree.lost;
  if (estimator === null || estimator.isExact || arrived <= 0) return { low, high };
  // All rows of a chain have the same samples.
  const whole = chains === undefined ? shown : chains.of;
  const rowOfSample = chains === undefined ? shown.rowOfSample : chains.of.chainOfSample;
  const prefix = chains === undefined ? tree.prefix : chains.of.openable.tree.prefix;
  whole.stepSums ??= new ComputedOnce(() =>
    sumStepsByTreeRow(estimator.steps, rowOfSample, prefix),
  );
  const sums = yield* whole.stepSums.get();
  for (let i = 0; i < length; i++) {
    const row = pruned.row[i];
    // No sample shows what was lost.
    if (row === NONE || samples[row] === 0) continue;
    const share = tree.total[row] / tree.weight;
    const interval = boundsOfShare(estimator, tree, share, sums, chains?.chain[row] ?? row);
    low[i] = interval.low;
    high[i] = interval.high;
  }
  return { low, high };
}
