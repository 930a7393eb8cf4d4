import { askLatest } from '../ask.ts';
import { Crumbs } from '../controls/crumbs.ts';
import { SearchBar } from '../controls/search-bar.ts';
import {
  invertKey,
  orderSwitch,
  RootsChooser,
  resetKey,
  treeSwitch,
} from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { formatCount } from '../format.ts';
import type { KeyBinding } from '../keys.ts';
import { treeParams } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import { renderNoSamples } from '../time/no-samples.ts';
import type { ViewContext } from '../view-context.ts';
import type { TreeParams, TreeResult } from '../worker/messages.ts';
import { columnHeading } from './data-table.ts';
import { TreeBody } from './tree-body.ts';
import './tables.css';

/** The tree as a table that is opened branch by branch; each branch is asked for when it is opened. */
export class CallTreeView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #roots: RootsChooser;
  readonly #switches = element('div', 'switches');
  readonly #search: SearchBar;
  readonly #crumbs: Crumbs;
  readonly #weightHeading = columnHeading('Weight');
  readonly #body: TreeBody;
  readonly #table: HTMLTableElement;
  readonly #none = element('div');
  readonly #status = element('p', 'pruned');
  readonly #askTree: (question: TreeParams) => boolean;
  #drawn: { readonly question: TreeParams; readonly result: TreeResult } | null = null;

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#context = context;
    this.#roots = new RootsChooser(store);
    this.#search = new SearchBar(context);
    this.#crumbs = new Crumbs(store);
    this.#body = new TreeBody(context);
    this.#table = this.#renderTable();
    this.root = element(
      'div',
      'tables',
      element('div', 'view-controls', this.#roots.root, this.#switches, this.#search.root),
      this.#crumbs.root,
      element('div', 'table-box', this.#table),
      this.#none,
      this.#status,
    );
    this.#askTree = askLatest(
      ask,
      'tree',
      (result, question) => this.#draw(question, result),
      (problem) => {
        this.#status.textContent = problem;
      },
    );
  }

  show(state: ViewState): void {
    const { store } = this.#context;
    this.#roots.show(state);
    replaceKeepingFocus(this.#switches, treeSwitch(store, state), orderSwitch(store, state));
    this.#search.show(state);
    const isNew = this.#askTree(treeParams(state, 0));
    // The back button opens and closes rows, too.
    if (isNew || this.#drawn === null || state.treeOpen === this.#body.openText) return;
    this.#draw(this.#drawn.question, this.#drawn.result);
  }

  get keys(): readonly KeyBinding[] {
    const { store } = this.#context;
    return [
      ...this.#search.keys(),
      invertKey(store),
      { key: 'ArrowRight', does: 'open the row that has the focus', run: null },
      { key: 'ArrowLeft', does: 'close it, or go to its caller', run: null },
      { key: 'Enter', does: 'show it in the flame graph', run: null },
      { key: 'm', does: 'menu of the row: hide, focus, merge …', run: null },
      resetKey(store),
    ];
  }

  #draw(question: TreeParams, result: TreeResult): void {
    this.#drawn = { question, result };
    const state = this.#context.store.get();
    const isEmpty = result.samples === 0 && result.weight === 0;
    this.#table.hidden = isEmpty;
    this.#none.replaceChildren(...(isEmpty ? [renderNoSamples(this.#context, state)] : []));
    this.#status.textContent = isEmpty ? '' : `${formatCount(result.samples)} samples`;
    this.#weightHeading.textContent = result.unit === 'nanoseconds' ? 'Total time' : 'Total events';
    this.#weightHeading.hidden = result.unit === 'samples';
    this.#crumbs.show(result);
    this.#body.draw(question, result, state.treeOpen);
  }

  #renderTable(): HTMLTableElement {
    const head = element(
      'tr',
      '',
      columnHeading('Total'),
      columnHeading('Self'),
      this.#weightHeading,
      columnHeading('Samples'),
      columnHeading('Function', ''),
    );
    const table = element(
      'table',
      'data-table call-tree',
      element('thead', '', head),
      this.#body.root,
    );
    table.setAttribute('role', 'treegrid');
    table.setAttribute('aria-label', 'Call tree');
    return table;
  }
}
