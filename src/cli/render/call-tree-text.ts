import { NONE } from '../../base/brand.ts';
import { memoize } from '../../base/memoize.ts';
import { formatShare } from '../../base/numbers.ts';
import { type CallTree, computeChildLists } from '../../profile/analysis/trees/call-tree.ts';
import { clip } from './clip.ts';

/** Characters of indentation: without a bound the text of a deep stack grows with the square of its depth. */
const MAX_INDENT = 300;
/** Indentation from which on a row that is the only one of its caller is drawn right below it, and no deeper. */
const FLAT_INDENT = 60;
/** Columns of the figures in front of a name, and those that a name has at least. */
const FIGURE_COLUMNS = 17;
const LEAST_NAME_COLUMNS = 24;

/** Parts of a call tree that are not drawn. */
export type TreeLimits = {
  /** Share of the whole below which branches are cut. */
  readonly leastShare: number;
  /** Rows to draw at most, the heaviest; default all. */
  readonly rows?: number;
  /** Whether a group is code that only passes a call on: a run of such rows is one line. Default none. */
  readonly isPassage?: (group: number) => boolean;
  /** Columns of the terminal: lines are indented less, and cut, so that they fit. Default: as wide as they are. */
  readonly columns?: number;
};

/**
 * Draws a call tree, callers above callees, heaviest first:
 *
 *    total    self
 *   66.60%   0.00%  main
 *   66.60%   0.20%  └─ solve
 *
 * Branches below the least share of the whole are cut, which is larger where more rows than asked for had it; where
 * they come to that share together, one line sums them up. Rows deeper than a hundred levels begin with `…` and keep
 * the indentation of their last hundred. `label` gives the printable name of a row's group.
 */
export function formatCallTree(
  tree: CallTree,
  label: (group: number) => string,
  {
    leastShare,
    rows = Number.POSITIVE_INFINITY,
    isPassage = () => false,
    columns = Number.POSITIVE_INFINITY,
  }: TreeLimits,
): string[] {
  const lines = ['  total    self'];
  const mostIndent = Math.min(
    MAX_INDENT,
    Math.max(0, columns - FIGURE_COLUMNS - LEAST_NAME_COLUMNS),
  );
  const flatIndent = Math.min(FLAT_INDENT, mostIndent / 2);
  const least = Math.max(leastShare * tree.weight, leastOfHeaviest(tree, rows));
  const shownRows = new ShownRows(tree, least);
  const figures = (total: number, self: number): string =>
    `${formatShare(total / tree.weight).padStart(7)} ${formatShare(self / tree.weight).padStart(7)}`;

  // An explicit stack of lines still to draw: stacks may be deeper than recursion can go.
  type Pending = { row: number; indent: string; branch: string; text?: string };
  const pending: Pending[] = [];
  const push = (parent: number, indent: string): void => {
    const isRoot = parent === NONE;
    const { shown, cut, cutWeight, isCutShown } = shownRows.below(parent);
    const next: Pending[] = shown.map((row, index) => {
      const isLast = index === shown.length - 1 && !isCutShown;
      return { row, indent, branch: isRoot ? '' : isLast ? '└─ ' : '├─ ' };
    });
    if (isCutShown) {
      const text = `${figures(cutWeight, 0)}  ${indent}${isRoot ? '' : '└─ '}… ${cut} smaller`;
      next.push({ row: NONE, indent, branch: '', text });
    }
    for (let i = next.length - 1; i >= 0; i--) pending.push(next[i]);
  };
  push(NONE, '');
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { row, indent, branch, text } = next;
    if (text !== undefined) {
      lines.push(text);
      continue;
    }
    const { last, passed } = shownRows.endOfPassage(row, isPassage);
    const more = passed === 0 ? '' : ` … ${passed} more`;
    const numbers = figures(tree.total[row], tree.self[last]);
    lines.push(clip(`${numbers}  ${indent}${branch}${label(tree.group[row])}${more}`, columns));
    const below = branch === '' ? indent : indent + (branch.startsWith('└') ? '   ' : '│  ');
    const alone = below.length < flatIndent ? NONE : shownRows.onlyBelow(last);
    if (alone !== NONE) {
      pending.push({ row: alone, indent: below, branch: '' });
      continue;
    }
    const isDeep = below.length > mostIndent;
    const kept = isDeep ? `…${below.slice(below.length - mostIndent + 1)}` : below;
    push(last, kept);
  }
  return lines;
}

/** The children of a row that are drawn, heaviest first, and the others together. */
type Below = {
  readonly shown: readonly number[];
  readonly cut: number;
  readonly cutWeight: number;
  /** The others have a line. */
  readonly isCutShown: boolean;
};

/** The rows of a tree that are heavy enough. Each is asked for its children where it is drawn, and where it is passed over. */
class ShownRows {
  readonly #tree: CallTree;
  readonly #least: number;
  /** Children by row; the roots are those of −1. */
  readonly below: (row: number) => Below;

  constructor(tree: CallTree, least: number) {
    this.#tree = tree;
    this.#least = least;
    const { firstRoot, firstChild, nextSibling } = computeChildLists(tree.prefix);
    this.below = memoize((parent) => {
      const all: number[] = [];
      const first = parent === NONE ? firstRoot : firstChild[parent];
      for (let row = first; row !== NONE; row = nextSibling[row]) all.push(row);
      const shown = all.filter((row) => tree.total[row] >= least);
      shown.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
      const weight = (rows: number[]) => rows.reduce((sum, row) => sum + tree.total[row], 0);
      const cut = all.length - shown.length;
      const cutWeight = weight(all) - weight(shown);
      return { shown, cut, cutWeight, isCutShown: cut > 0 && cutWeight >= least };
    });
  }

  /** The only row below one, where nothing else has a line there; −1: there is none. */
  onlyBelow(row: number): number {
    const { shown, isCutShown } = this.below(row);
    return shown.length === 1 && !isCutShown ? shown[0] : NONE;
  }

  /** The last row of the run of passages that begins with a row, and how many they are beyond that. */
  endOfPassage(
    row: number,
    isPassage: (group: number) => boolean,
  ): { readonly last: number; readonly passed: number } {
    const { group, self } = this.#tree;
    let last = row;
    let passed = 0;
    if (!isPassage(group[row])) return { last, passed };
    for (;;) {
      const child = this.onlyBelow(last);
      const hasSelf = self[last] > 0 && self[last] >= this.#least;
      if (child === NONE || hasSelf || !isPassage(group[child])) break;
      last = child;
      passed++;
    }
    return { last, passed };
  }
}

/**
 * The least total of the heaviest rows, so many at most; all that share the largest total where these are more. Callers
 * are no lighter than their callees, so that these are one tree.
 */
function leastOfHeaviest({ length, total }: CallTree, rows: number): number {
  if (length <= rows) return 0;
  const totals = total.slice(0, length).sort();
  const tooLight = totals[length - rows - 1];
  return totals.find((each) => each > tooLight) ?? totals[length - 1];
}
