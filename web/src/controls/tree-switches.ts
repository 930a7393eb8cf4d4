import { element, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';

const ROOTS = [
  ['comm', 'program'],
  ['thread', 'thread'],
  ['process', 'process'],
  ['cpu', 'CPU'],
  ['none', 'nothing'],
] as const satisfies readonly (readonly [ViewState['roots'], string])[];

/** A choice of what stands at the root of the tree. */
export class RootsChooser {
  readonly root: HTMLElement;
  readonly #select = element('select');

  constructor(store: Store) {
    const select = this.#select;
    for (const [value, label] of ROOTS) {
      const option = element('option', '', label);
      option.value = value;
      select.append(option);
    }
    select.addEventListener('change', () =>
      store.change({ roots: select.value as ViewState['roots'], zoom: [] }),
    );
    select.setAttribute('aria-label', 'Stack root');
    this.root = element('span', 'chooser', select);
  }

  show({ roots, tree }: ViewState): void {
    this.#select.value = roots;
    // Callers begin with where the weight was spent.
    this.#select.disabled = tree === 'callers';
  }
}

/** The key that turns the tree round. */
export function invertKey(store: Store): KeyBinding {
  return {
    key: 'i',
    does: 'callers instead of callees',
    run: () =>
      store.change({ tree: store.get().tree === 'callers' ? 'callees' : 'callers', zoom: [] }),
  };
}

/** The key that shows the whole tree again. */
export function resetKey(store: Store): KeyBinding {
  return {
    key: 'Escape',
    does: 'no zoom, no search',
    run: () => store.change({ zoom: [], search: '', match: null }),
  };
}

export function treeSwitch(store: Store, state: ViewState): HTMLElement {
  return switcher(
    'Tree',
    [
      {
        value: 'callees',
        sign: '▼',
        label: 'Callees',
        hint: 'from the outermost function inwards',
      },
      {
        value: 'callers',
        sign: '▲',
        label: 'Callers',
        hint: 'from where the weight was spent outwards',
      },
    ],
    state.tree,
    (tree) => store.change({ tree, zoom: [] }),
  );
}

export function shapeSwitch(store: Store, state: ViewState): HTMLElement {
  return switcher(
    'Shape',
    [
      { value: 'icicle', label: 'Root on top', hint: 'Icicle: callees hang from their callers' },
      { value: 'flame', label: 'Root below', hint: 'Flame: callees stand on their callers' },
    ],
    state.shape,
    (shape) => store.change({ shape }),
  );
}

export function orderSwitch(store: Store, state: ViewState): HTMLElement {
  return switcher(
    'Order',
    [
      { value: 'weight', label: 'Widest', hint: 'Heaviest frames first' },
      { value: 'name', label: 'Name', hint: 'By name' },
      { value: 'time', label: 'Time', hint: 'In the order in which frames first occurred' },
    ],
    state.sort,
    (sort) => store.change({ sort }),
  );
}
