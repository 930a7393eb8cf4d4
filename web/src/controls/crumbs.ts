import { element } from '../dom.ts';
import { formatShare } from '../format.ts';
import type { Store } from '../store.ts';
import type { TreeResult } from '../worker/messages.ts';

/** The frames zoomed into, outermost first, each a button back to it. Nothing where none is. */
export function renderCrumbs(store: Store, tree: TreeResult): HTMLElement[] {
  if (tree.zoom.length === 0) return [];
  const button = (text: string, depth: number): HTMLElement => {
    const made = element('button', 'crumb', text);
    made.type = 'button';
    made.title = text;
    made.dataset.key = String(depth);
    if (depth === tree.zoom.length) made.ariaCurrent = 'true';
    const path = tree.zoom.slice(0, depth).map(({ key }) => key);
    made.addEventListener('click', () => store.change({ zoom: path }));
    return made;
  };
  const share = tree.weight === 0 ? 0 : tree.zoomWeight / tree.weight;
  return [
    button('all', 0),
    ...tree.zoom.map(({ name }, index) => button(name, index + 1)),
    element('span', 'crumb-share', `${formatShare(share)} of all`),
  ];
}
