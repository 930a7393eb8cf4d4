import { orderSwitch, RootsChooser, shapeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import { popoverButton } from '../dom/popover.ts';
import { addEdit, PASSING, removeEdit } from '../state/edits.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import { weightSwitch } from '../state/weights.ts';

/** Whether the layers of frameworks are shown that only pass calls on. */
function layersSwitch(store: Store, state: ViewState): HTMLElement {
  const choices = [
    { value: 'all', label: 'All', hint: 'every frame of the level' },
    {
      value: 'merged',
      label: 'Merged',
      hint: 'without frames of others that only pass calls on (x)',
    },
  ] as const;
  return switcher('Layers', choices, state.foldPassing ? 'merged' : 'all', (chosen) =>
    store.change((chosen === 'merged' ? addEdit : removeEdit)(store.get(), PASSING)),
  );
}

/** The keys of the state that the menu shows. */
const SHOWN = ['weight', 'event', 'shape', 'sort', 'roots', 'tree', 'foldPassing'] as const;

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
      ...row('Layers', layersSwitch(store, state)),
    );
  };
  store.subscribe((state, previous) => {
    if (SHOWN.some((key) => state[key] !== previous[key])) show(state);
  });
  context.onReplaced(() => show(store.get()));
  show(store.get());
  return menu.root;
}
