import type { FrameKey, TreeResult } from '../worker/messages.ts';

/** One frame as the chart wants it. The chart adds marks of its own while drawing. */
export type FrameNode = {
  readonly name: string;
  readonly value: number;
  /** Row of `TreeResult.rows`; −1 for the root: the zoomed frame, or everything. */
  readonly row: number;
  readonly children: FrameNode[];
  readonly parent: FrameNode | null;
};

/** The tree's columns as nested nodes below one root, siblings in their order. */
export function toFrameNodes(result: TreeResult, title: string, funcs: number): FrameNode {
  const { rows, labels } = result;
  const root: FrameNode = {
    name: result.zoom.at(-1)?.name ?? title,
    value: result.zoomWeight,
    row: -1,
    children: [],
    parent: null,
  };
  const nodes: FrameNode[] = [];
  for (let row = 0; row < rows.prefix.length; row++) {
    const above = rows.prefix[row];
    const parent = above < 0 ? root : nodes[above];
    const label = rows.label[row];
    const folded = rows.folded[row];
    const name = folded > 0 ? `(${folded} folded)` : labels.name[label];
    const node: FrameNode = {
      name: isInlined(labels.key[label], funcs) ? `${name} (inlined)` : name,
      value: rows.total[row],
      row,
      children: [],
      parent,
    };
    nodes.push(node);
    parent.children.push(node);
  }
  return root;
}

/** Keys of inlined calls are a number of functions further on. */
export function isInlined(key: FrameKey, funcs: number): boolean {
  return key >= funcs && key < 2 * funcs;
}

/** The whole path to a node, for `ViewState.zoom`. */
export function pathOf(result: TreeResult, node: FrameNode): FrameKey[] {
  const path: FrameKey[] = [];
  for (let at: FrameNode | null = node; at !== null && at.row >= 0; at = at.parent) {
    path.push(result.labels.key[result.rows.label[at.row]]);
  }
  return [...result.zoom.map(({ key }) => key), ...path.reverse()];
}
