import { frameActions } from '../controls/frame-actions.ts';
import { showMenu } from '../controls/frame-menu.ts';
import { element, type PlaceInWindow, replaceKeepingFocus } from '../dom/dom.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { FrameKey, TreeParams, TreeResult } from '../worker/messages/messages.ts';
import { focusRow, moveFocus } from './data-table.ts';
import { decodeOpenRows, encodeOpenRows, type OpenRow } from './open-rows.ts';
import { TreeRow } from './tree-row.ts';

/** Rows that the tree opens by itself: down the heaviest path, as long as it stays heavy. */
const OPEN_SHARE = 0.5;
const MOST_OPENED = 40;

/** The rows of the call tree: which are open, what keys and pointer do with them. */
export class TreeBody {
  readonly root = element('tbody');
  readonly #context: ViewContext;
  /** The question that the outermost rows answer; a longer zoom makes it that of a branch. */
  #question: TreeParams | null = null;
  #top: readonly TreeRow[] = [];
  /** `ViewState.treeOpen` as the rows have it. */
  #openText = '';
  /** Counts what was to be drawn: only the last is. */
  #turn = 0;
  /** Counts what was to be opened by path: only the last is. */
  #opening = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#listen('click', (row) => void this.#toggle(row));
    this.#listen('focusin', (row) => this.#takeFocus(row));
    this.#listen('keydown', (row, event) => {
      if (!this.#takeKey(row, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#listen('contextmenu', (row, event) => {
      event.preventDefault();
      this.#openMenu(row, { x: event.clientX, y: event.clientY });
    });
  }

  get openText(): string {
    return this.#openText;
  }

  /**
   * Replaces the rows once all those that `openText` opens are there, which may have to be asked for; false if
   * something else was to be drawn meanwhile.
   */
  async draw(question: TreeParams, result: TreeResult, openText: string): Promise<boolean> {
    const turn = ++this.#turn;
    this.#openText = openText;
    const path = result.zoom.map(({ key }) => key);
    const place = { path, depth: 0 };
    const top = TreeRow.below(result, -1, place);
    const body = element('tbody', '', ...top.map(({ line }) => line));
    if (top.length > 0) top[0].line.tabIndex = 0;
    const wanted = decodeOpenRows(openText);
    const keys = new Set(top.map(({ key }) => key));
    // Rows of another tree: of other roots, or zoomed into.
    const isOfThis = wanted?.length === 0 || wanted?.some(({ key }) => keys.has(key));
    if (wanted !== null && isOfThis) await this.#openAll(question, top, wanted);
    else openHeaviest(top);
    if (turn !== this.#turn) return false;
    // Somebody has opened a row meanwhile.
    if (this.#openText !== openText) return this.draw(question, result, this.#openText);
    this.#question = question;
    this.#top = top;
    replaceKeepingFocus(this.root, ...body.children);
    return true;
  }

  /**
   * Opens the rows above those at the ends of `paths`. Returns the line of the first one; null if there is none,
   * or if others were to be opened or drawn meanwhile.
   */
  async openTo(paths: readonly (readonly FrameKey[])[]): Promise<HTMLElement | null> {
    const [turn, opening] = [this.#turn, ++this.#opening];
    const question = this.#question;
    if (question === null) return null;
    let first: TreeRow | null = null;
    for (const [index, path] of paths.entries()) {
      const row = await this.#openAbove(question, path);
      if (turn !== this.#turn || opening !== this.#opening) return null;
      if (index === 0) first = row;
    }
    this.#remember();
    return first?.line ?? null;
  }

  /** The row at the end of `path`; null if it is not below those that are shown. */
  async #openAbove(question: TreeParams, path: readonly FrameKey[]): Promise<TreeRow | null> {
    let rows = this.#top;
    for (;;) {
      const next = rows.find((row) => row.isOnPath(path));
      if (next === undefined) return null;
      if (next.path.length === path.length) return next;
      await this.#open(question, next);
      if (!next.isOpen) return null;
      rows = next.children;
    }
  }

  async #openAll(
    question: TreeParams,
    rows: readonly TreeRow[],
    wanted: readonly OpenRow[],
  ): Promise<void> {
    for (const { key, below } of wanted) {
      const row = rows.find((candidate) => candidate.key === key);
      if (row === undefined) continue;
      await this.#open(question, row);
      if (row.isOpen) await this.#openAll(question, row.children, below);
    }
  }

  async #open(question: TreeParams, row: TreeRow): Promise<void> {
    if (row.isOpen || !row.canOpen) return;
    if (row.hasBranch) {
      row.open(null);
      return;
    }
    const branch = await this.#context
      .ask('tree', { ...question, zoom: row.path })
      .catch(() => null);
    if (branch !== null && !row.isOpen) row.open(branch);
  }

  async #toggle(row: TreeRow): Promise<void> {
    if (row.isOpen) row.close();
    else if (this.#question !== null) await this.#open(this.#question, row);
    // The state may have changed meanwhile.
    if (row.line.isConnected) this.#remember();
  }

  /** Writes into the address which rows are open. */
  #remember(): void {
    this.#openText = encodeOpenRows(openRowsOf(this.#top));
    this.#context.store.change({ treeOpen: this.#openText }, 'adjust');
  }

  /** Acts on the row that has the focus; false for keys that mean nothing to it. */
  #takeKey(row: TreeRow, key: string): boolean {
    switch (key) {
      case 'ArrowRight':
        if (row.isOpen) focusRow(row.line.nextElementSibling, row.line);
        else void this.#toggle(row);
        return true;
      case 'ArrowLeft':
        if (row.isOpen) void this.#toggle(row);
        else row.focusParent();
        return true;
      case 'Enter':
        this.#showInFlameGraph(row);
        return true;
      case 'm': {
        const { left, bottom } = row.line.getBoundingClientRect();
        this.#openMenu(row, { x: left + 240, y: bottom });
        return true;
      }
      default:
        return moveFocus(row.line, key);
    }
  }

  /** One row is in the order of Tab: the one that had the focus last. */
  #takeFocus({ line }: TreeRow): void {
    for (const other of this.root.querySelectorAll<HTMLElement>('tr[tabindex="0"]')) {
      other.tabIndex = -1;
    }
    line.tabIndex = 0;
  }

  #showInFlameGraph({ path }: TreeRow): void {
    this.#context.store.change({ tab: 'flame', zoom: path });
  }

  #openMenu(row: TreeRow, at: PlaceInWindow): void {
    const { store } = this.#context;
    const { labels } = row.result;
    const items = [
      { label: 'Flame graph', run: () => this.#showInFlameGraph(row) },
      ...frameActions(store, labels, row.label),
    ];
    showMenu(labels.name[row.label], items, at);
  }

  #listen<Kind extends keyof HTMLElementEventMap>(
    kind: Kind,
    act: (row: TreeRow, event: HTMLElementEventMap[Kind]) => void,
  ): void {
    this.root.addEventListener(kind, (event) => {
      const row = TreeRow.at(event.target);
      if (row !== null) act(row, event);
    });
  }
}

function openHeaviest([first]: readonly TreeRow[]): void {
  let row: TreeRow | undefined = first;
  for (let opened = 0; row !== undefined && opened < MOST_OPENED; opened++) {
    if (row.share < OPEN_SHARE) break;
    row.open(null);
    row = row.children[0];
  }
}

function openRowsOf(rows: readonly TreeRow[]): OpenRow[] {
  return rows
    .filter(({ isOpen }) => isOpen)
    .map(({ key, children }) => ({ key, below: openRowsOf(children) }));
}
