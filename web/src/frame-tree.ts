import type { FlameGraphData, FlameTree, FlameView } from '../../src/export/flame-graph-data.ts';

/** One frame as the chart wants it. The chart adds marks of its own while zooming. */
export type FrameNode = {
  readonly name: string;
  readonly value: number;
  /** Row of the tree, −1 for the root that stands for the whole view. */
  readonly row: number;
  readonly children: FrameNode[];
};

/** The tree's columns as nested nodes below one root. */
export function toFrameNodes(data: FlameGraphData, view: FlameView, tree: FlameTree): FrameNode {
  const root: FrameNode = { name: view.title, value: view.weight, row: -1, children: [] };
  const nodes: FrameNode[] = [];
  for (let row = 0; row < tree.prefix.length; row++) {
    const name = data.labels.name[tree.label[row] as number] as string;
    const node: FrameNode = { name, value: tree.total[row] as number, row, children: [] };
    nodes.push(node);
    const parent = tree.prefix[row] as number;
    (parent < 0 ? root : (nodes[parent] as FrameNode)).children.push(node);
  }
  return root;
}
