import { element, pushButton, replaceKeepingFocus } from '../dom.ts';
import { formatShare } from '../format.ts';
import type { Store } from '../store.ts';
import type { TreeResult } from '../worker/messages.ts';

/** The frames zoomed into, outermost first, each a button back to it. Empty if none is. */
export class Crumbs {
  readonly root = element('nav', 'crumbs');
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.root.setAttribute('aria-label', 'Zoomed frames');
  }

  show({ zoom, weight, zoomWeight }: TreeResult): void {
    if (zoom.length === 0) {
      this.root.replaceChildren();
      return;
    }
    const path = zoom.map(({ key }) => key);
    const crumbs = ['all', ...zoom.map(({ name }) => name)].map((text, depth) => {
      const crumb = pushButton('crumb', text, () =>
        this.#store.change({ zoom: path.slice(0, depth) }),
      );
      crumb.title = text;
      crumb.dataset.key = String(depth);
      if (depth === zoom.length) crumb.ariaCurrent = 'true';
      return crumb;
    });
    const share = formatShare(weight === 0 ? 0 : zoomWeight / weight);
    replaceKeepingFocus(this.root, ...crumbs, element('span', 'crumb-share', `${share} of all`));
  }
}
