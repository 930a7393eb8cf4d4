import { element } from '../dom.ts';
import { kindColour } from '../flame/frame-colours.ts';
import { isInlined } from '../flame/frame-nodes.ts';
import { formatCount, formatShare, formatWeight } from '../format.ts';
import type { FrameKey, TreeResult } from '../worker/messages.ts';
import { focusRow, shareCell } from './data-table.ts';

/** A row as it is shown; children come when it is opened for the first time. */
export type TreeNode = {
  readonly result: TreeResult;
  readonly row: number;
  readonly path: readonly FrameKey[];
  readonly depth: number;
  readonly line: HTMLTableRowElement;
  children: TreeNode[] | null;
  isOpen: boolean;
};

/**
 * Row `row` of `result` below the frames of `path`, closed. `funcs`: how many functions the recording has.
 */
export function renderTreeRow(
  result: TreeResult,
  row: number,
  { path, depth, funcs }: { path: readonly FrameKey[]; depth: number; funcs: number },
): TreeNode {
  const { rows, labels, unit, weight } = result;
  const label = rows.label[row];
  const key = labels.key[label];
  const folded = rows.folded[row];
  const line = element('tr', labels.isMatch[label] === 1 ? 'is-match' : '');
  const node: TreeNode = {
    result,
    row,
    path: folded > 0 ? path : [...path, key],
    depth,
    line,
    children: null,
    isOpen: false,
  };
  const total = rows.total[row];
  const self = rows.self[row];
  const share = weight === 0 ? 0 : total / weight;
  const twist = element('button', 'twist', '▸');
  twist.type = 'button';
  twist.tabIndex = -1;
  twist.setAttribute('aria-hidden', 'true');
  const swatch = element('span', 'swatch');
  swatch.style.background = kindColour(labels.kind[label]);
  const name = folded > 0 ? `(${formatCount(folded)} lighter frames)` : (labels.name[label] ?? '');
  const suffix = isInlined(key, funcs) ? ' (inlined)' : '';
  const place = labels.dso[label].replace(/^.*\//, '');
  const cell = element(
    'span',
    'name-cell',
    twist,
    swatch,
    element('span', 'name', name + suffix),
    element('span', 'beside', place),
  );
  cell.style.paddingLeft = `${depth * 14}px`;
  cell.title = [name, labels.dso[label], labels.place[label]].filter(Boolean).join('\n');
  line.append(
    element('td', 'number', shareCell(formatShare(share), share)),
    element('td', 'number', self === 0 ? '' : formatShare(weight === 0 ? 0 : self / weight)),
    ...(unit === 'samples' ? [] : [element('td', 'number', formatWeight(total, unit))]),
    element('td', 'number', folded > 0 ? '' : formatCount(rows.samples[row])),
    element('td', '', cell),
  );
  line.tabIndex = -1;
  line.dataset.key = `row ${[...path, key].join()}`;
  line.setAttribute('aria-level', String(depth + 1));
  // What was spent in the callees, or folded below it.
  const canOpen = folded > 0 ? false : total - self > 1e-9 * total;
  if (canOpen) line.setAttribute('aria-expanded', 'false');
  twist.hidden = !canOpen;
  return node;
}

export const totalOf = ({ result, row }: TreeNode): number => result.rows.total[row];

/** The children that came with the row are all of them: none is folded. */
export function hasWholeBranch({ result, row }: TreeNode): boolean {
  const { prefix, folded } = result.rows;
  let children = 0;
  for (let child = row + 1; child < prefix.length; child++) {
    if (prefix[child] !== row) continue;
    if (folded[child] > 0) return false;
    children++;
  }
  return children > 0;
}

/** FrameKey of a row. */
export function keyOf({ result, row }: TreeNode): number {
  return result.labels.key[result.rows.label[row]];
}

export function visibleLines(node: TreeNode): HTMLTableRowElement[] {
  const below = node.isOpen ? (node.children ?? []).flatMap(visibleLines) : [];
  return [node.line, ...below];
}

export function allLines(node: TreeNode): HTMLTableRowElement[] {
  return [node.line, ...(node.children ?? []).flatMap(allLines)];
}

export function focusParent(line: HTMLElement): void {
  const level = Number(line.getAttribute('aria-level'));
  let above = line.previousElementSibling;
  while (above !== null && Number(above.getAttribute('aria-level')) >= level) {
    above = above.previousElementSibling;
  }
  focusRow(above, line);
}
