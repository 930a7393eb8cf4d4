import { orderSwitch, RootsChooser, shapeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom/dom.ts';
import { popoverButton } from '../dom/popover.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { weightSwitch } from '../state/weights.ts';

/** The menu of what few change and nobody all the time: the weight, and how the graph is drawn. */
export function createViewMenu(context: ViewContext): HTMLElement {
  const { store } = context;
  const roots = new RootsChooser(store);
  const rows = element('dl', 'menu-rows');
  const menu = popoverButton('⚙', 'Weight and drawing', rows);
  const row = (term: string, value: HTMLElement) => [
    element('dt', '', term),
    element('dd', '', value),
  ];
  const show = (state: ViewState) => {
    roots.show(state);
    replaceKeepingFocus(
      rows,
      ...row('Weight', weightSwitch(context, state)),
      ...row('Graph', shapeSwitch(store, state)),
      ...row('Order', orderSwitch(store, state)),
      ...row('Stack root', roots.root),
    );
  };
  store.subscribe(show);
  show(store.get());
  return menu.root;
}
