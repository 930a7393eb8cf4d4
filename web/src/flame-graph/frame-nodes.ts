import { formatCount } from '../ask/format.ts';
import { isInlined } from '../worker/messages/frame-key.ts';
import type { FrameKey, TreeResult } from '../worker/messages/messages.ts';

/** One frame as the chart wants it. The chart adds marks of its own while drawing. */
export type FrameNode = {
  readonly name: string;
  /** Weight. */
  readonly value: number;
  /** Weight that it is as wide as: a frame above the zoomed one is no wider than that. */
  readonly drawn: number;
  /** Row of `TreeResult.rows`; −1 for the zoomed frame and those above it. */
  readonly row: number;
  /** Row of `TreeResult.labels`; −1 for everything. */
  readonly label: number;
  readonly self: number;
  readonly samples: number;
  /** Row of `TIERS`. */
  readonly tier: number;
  /** Number of frames that it stands for, 0 for one that is itself. */
  readonly folded: number;
  /** Rows of the picture above it. */
  readonly depth: number;
  readonly children: FrameNode[];
  readonly parent: FrameNode | null;
};

/**
 * The tree's columns as nested nodes, siblings in their order:
 *
 *     all  ─▶ frames above the zoomed one, each alone ─▶ the zoomed frame ─▶ the rows
 *
 * `title` names the outermost; null: the outermost is the first of `result.zoom`.
 */
export function toFrameNodes(result: TreeResult, title: string | null): FrameNode {
  const { rows, labels } = result;
  const chain = chainToZoomed(result, title);
  const zoomed = chain[chain.length - 1];
  const nodes: FrameNode[] = [];
  for (let row = 0; row < rows.prefix.length; row++) {
    const above = rows.prefix[row];
    const label = rows.label[row];
    const folded = rows.folded[row];
    const name = folded > 0 ? `(${formatCount(folded)} folded)` : labels.name[label];
    const node = append(above < 0 ? zoomed : nodes[above], {
      name: nameOf(name, labels.key[label]),
      value: rows.total[row],
      drawn: rows.total[row],
      row,
      label,
      self: rows.self[row],
      samples: rows.samples[row],
      tier: rows.tier[row],
      folded,
    });
    nodes.push(node);
  }
  return chain[0];
}

/** Nodes from everything, or the first of the zoomed path, to the zoomed frame. */
function chainToZoomed(result: TreeResult, title: string | null): FrameNode[] {
  const { zoom, weight, zoomWeight, samples } = result;
  const chain: FrameNode[] = [];
  const common = { drawn: zoomWeight, row: -1, folded: 0 };
  if (title !== null || zoom.length === 0) {
    const everything = { name: title ?? '', value: weight, label: -1, self: 0, samples, tier: 0 };
    chain.push(append(null, { ...common, ...everything }));
  }
  for (const { key, name, total, self, samples: count, label, tier } of zoom) {
    const own = { name: nameOf(name, key), value: total, label, self, samples: count, tier };
    chain.push(append(chain.at(-1) ?? null, { ...common, ...own }));
  }
  return chain;
}

function append(
  parent: FrameNode | null,
  own: Omit<FrameNode, 'children' | 'parent' | 'depth'>,
): FrameNode {
  const depth = parent === null ? 0 : parent.depth + 1;
  const node: FrameNode = { ...own, depth, children: [], parent };
  parent?.children.push(node);
  return node;
}

function nameOf(name: string, key: FrameKey): string {
  return isInlined(key) ? `${name} (inlined)` : name;
}

/** The frames from the outermost one to `node`, without what stands for everything. */
export function framesTo(node: FrameNode): FrameNode[] {
  const path: FrameNode[] = [];
  for (let at: FrameNode | null = node; at !== null; at = at.parent) {
    if (at.label >= 0) path.push(at);
  }
  return path.reverse();
}

/** The whole path to a node, for `ViewState.zoom`. */
export function pathOf({ labels }: TreeResult, node: FrameNode): FrameKey[] {
  return framesTo(node).map(({ label }) => labels.key[label]);
}

/** Whether two trees are zoomed into the same frame. */
export function isSamePlace(a: TreeResult, b: TreeResult): boolean {
  const keysOf = ({ zoom }: TreeResult) => zoom.map(({ key }) => key).join();
  return keysOf(a) === keysOf(b);
}
