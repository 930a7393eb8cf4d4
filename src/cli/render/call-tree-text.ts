import { NONE } from '../../base/brand.ts';
import { formatShare } from '../../base/numbers.ts';
import { type CallTree, computeChildLists } from '../../profile/analysis/trees/call-tree.ts';

/** Characters of indentation: without a bound the text of a deep stack grows with the square of its depth. */
const MAX_INDENT = 300;

/**
 * Draws a call tree, callers above callees, heaviest first:
 *
 *    total    self
 *   66.60%   0.00%  main
 *   66.60%   0.20%  └─ solve
 *
 * Branches below `leastShare` of the whole are cut; where they come to that share together, one line
 * sums them up. Rows deeper than a hundred levels begin with `…` and keep the indentation of their last hundred.
 * `label` gives the printable name of a row's group.
 */
export function formatCallTree(
  tree: CallTree,
  label: (group: number) => string,
  leastShare: number,
): string[] {
  const lines = ['  total    self'];
  const { firstRoot, firstChild, nextSibling } = computeChildLists(tree.prefix);
  const least = leastShare * tree.weight;

  const siblings = (first: number): { shown: number[]; cut: number; cutWeight: number } => {
    const all: number[] = [];
    for (let row = first; row !== NONE; row = nextSibling[row]) all.push(row);
    const shown = all.filter((row) => tree.total[row] >= least);
    shown.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
    const weight = (rows: number[]) => rows.reduce((sum, row) => sum + tree.total[row], 0);
    return { shown, cut: all.length - shown.length, cutWeight: weight(all) - weight(shown) };
  };
  const figures = (total: number, self: number): string =>
    `${formatShare(total / tree.weight).padStart(7)} ${formatShare(self / tree.weight).padStart(7)}`;

  // An explicit stack of lines still to draw: stacks may be deeper than recursion can go.
  type Pending = { row: number; indent: string; branch: string; text?: string };
  const pending: Pending[] = [];
  const push = (first: number, indent: string, isRoot: boolean): void => {
    const { shown, cut, cutWeight } = siblings(first);
    const isCutShown = cut > 0 && cutWeight >= least;
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
  push(firstRoot, '', true);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { row, indent, branch, text } = next;
    if (text !== undefined) {
      lines.push(text);
      continue;
    }
    const total = tree.total[row];
    const self = tree.self[row];
    lines.push(`${figures(total, self)}  ${indent}${branch}${label(tree.group[row])}`);
    const below = branch === '' ? indent : indent + (branch.startsWith('└') ? '   ' : '│  ');
    const isDeep = below.length > MAX_INDENT;
    const kept = isDeep ? `…${below.slice(below.length - MAX_INDENT + 1)}` : below;
    if (firstChild[row] !== NONE) push(firstChild[row], kept, false);
  }
  return lines;
}
