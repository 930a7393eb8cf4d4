import { formatCount, formatShare } from '../ask/format.ts';
import { type MenuItem, showMenu } from '../controls/frame-menu.ts';
import type { PlaceInWindow } from '../dom/dom.ts';
import { treeParams } from '../state/selection.ts';
import type { ViewContext } from '../state/view-context.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import type { TreeResult } from '../worker/messages/messages.ts';
import { type FrameNode, pathOf } from './frame-nodes.ts';

/** Items of the list at most: nobody reads further. */
const MOST_ITEMS = 200;

/**
 * Lists the heaviest of the frames that `node` stands for, each with its share of all; choosing one zooms
 * into it. They may be so many that no picture could show them to scale.
 */
export async function listFolded(
  context: ViewContext,
  tree: TreeResult,
  node: FrameNode,
  at: PlaceInWindow,
): Promise<void> {
  const { store, ask } = context;
  const state = store.get();
  const { parent } = node;
  const zoom = parent === null ? [] : pathOf(tree, parent);
  const all = await ask('tree', { ...treeParams({ ...state, zoom }, 0), search: '' });
  // The person may have gone on meanwhile.
  if (store.get() !== state) return;
  const drawn = new Set(
    parent?.children.filter(({ folded }) => folded === 0).map((own) => tree.labels.key[own.label]),
  );
  const rows = childrenOfZoomed(all).filter(
    (row) => !drawn.has(all.labels.key[all.rows.label[row]]),
  );
  rows.sort((a, b) => all.rows.total[b] - all.rows.total[a]);
  const items = rows.slice(0, MOST_ITEMS).map((row): MenuItem => {
    const label = all.rows.label[row];
    const key = all.labels.key[label];
    const func = funcOf(key);
    const share = all.weight === 0 ? 0 : all.rows.total[row] / all.weight;
    return {
      label: `${formatShare(share)} ${all.labels.name[label]}`,
      run: () => store.change({ zoom: [...zoom, key], ...(func < 0 ? {} : { func }) }),
    };
  });
  const title =
    rows.length > items.length
      ? `The heaviest of ${formatCount(node.folded)} folded frames`
      : `${formatCount(node.folded)} folded frames`;
  if (items.length > 0) showMenu(title, items, at);
}

/** Rows directly below the zoomed one, without those that stand for others. */
function childrenOfZoomed({ rows }: TreeResult): number[] {
  const found: number[] = [];
  for (let row = 0; row < rows.prefix.length; row++) {
    if (rows.prefix[row] < 0 && rows.folded[row] === 0) found.push(row);
  }
  return found;
}
