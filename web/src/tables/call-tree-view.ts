import { askLatest } from '../ask/ask.ts';
import { formatWeight, nounOf } from '../ask/format.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { invertKey, resetKey } from '../controls/tree-switches.ts';
import { element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { scrollWithin } from '../dom/scroll-within.ts';
import type { ShownMatch, TabView } from '../shell/tab-view.ts';
import { treeParams } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { TreeParams, TreeResult } from '../worker/messages/messages.ts';
import { columnHeading, markChosen } from './data-table.ts';
import { TreeBody } from './tree-body.ts';
import './tables.css';

/** Matches down to which the tree is opened. */
const MOST_OPENED = 20;

/** The tree as a table that is opened branch by branch; each branch is asked for when it is opened. */
export class CallTreeView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #weightHeading = columnHeading('Weight', 'number is-extra');
  readonly #body: TreeBody;
  readonly #table: HTMLTableElement;
  readonly #box: HTMLElement;
  readonly #none = element('div');
  readonly #status = element('p', 'pruned');
  readonly #askTree: (question: TreeParams) => boolean;
  /** The question asked last, and the one that the rows in place answer. */
  #asked: TreeParams | null = null;
  #shown: TreeParams | null = null;
  /** The match that is to be seen once they are the same. */
  #toReveal: ShownMatch | null = null;
  #drawn: { readonly question: TreeParams; readonly result: TreeResult } | null = null;

  constructor(context: ViewContext) {
    const { ask } = context;
    this.#context = context;
    this.#body = new TreeBody(context);
    this.#table = this.#renderTable();
    this.#box = element('div', 'table-box', this.#table);
    this.root = element('div', 'tables', this.#box, this.#none, this.#status);
    this.#askTree = askLatest(
      ask,
      'tree',
      (result, question) => void this.#draw(question, result),
      (problem) => {
        this.#status.textContent = problem;
      },
    );
  }

  show(state: ViewState): void {
    const question = treeParams(state, 0);
    const isNew = this.#askTree(question);
    if (isNew) this.#asked = question;
    // The back button opens and closes rows, too.
    if (isNew || this.#drawn === null || state.treeOpen === this.#body.openText) return;
    void this.#draw(this.#drawn.question, this.#drawn.result);
  }

  reveal(match: ShownMatch): void {
    this.#toReveal = match;
    void this.#revealMatch();
  }

  get keys(): readonly KeyBinding[] {
    const { store } = this.#context;
    return [
      invertKey(store),
      { key: 'ArrowRight', does: 'open the row that has the focus', run: null },
      { key: 'ArrowLeft', does: 'close it, or go to its caller', run: null },
      { key: 'PageDown', does: 'a page down; also Page Up, Home, End', run: null },
      { key: 'Enter', does: 'show it in the flame graph', run: null },
      { key: 'm', does: 'menu of the row: hide, focus, merge …', run: null },
      resetKey(store),
    ];
  }

  async #draw(question: TreeParams, result: TreeResult): Promise<void> {
    this.#shown = null;
    this.#drawn = { question, result };
    const state = this.#context.store.get();
    const isEmpty = result.samples === 0 && result.weight === 0;
    this.#table.hidden = isEmpty;
    this.#none.replaceChildren(...(isEmpty ? [renderNoSamples(this.#context, state)] : []));
    this.#status.textContent = isEmpty ? '' : formatWeight(result.samples, 'samples');
    this.#weightHeading.textContent = `Total ${nounOf(result.unit)}`;
    this.#weightHeading.hidden = result.unit === 'samples';
    if (!(await this.#body.draw(question, result, state.treeOpen))) return;
    this.#shown = question;
    await this.#revealMatch();
  }

  /** Opens the tree down to its matches, and brings one of them into view. */
  async #revealMatch(): Promise<void> {
    if (this.#toReveal === null || this.#shown === null || this.#shown !== this.#asked) return;
    const { path, others, isGoneTo, takesFocus } = this.#toReveal;
    this.#toReveal = null;
    const line = await this.#body.openTo([path, ...others.slice(0, MOST_OPENED)]);
    if (line === null) return;
    markChosen(this.#table, isGoneTo ? line : null);
    scrollWithin(this.#box, line);
    if (takesFocus) line.focus({ preventScroll: true });
  }

  #renderTable(): HTMLTableElement {
    const head = element(
      'tr',
      '',
      columnHeading('Total'),
      columnHeading('Self'),
      this.#weightHeading,
      columnHeading('Samples', 'number is-extra'),
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
