import { createDivider } from '../dom/divider.ts';
import { element, pushButton } from '../dom/dom.ts';
import { type KeyBinding, listenToKeys, showKeys } from '../dom/keys.ts';
import { PANE_PERCENT, type ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import { TabPanel } from './tab-panel.ts';
import type { TabDefinition } from './tab-view.ts';
import { themeButton } from './theme.ts';

export type ShellParts = {
  readonly store: Store;
  /** The line above everything, with the buttons that the shell adds at its end. */
  readonly head: (...tools: readonly HTMLElement[]) => HTMLElement;
  /** The tracks of what happened when, above the open view and as wide. */
  readonly tracks: HTMLElement;
  readonly tabs: readonly TabDefinition[];
  /** Tools beside the tabs; those of trees of calls are not there in other tabs. */
  readonly tools: readonly HTMLElement[];
  readonly treeTools: readonly HTMLElement[];
  /** The panel beside the open view, and the pane below it. */
  readonly side: HTMLElement;
  readonly pane: HTMLElement;
  readonly status: HTMLElement;
  /** Keys that work in every tab. */
  readonly keys: readonly KeyBinding[];
};

/**
 * The frame of the page, as high as the window: only the views scroll, each by itself.
 *
 *     head
 *     tabs, tools
 *     tracks    │ side panel
 *     open view │
 *     pane      │
 *     status
 *
 * Returns the part with the open view.
 */
export function createShell(page: Document, parts: ShellParts): TabPanel {
  const { store, treeTools } = parts;
  const panel = new TabPanel(store, parts.tabs);
  const everywhere: readonly KeyBinding[] = [
    ...panel.tabKeys,
    ...parts.keys,
    { key: '?', does: 'this list', run: () => listKeys() },
  ];
  const listKeys = () =>
    showKeys(page, [
      { title: 'Everywhere', bindings: everywhere },
      { title: panel.label, bindings: panel.keys },
    ]);
  const sideToggle = createSideToggle(page, parts.side);
  const ofTree = element('div', 'tree-tools');
  const tools = element('div', 'tab-tools', ...parts.tools, ofTree, sideToggle);
  const tabBar = element('section', 'tab-bar', panel.bar, tools);
  tabBar.setAttribute('aria-label', 'Views and what they show');
  const work = element('main', 'work', parts.tracks, panel.root, parts.pane, parts.side);
  panel.root.after(createPaneDivider(store, work, parts.pane));
  page.body.append(
    skipLink(panel.root),
    parts.head(themeButton(page, store), helpButton(listKeys)),
    tabBar,
    work,
    parts.status,
  );
  const show = (state: ViewState) => {
    panel.show(state);
    if (panel.showsTree !== ofTree.hasChildNodes()) {
      ofTree.replaceChildren(...(panel.showsTree ? treeTools : []));
    }
  };
  store.subscribe(show);
  show(store.get());
  listenToKeys(page, () => [...panel.keys, ...everywhere]);
  return panel;
}

/** The button that opens the side panel, which lies over the view in a narrow window. */
function createSideToggle(page: Document, side: HTMLElement): HTMLElement {
  const toggle = pushButton('side-toggle', '☰', () => {
    const isOpen = page.body.classList.toggle('has-side');
    toggle.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) side.querySelector('button')?.focus();
  });
  toggle.title = 'Where the weight went';
  toggle.setAttribute('aria-label', 'Where the weight went');
  toggle.setAttribute('aria-expanded', 'false');
  return toggle;
}

/** The first link of the page, for those who go by keys. */
function skipLink(panel: HTMLElement): HTMLElement {
  const skip = element('a', 'skip', 'Skip to the view');
  skip.href = '#panel';
  skip.addEventListener('click', (event) => {
    // The hash is the state's.
    event.preventDefault();
    panel.tabIndex = -1;
    panel.focus();
  });
  return skip;
}

function helpButton(listKeys: () => void): HTMLElement {
  const help = pushButton('icon', '?', listKeys);
  help.title = 'Keys';
  help.setAttribute('aria-label', 'Keys');
  return help;
}

const STEP_PERCENT = 5;

/** The line between the open view and the pane below it, which has a part of the height, or as much as the picture leaves. */
function createPaneDivider(store: Store, work: HTMLElement, pane: HTMLElement): HTMLElement {
  const heightAbove = (y: number) => {
    const { top, height } = work.getBoundingClientRect();
    return (100 * (top + height - y)) / height;
  };
  const heightNow = () => heightAbove(divider.getBoundingClientRect().bottom);
  const resize = (percent: number) =>
    store.change({ pane: Math.round(Math.min(PANE_PERCENT, Math.max(0, percent))) }, 'adjust');
  const divider = createDivider({
    label: 'Height of the chosen function',
    onDrag: (y) => resize(heightAbove(y)),
    onStep: (by) => resize(heightNow() - by * STEP_PERCENT),
    onFit: () => store.change({ pane: null }, 'adjust'),
  });
  divider.classList.add('pane-divider');
  // After the layout that gave the pane its height: to ask for it at a click lays the page out once more.
  new ResizeObserver(() =>
    divider.setAttribute('aria-valuenow', String(Math.round(heightNow()))),
  ).observe(pane);
  const show = ({ pane: percent }: ViewState) => {
    work.classList.toggle('is-sized', percent !== null);
    if (percent !== null) work.style.setProperty('--pane', `${percent}%`);
  };
  store.subscribe(show);
  show(store.get());
  return divider;
}
