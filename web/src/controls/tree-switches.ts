import { element, switcher } from '../dom.ts';
import type { KeyBinding } from '../keys.ts';
import type { ViewState } from '../state.ts';
import type { Store } from '../store.ts';

const ROOTS = [
  ['comm', 'comm'],
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
    this.root = element('label', 'chooser', element('span', '', 'Root by'), select);
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
    run: () => store.change({ zoom: [], search: '' }),
  };
}

export function treeSwitch(store: Store, state: ViewState): HTMLElement {
  return switcher(
    'Tree',
    [
      { value: 'callees', label: 'Callees', hint: 'From the outermost function inwards' },
      { value: 'callers', label: 'Callers', hint: 'From where the weight was spent outwards' },
    ],
    state.tree,
    (tree) => store.change({ tree, zoom: [] }),
  );
}

export function shapeSwitch(store: Store, state: ViewState): HTMLElement {
  return switcher(
    'Shape',
    [
      { value: 'flame', label: 'Flame', hint: 'The root at the bottom' },
      { value: 'icicle', label: 'Icicle', hint: 'The root on top' },
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
