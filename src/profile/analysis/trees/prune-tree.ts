import { NONE } from '../../../base/brand.ts';
import { type CallTree, type ChildLists, computeChildLists, sumSubtrees } from './call-tree.ts';

/**
 * The part of a tree that is worth drawing: its heaviest rows, and one row for each parent that
 * stands for the children which were left out.
 *
 *     tree                     pruned to 4 rows
 *     main      100            main       100
 *     ├ work     90            ├ work      90
 *     │ ├ a       2            │ └ (2)      3     row −1, folded 2
 *     │ └ b       1            └ wait      10
 *     └ wait     10
 *
 * Parents come before children, and siblings in the order asked for; rows for folded ones last.
 */
export type PrunedTree = {
  /** Row of the tree; −1 where it stands for folded ones. */
  readonly row: Int32Array;
  /** Row of this table; −1 directly below `below`. */
  readonly prefix: Int32Array;
  readonly total: Float64Array;
  /** How many rows of the tree a folded row stands for, all levels; else 0. */
  readonly folded: Int32Array;
  /** Rows of the tree below `below`; those of them that are not drawn one by one, and their self. */
  readonly allRows: number;
  readonly foldedRows: number;
  readonly foldedWeight: number;
};

/** A tree with the way down, made once for many prunings of it. */
export type PrunableTree = {
  readonly tree: CallTree;
  readonly children: ChildLists;
  /** Rows below each row, itself included. */
  readonly rowsBelow: Float64Array;
};

/** `tree` may be a part of one if `rowsBelow` says how many rows of the whole are below each. */
export function preparePruning(tree: CallTree, rowsBelow?: Float64Array): PrunableTree {
  return {
    tree,
    children: computeChildLists(tree.prefix),
    rowsBelow: rowsBelow ?? sumSubtrees(tree.prefix, new Float64Array(tree.length).fill(1)),
  };
}

export type PruneOptions = {
  /** Only rows below this one; −1: all. */
  readonly below: number;
  readonly maxRows: number;
  /** Lighter rows are folded, however few there are. */
  readonly leastTotal: number;
  /** Order of siblings, rows of the tree: negative if a comes first. */
  readonly compare: (a: number, b: number) => number;
  /** Rows that are kept with their callers, if there is room, before heavier ones. */
  readonly wanted: Int32Array;
};

/** Wanted rows of which all beyond so many are never kept. */
export function roomForWanted(maxRows: number): number {
  return Math.floor(Math.floor(maxRows * KEPT_PART) * WANTED_PART);
}

/** Rows for folded ones take the rest. */
const KEPT_PART = 0.8;
/** Part of the kept rows that wanted ones may take. */
const WANTED_PART = 0.5;

/** Looks only at rows that are heavy enough, and their children: a small part of a large tree. */
export function pruneTree(prunable: PrunableTree, options: PruneOptions): PrunedTree {
  const kept = new Set<number>();
  const room = Math.floor(options.maxRows * KEPT_PART);
  keepWanted(prunable.tree, options, kept, roomForWanted(options.maxRows));
  keepHeaviest(prunable, options, kept, room);
  return arrangeRows(prunable, kept, options);
}

/** Keeps the heaviest of the wanted rows, and their callers, at most `room`. */
function keepWanted(
  { total, prefix }: CallTree,
  { wanted, below }: PruneOptions,
  kept: Set<number>,
  room: number,
): void {
  const totals = Float64Array.from(wanted, (row) => total[row]);
  const least = wanted.length > room ? nthLargest(totals, room) : 0;
  const heaviest = [...wanted.filter((row) => total[row] >= least)].sort(
    (a, b) => total[b] - total[a] || a - b,
  );
  for (const row of heaviest) {
    const missing: number[] = [];
    let above = row;
    for (; above !== below && above !== NONE && !kept.has(above); above = prefix[above]) {
      missing.push(above);
    }
    // It is not below the zoomed row.
    if (above === NONE && below !== NONE) continue;
    if (kept.size + missing.length > room) break;
    for (const caller of missing) kept.add(caller);
  }
}

function keepHeaviest(
  { tree, children }: PrunableTree,
  { below, leastTotal }: PruneOptions,
  kept: Set<number>,
  room: number,
): void {
  const { total } = tree;
  const { firstRoot, firstChild, nextSibling } = children;
  // Callers before what they call: the order in which equally heavy rows are taken.
  const heavy: number[] = [];
  const addChildren = (first: number): void => {
    for (let row = first; row !== NONE; row = nextSibling[row]) {
      if (total[row] >= leastTotal) heavy.push(row);
    }
  };
  addChildren(below === NONE ? firstRoot : firstChild[below]);
  for (let i = 0; i < heavy.length; i++) addChildren(firstChild[heavy[i]]);
  const rows = heavy.filter((row) => !kept.has(row));
  const left = room - kept.size;
  if (rows.length <= left) {
    for (const row of rows) kept.add(row);
    return;
  }
  const least = nthLargest(
    Float64Array.from(rows, (row) => total[row]),
    left,
  );
  const heavier = rows.filter((row) => total[row] > least);
  const equal = rows.filter((row) => total[row] === least);
  for (const row of heavier) kept.add(row);
  for (const row of equal.slice(0, left - heavier.length)) kept.add(row);
}

function arrangeRows(
  { tree, children, rowsBelow }: PrunableTree,
  kept: ReadonlySet<number>,
  { below, leastTotal, compare, maxRows }: PruneOptions,
): PrunedTree {
  const { total, self } = tree;
  const { firstRoot, firstChild, nextSibling } = children;
  const row: number[] = [];
  const prefix: number[] = [];
  const weight: number[] = [];
  const folded: number[] = [];
  let allRows = 0;
  let wholeWeight = 0;
  let keptSelf = 0;
  /** Weight folded below each kept row, by its place in the table; −1: directly below `below`. */
  const folds: { readonly parent: number; readonly weight: number; readonly rows: number }[] = [];
  const addChildren = (parent: number, first: number): void => {
    const siblings: number[] = [];
    let foldedWeight = 0;
    let foldedRows = 0;
    for (let child = first; child !== NONE; child = nextSibling[child]) {
      if (parent === NONE) {
        allRows += rowsBelow[child];
        wholeWeight += total[child];
      }
      if (kept.has(child)) {
        siblings.push(child);
      } else {
        foldedWeight += total[child];
        foldedRows += rowsBelow[child];
      }
    }
    for (const child of siblings.sort(compare)) {
      row.push(child);
      prefix.push(parent);
      weight.push(total[child]);
      folded.push(0);
      keptSelf += self[child];
    }
    if (foldedRows > 0) folds.push({ parent, weight: foldedWeight, rows: foldedRows });
  };
  addChildren(NONE, below === NONE ? firstRoot : firstChild[below]);
  for (let i = 0; i < row.length; i++) addChildren(i, firstChild[row[i]]);

  const keptRows = row.length;
  folds.sort((a, b) => b.weight - a.weight || a.parent - b.parent);
  for (const fold of folds.slice(0, maxRows - keptRows)) {
    if (fold.weight === 0 || fold.weight < leastTotal) break;
    row.push(NONE);
    prefix.push(fold.parent);
    weight.push(fold.weight);
    folded.push(fold.rows);
  }
  return {
    row: Int32Array.from(row),
    prefix: Int32Array.from(prefix),
    total: Float64Array.from(weight),
    folded: Int32Array.from(folded),
    allRows,
    foldedRows: allRows - keptRows,
    foldedWeight: Math.max(0, wholeWeight - keptSelf),
  };
}

/** The n-th largest of `values`, counted from 1; the values change places (Hoare's selection). */
export function nthLargest(values: Float64Array, n: number): number {
  if (n <= 0) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = values.length - 1;
  const wanted = Math.min(n, values.length) - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] > pivot) i++;
      while (values[j] < pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted];
}
