import { element } from '../dom/dom.ts';
import type { ViewContext } from '../state/view-context.ts';
import { FuncDetails } from './func-details.ts';
import { WhereList } from './where-list.ts';
import './panel.css';

/** The panel beside every view: the functions that the time went to, and what is known of the chosen one. */
export function createSidePanel(context: ViewContext): HTMLElement {
  const list = new WhereList(context);
  const details = new FuncDetails(context);
  const root = element('aside', 'side-panel', list.root, details.root);
  root.setAttribute('aria-label', 'Where the weight went');
  context.store.subscribe((state) => {
    list.show(state);
    details.show(state);
  });
  list.show(context.store.get());
  details.show(context.store.get());
  return root;
}
