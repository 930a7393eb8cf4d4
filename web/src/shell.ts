import { element } from './dom.ts';
import { type KeyBinding, listenToKeys, showKeys } from './keys.ts';
import type { Tab, ViewState } from './state.ts';
import type { Store } from './store.ts';
import type { TabDefinition, TabView } from './tab-view.ts';
import { themeButton } from './theme.ts';

export type ShellParts = {
  readonly store: Store;
  /** What was recorded, above everything. */
  readonly header: HTMLElement;
  /** Between the header and the tabs, the same in every tab. */
  readonly controls: readonly HTMLElement[];
  readonly tabs: readonly TabDefinition[];
  /** Keys that work in every tab. */
  readonly keys?: readonly KeyBinding[];
};

/** The frame of the page: header, controls, tabs, and one open panel that follows the state. */
export function createShell(page: Document, parts: ShellParts): void {
  const { store, tabs } = parts;
  const views = new Map<Tab, TabView>();
  const panel = element('div', 'panel');
  panel.id = 'panel';
  panel.setAttribute('role', 'tabpanel');
  const available = tabs.filter(({ unavailable }) => !unavailable);
  const buttons = new Map(tabs.map((tab) => [tab.id, tabButton(tab, store, available)]));
  const bar = element('div', 'tabs', ...buttons.values());
  bar.setAttribute('role', 'tablist');
  bar.setAttribute('aria-label', 'Views');
  const help = element('button', 'quiet', '?');
  help.type = 'button';
  help.title = 'Keys';
  help.setAttribute('aria-label', 'Keys');
  const skip = element('a', 'skip', 'Skip to the view');
  skip.href = '#panel';
  skip.addEventListener('click', (event) => {
    // The hash is the state's.
    event.preventDefault();
    panel.tabIndex = -1;
    panel.focus();
  });
  page.body.append(
    skip,
    parts.header,
    ...parts.controls,
    element(
      'main',
      '',
      element('div', 'tab-bar', bar, element('div', 'tab-tools', themeButton(page, store), help)),
      panel,
    ),
  );

  const scrolled = new Map<TabView, readonly ScrolledPart[]>();
  let open: Tab | null = null;
  function show(state: ViewState): void {
    const wanted = available.find(({ id }) => id === state.tab) ?? available[0];
    if (wanted === undefined) return;
    if (open !== wanted.id) {
      const left = open === null ? undefined : views.get(open);
      if (left !== undefined) {
        left.hide?.();
        scrolled.set(left, scrolledParts(left.root));
      }
      open = wanted.id;
      for (const [id, button] of buttons) {
        button.setAttribute('aria-selected', String(id === open));
        button.tabIndex = id === open ? 0 : -1;
      }
      panel.setAttribute('aria-labelledby', `tab-${open}`);
      let view = views.get(open);
      if (view === undefined) {
        view = wanted.create();
        views.set(open, view);
      }
      panel.replaceChildren(view.root);
      // What leaves the document forgets where it was.
      for (const [part, top] of scrolled.get(view) ?? []) part.scrollTop = top;
    }
    views.get(open)?.show(state);
  }
  store.subscribe(show);
  show(store.get());

  const step = (by: number) => {
    const at = available.findIndex(({ id }) => id === open);
    const next = available[(at + by + available.length) % available.length];
    if (next !== undefined) store.change({ tab: next.id });
  };
  const everywhere: KeyBinding[] = [
    ...available.map(({ id, label }, index) => ({
      key: String(index + 1),
      does: label,
      run: () => store.change({ tab: id }),
    })),
    { key: '[', does: 'previous view', run: () => step(-1) },
    { key: ']', does: 'next view', run: () => step(1) },
    ...(parts.keys ?? []),
    { key: '?', does: 'this list', run: () => listKeys() },
  ];
  const ofTab = () => (open === null ? [] : (views.get(open)?.keys ?? []));
  function listKeys(): void {
    const label = tabs.find(({ id }) => id === open)?.label ?? '';
    showKeys(page, [
      { title: 'Everywhere', bindings: everywhere },
      { title: label, bindings: ofTab() },
    ]);
  }
  help.addEventListener('click', listKeys);
  listenToKeys(page, () => [...ofTab(), ...everywhere]);
}

/** Arrow keys go from tab to tab, as ARIA has it; only the open one is in the order of Tab. */
function tabButton(tab: TabDefinition, store: Store, available: readonly TabDefinition[]) {
  const button = element('button', 'tab', tab.label);
  button.type = 'button';
  button.id = `tab-${tab.id}`;
  button.setAttribute('role', 'tab');
  button.setAttribute('aria-controls', 'panel');
  button.tabIndex = -1;
  if (tab.unavailable) {
    button.disabled = true;
    button.title = tab.unavailable;
  }
  button.addEventListener('click', () => store.change({ tab: tab.id }));
  button.addEventListener('keydown', (event) => {
    const at = available.indexOf(tab);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    const target = next === undefined ? undefined : available.at(next % available.length);
    if (target === undefined) return;
    event.preventDefault();
    store.change({ tab: target.id });
    document.getElementById(`tab-${target.id}`)?.focus();
  });
  return button;
}

/** An element and its `scrollTop`. */
type ScrolledPart = readonly [Element, number];

function scrolledParts(root: Element): readonly ScrolledPart[] {
  return [...root.querySelectorAll('div, ol, ul')]
    .map((part): ScrolledPart => [part, part.scrollTop])
    .filter(([, top]) => top > 0);
}
