import { element, pushButton } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { Tab, ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ShownMatch, TabDefinition, TabView } from './tab-view.ts';

/** The tabs and the panel below them, which holds the view of the one that is open. */
export class TabPanel {
  readonly root = element('div', 'panel');
  /** The buttons of the tabs. */
  readonly bar: HTMLElement;
  readonly #store: Store;
  /** The tabs that can be opened. */
  readonly #tabs: readonly TabDefinition[];
  readonly #buttons: ReadonlyMap<Tab, HTMLButtonElement>;
  /** The views of the tabs that were opened so far. */
  readonly #views = new Map<Tab, TabView>();
  /** Scroll positions of the views that were left: an element outside of the document forgets its own. */
  readonly #scrolled = new Map<TabView, readonly ScrolledPart[]>();
  /** The match that was to be seen last, and the views that have shown it. */
  #match: ShownMatch | null = null;
  readonly #haveShown = new Set<TabView>();
  #open: { readonly tab: TabDefinition; readonly view: TabView } | null = null;

  constructor(store: Store, tabs: readonly TabDefinition[]) {
    this.#store = store;
    this.#tabs = tabs.filter(({ unavailable }) => !unavailable);
    this.root.id = 'panel';
    this.root.setAttribute('role', 'tabpanel');
    this.#buttons = new Map(tabs.map((tab) => [tab.id, this.#createButton(tab)]));
    this.bar = element('div', 'tabs', ...this.#buttons.values());
    this.bar.setAttribute('role', 'tablist');
    this.bar.setAttribute('aria-label', 'Views');
  }

  show(state: ViewState): void {
    const wanted = this.#tabs.find(({ id }) => id === state.tab) ?? this.#tabs[0];
    if (wanted === undefined) return;
    if (this.#open?.tab !== wanted) this.#openTab(wanted);
    this.#open?.view.show(state);
    this.#revealMatch(false);
  }

  /** Shows a match in the open view, and in others when they are opened. Null: there is none. */
  reveal(match: ShownMatch | null): void {
    this.#match = match;
    this.#haveShown.clear();
    this.#revealMatch(match?.takesFocus === true);
  }

  /** The open tab's name. */
  get label(): string {
    return this.#open?.tab.label ?? '';
  }

  /** Whether the open view shows the tree of calls. */
  get showsTree(): boolean {
    return this.#open?.tab.showsTree === true;
  }

  /** The keys of the open view. */
  get keys(): readonly KeyBinding[] {
    return this.#open?.view.keys ?? [];
  }

  /** Keys that open a tab, whichever is open. */
  get tabKeys(): readonly KeyBinding[] {
    return [
      ...this.#tabs.map(({ id, label }, index) => ({
        key: String(index + 1),
        does: label,
        run: () => this.#store.change({ tab: id }),
      })),
      { key: '[', does: 'previous view', run: () => this.#step(-1) },
      { key: ']', does: 'next view', run: () => this.#step(1) },
    ];
  }

  #revealMatch(takesFocus: boolean): void {
    if (this.#match === null || this.#open === null) return;
    const { view } = this.#open;
    if (this.#haveShown.has(view)) return;
    this.#haveShown.add(view);
    view.reveal?.({ ...this.#match, takesFocus });
    // On a phone the view lies below the list: what one goes to is to be seen.
    if (this.#match.isGoneTo) this.root.scrollIntoView({ block: 'nearest' });
  }

  #openTab(tab: TabDefinition): void {
    if (this.#open !== null) {
      const { view } = this.#open;
      view.hide?.();
      this.#scrolled.set(view, scrolledParts(view.root));
    }
    const view = this.#views.get(tab.id) ?? tab.create();
    this.#views.set(tab.id, view);
    this.#open = { tab, view };
    for (const [id, button] of this.#buttons) {
      button.setAttribute('aria-selected', String(id === tab.id));
      button.tabIndex = id === tab.id ? 0 : -1;
    }
    this.root.setAttribute('aria-labelledby', `tab-${tab.id}`);
    this.root.replaceChildren(view.root);
    for (const [part, top] of this.#scrolled.get(view) ?? []) part.scrollTop = top;
  }

  #step(by: number): void {
    if (this.#open === null) return;
    const at = this.#tabs.indexOf(this.#open.tab);
    const next = this.#tabs[(at + by + this.#tabs.length) % this.#tabs.length];
    if (next !== undefined) this.#store.change({ tab: next.id });
  }

  /** Arrow keys go from tab to tab, as ARIA has it; only the open one is in the order of Tab. */
  #createButton(tab: TabDefinition): HTMLButtonElement {
    const button = pushButton('tab', tab.label, () => this.#store.change({ tab: tab.id }));
    button.id = `tab-${tab.id}`;
    button.setAttribute('role', 'tab');
    button.setAttribute('aria-controls', 'panel');
    button.tabIndex = -1;
    if (tab.unavailable) {
      button.disabled = true;
      button.title = tab.unavailable;
    }
    button.addEventListener('keydown', (event) => {
      const at = this.#tabs.indexOf(tab);
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
      const target = next === undefined ? undefined : this.#tabs.at(next % this.#tabs.length);
      if (target === undefined) return;
      event.preventDefault();
      this.#store.change({ tab: target.id });
      this.#buttons.get(target.id)?.focus();
    });
    return button;
  }
}

/** An element and its `scrollTop`. */
type ScrolledPart = readonly [Element, number];

function scrolledParts(root: Element): readonly ScrolledPart[] {
  return [...root.querySelectorAll('div, ol, ul')]
    .map((part): ScrolledPart => [part, part.scrollTop])
    .filter(([, top]) => top > 0);
}
