import { NONE } from '../base/brand.ts';
import type { CallTree } from './call-tree.ts';

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
 * Parents come before children, and siblings in the order asked for.
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

export type PruneOptions = {
  /** Only rows below this one; −1: all. */
  readonly below: number;
  readonly maxRows: number;
  /** Lighter rows are folded, however few there are. */
  readonly leastTotal: number;
  /** Of siblings, rows of the tree: negative if a comes first. */
  readonly compare: (a: number, b: number) => number;
  /** 1: kept if there is room, with its callers, before heavier ones. Null: none. */
  readonly isWanted: Uint8Array | null;
};

/** Prunes `tree`: a few passes over its rows, however few are kept. */
export function pruneTree(tree: CallTree, options: PruneOptions): PrunedTree {
  const isInside = findRowsBelow(tree.prefix, options.below);
  const isKept = chooseRows(tree, isInside, options);
  return arrangeRows(tree, isInside, isKept, options);
}

/** 1 for all rows below `row`, itself not. */
// Hot: once per row; so are the loops below.
function findRowsBelow(prefix: Int32Array, row: number): Uint8Array {
  const isInside = new Uint8Array(prefix.length);
  if (row === NONE) return isInside.fill(1);
  for (let i = row + 1; i < prefix.length; i++) {
    const caller = prefix[i] as number;
    if (caller === row || (caller !== NONE && isInside[caller] === 1)) isInside[i] = 1;
  }
  return isInside;
}

/** Rows for folded ones take the rest. */
const KEPT_PART = 0.8;
/** What is wanted takes no more of it. */
const WANTED_PART = 0.5;

function chooseRows(tree: CallTree, isInside: Uint8Array, options: PruneOptions): Uint8Array {
  const { total, prefix, length } = tree;
  const isKept = new Uint8Array(length);
  const room = Math.floor(options.maxRows * KEPT_PART);
  let left = room;
  if (options.isWanted !== null) {
    left -= keepWanted(tree, isInside, options.isWanted, isKept, Math.floor(room * WANTED_PART));
  }
  const candidates = new Float64Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) {
    if (isInside[row] === 0 || isKept[row] === 1) continue;
    if ((total[row] as number) >= options.leastTotal) candidates[count++] = total[row] as number;
  }
  const least =
    count <= left ? options.leastTotal : nthLargest(candidates.subarray(0, count), left);
  let heavier = 0;
  for (let i = 0; i < count; i++) if ((candidates[i] as number) > least) heavier++;
  // Of equal ones the first: callers come before what they call, and weigh no less.
  let equals = count <= left ? count : left - heavier;
  for (let row = 0; row < length; row++) {
    if (isInside[row] === 0 || isKept[row] === 1) continue;
    const weight = total[row] as number;
    if (weight < least || weight < options.leastTotal) continue;
    if (weight === least && equals-- <= 0) continue;
    const caller = prefix[row] as number;
    if (caller !== NONE && isInside[caller] === 1 && isKept[caller] === 0) continue;
    isKept[row] = 1;
  }
  return isKept;
}

/** Flags wanted rows, heaviest first, and their callers, at most `room`; returns how many. */
function keepWanted(
  { total, prefix, length }: CallTree,
  isInside: Uint8Array,
  isWanted: Uint8Array,
  isKept: Uint8Array,
  room: number,
): number {
  const wanted: number[] = [];
  for (let row = 0; row < length; row++) {
    if (isInside[row] === 1 && isWanted[row] === 1) wanted.push(row);
  }
  wanted.sort((a, b) => (total[b] as number) - (total[a] as number) || a - b);
  let kept = 0;
  for (const row of wanted) {
    let missing = 0;
    let above = row;
    for (; isMissing(above); above = prefix[above] as number) missing++;
    if (kept + missing > room) break;
    kept += missing;
    for (above = row; isMissing(above); above = prefix[above] as number) isKept[above] = 1;
  }
  return kept;

  function isMissing(row: number): boolean {
    return row !== NONE && isInside[row] === 1 && isKept[row] === 0;
  }
}

function arrangeRows(
  tree: CallTree,
  isInside: Uint8Array,
  isKept: Uint8Array,
  options: PruneOptions,
): PrunedTree {
  const { prefix, total, self, length } = tree;
  // By row of the tree, the top of all at the end: what was folded directly below it.
  const foldedTotal = new Float64Array(length + 1);
  const foldedCount = new Int32Array(length + 1);
  const slotOf = new Int32Array(length);
  const children = new Map<number, number[]>();
  let allRows = 0;
  let foldedRows = 0;
  let foldedWeight = 0;
  for (let row = 0; row < length; row++) {
    if (isInside[row] === 0) continue;
    allRows++;
    const caller = prefix[row] as number;
    const isTop = caller === NONE || isInside[caller] === 0;
    if (isKept[row] === 1) {
      const parent = isTop ? length : caller;
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [row]);
      else siblings.push(row);
      continue;
    }
    foldedRows++;
    foldedWeight += self[row] as number;
    const isFirst = isTop || isKept[caller] === 1;
    const slot = isTop ? length : isFirst ? caller : (slotOf[caller] as number);
    slotOf[row] = slot;
    foldedCount[slot] = (foldedCount[slot] as number) + 1;
    if (isFirst) foldedTotal[slot] = (foldedTotal[slot] as number) + (total[row] as number);
  }
  const slots: number[] = [];
  for (let slot = 0; slot <= length; slot++) {
    const weight = foldedTotal[slot] as number;
    if (weight > 0 && weight >= options.leastTotal) slots.push(slot);
  }
  slots.sort((a, b) => (foldedTotal[b] as number) - (foldedTotal[a] as number) || a - b);
  const shownSlots = new Set(slots.slice(0, options.maxRows - (allRows - foldedRows)));

  const out = { row: [] as number[], prefix: [] as number[], total: [] as number[] };
  const folded: number[] = [];
  const push = (row: number, parent: number, weight: number, count: number): void => {
    out.row.push(row);
    out.prefix.push(parent);
    out.total.push(weight);
    folded.push(count);
  };
  const addChildren = (parent: number, outParent: number): void => {
    for (const row of (children.get(parent) ?? []).sort(options.compare)) {
      push(row, outParent, total[row] as number, 0);
    }
    if (!shownSlots.has(parent)) return;
    push(NONE, outParent, foldedTotal[parent] as number, foldedCount[parent] as number);
  };
  addChildren(length, NONE);
  for (let i = 0; i < out.row.length; i++) {
    if (out.row[i] !== NONE) addChildren(out.row[i] as number, i);
  }
  return {
    row: Int32Array.from(out.row),
    prefix: Int32Array.from(out.prefix),
    total: Float64Array.from(out.total),
    folded: Int32Array.from(folded),
    allRows,
    foldedRows,
    foldedWeight,
  };
}

/** The n-th largest of `values`, counted from 1; the values change places (Hoare's selection). */
export function nthLargest(values: Float64Array, n: number): number {
  if (n <= 0) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = values.length - 1;
  const wanted = Math.min(n, values.length) - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] as number;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] as number) > pivot) i++;
      while ((values[j] as number) < pivot) j--;
      if (i > j) break;
      const value = values[i] as number;
      values[i++] = values[j] as number;
      values[j--] = value;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted] as number;
}
