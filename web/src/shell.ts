import { element, pushButton } from './dom.ts';
import { type KeyBinding, listenToKeys, showKeys } from './keys.ts';
import type { Store } from './store.ts';
import { TabPanel } from './tab-panel.ts';
import type { TabDefinition } from './tab-view.ts';
import { themeButton } from './theme.ts';

export type ShellParts = {
  readonly store: Store;
  /** What was recorded, above everything. */
  readonly header: HTMLElement;
  /** Between the header and the tabs, the same in every tab. */
  readonly controls: readonly HTMLElement[];
  readonly tabs: readonly TabDefinition[];
  /** Beside the tabs: what several of them show less or more of. */
  readonly choices?: readonly HTMLElement[];
  /** Keys that work in every tab. */
  readonly keys?: readonly KeyBinding[];
};

/** The frame of the page: header, controls, tabs, and one open panel that follows the state. */
export function createShell(page: Document, parts: ShellParts): void {
  const { store, header, controls } = parts;
  const panel = new TabPanel(store, parts.tabs);
  const everywhere: readonly KeyBinding[] = [
    ...panel.tabKeys,
    ...(parts.keys ?? []),
    { key: '?', does: 'this list', run: () => listKeys() },
  ];
  const listKeys = () =>
    showKeys(page, [
      { title: 'Everywhere', bindings: everywhere },
      { title: panel.label, bindings: panel.keys },
    ]);
  const tools = element('div', 'tab-tools', themeButton(page, store), helpButton(listKeys));
  const tabBar = element('div', 'tab-bar', panel.bar, ...(parts.choices ?? []), tools);
  page.body.append(
    skipLink(panel.root),
    header,
    ...controls,
    element('main', '', tabBar, panel.root),
  );
  store.subscribe((state) => panel.show(state));
  panel.show(store.get());
  listenToKeys(page, () => [...panel.keys, ...everywhere]);
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
  const help = pushButton('quiet', '?', listKeys);
  help.title = 'Keys';
  help.setAttribute('aria-label', 'Keys');
  return help;
}
