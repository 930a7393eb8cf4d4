import { element } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { ChosenPane } from './chosen-pane.ts';
import { WhereList } from './where-list.ts';
import './panel.css';

/** The panel beside every view and the pane below it. */
export type Panels = {
  /** The functions that the time went to. */
  readonly side: HTMLElement;
  /** The chosen one, with all that is known of it. */
  readonly pane: HTMLElement;
};

export function createPanels(context: ViewContext): Panels {
  const chosen = new ChosenPane(context);
  const list = new WhereList(context, (heaviest) => chosen.follow(heaviest));
  const side = element('aside', 'side-panel', list.root);
  side.setAttribute('aria-label', 'Where the weight went');
  const show = (state: ViewState) => {
    list.show(state);
    chosen.show(state);
  };
  context.store.subscribe(show);
  show(context.store.get());
  return { side, pane: chosen.root };
}
