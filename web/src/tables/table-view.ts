import { namesakesOfThreads } from '../../../src/questions/threads.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount } from '../ask/format.ts';
import { element, emptyState, pushButton, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { scrollWithin } from '../dom/scroll-within.ts';
import type { TabView } from '../shell/tab-view.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import { renderNoSamples } from '../time/no-samples.ts';
import type {
  TableColumn,
  TableParams,
  TableResult,
  TableRow,
} from '../worker/messages/messages.ts';
import { markChosen, renderTable, rowWithKey } from './data-table.ts';
import { Sandwich } from './sandwich.ts';
import { headingsOf } from './table-headings.ts';
import './tables.css';

/** Rows at first, and how many more each time that the end comes into view. */
const FIRST_ROWS = 50;
const MORE_ROWS = 200;
/** The distance to the end at which more rows are asked for: whoever scrolls is not to meet it. */
const AHEAD = '200px';
const COLUMNS: readonly TableColumn[] = ['self', 'total', 'samples', 'name'];

/** Self and total by function, file, DSO or thread; below it the callers and callees of one. */
export class TableView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #switches = element('div', 'switches');
  readonly #filter = element('input');
  readonly #count = element('output', 'search-result');
  readonly #tableBox = element('div', 'table-box');
  readonly #more: HTMLButtonElement;
  /** Notices when the end of the rows is near. */
  readonly #end: IntersectionObserver;
  readonly #sandwich: Sandwich;
  readonly #askTable: (params: TableParams) => boolean;
  /** Asks for the same rows with intervals, which take longer. */
  readonly #askIntervals: (params: TableParams) => boolean;
  /** The shown list and its number of rows; another list begins with the first ones again. */
  #list = { key: '', rows: FIRST_ROWS };

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#context = context;
    this.#filter.type = 'search';
    this.#filter.placeholder = 'Filter: text or /regular expression/';
    this.#filter.setAttribute('aria-label', 'Filter rows');
    this.#filter.addEventListener('input', () =>
      store.change({ tableFilter: this.#filter.value }, 'adjust'),
    );
    this.#more = pushButton('more', 'More rows', () => this.#showMore());
    this.#end = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) this.#showMore();
      },
      { root: this.#tableBox, rootMargin: AHEAD },
    );
    this.#sandwich = new Sandwich(context);
    const search = element('div', 'search', this.#count, this.#filter);
    this.root = element(
      'div',
      'tables',
      element('div', 'view-controls', this.#switches, search),
      this.#tableBox,
      this.#sandwich.root,
    );
    this.#askTable = askLatest(
      ask,
      'table',
      (result) => this.#draw(result),
      (problem) => this.#tableBox.replaceChildren(element('p', 'problem', problem)),
    );
    this.#askIntervals = askLatest(
      ask,
      'table',
      (result) => this.#draw(result),
      () => {},
    );
  }

  show(state: ViewState): void {
    replaceKeepingFocus(this.#switches, rowsSwitch(this.#context.store, state));
    if (document.activeElement !== this.#filter) this.#filter.value = state.tableFilter;
    const key = JSON.stringify([state.tableBy, state.tableFilter]);
    if (key !== this.#list.key) this.#list = { key, rows: FIRST_ROWS };
    this.#ask(state);
    this.#sandwich.show(state);
    this.#markChosen(state);
  }

  get keys(): readonly KeyBinding[] {
    return [
      { key: '/', does: 'filter the rows', run: () => this.#filter.focus() },
      { key: 'ArrowDown', does: 'next row; also ↑, Home, End, Page Up, Page Down', run: null },
      { key: 'Enter', does: 'callers and callees of the row; its source, DSO, thread', run: null },
      { key: 'Escape', does: 'close callers and callees', run: () => this.#close() },
    ];
  }

  #ask(state: ViewState): void {
    const params = tableParams(state, this.#list.rows);
    this.#askTable(params);
    this.#askIntervals({ ...params, intervals: true });
  }

  /** Marks the row at once: choosing one asks for no other rows. */
  #markChosen({ tableBy, func }: ViewState): void {
    if (tableBy !== 'function' || this.#tableBox.firstElementChild === null) return;
    const line = func === null ? null : rowWithKey(this.#tableBox, func);
    markChosen(this.#tableBox, line);
    // What was opened below may cover it.
    if (line !== null) scrollWithin(this.#tableBox, line);
  }

  #close(): void {
    const { store } = this.#context;
    if (store.get().func === null) return;
    store.change({ func: null });
    if (document.activeElement !== document.body) return;
    this.#tableBox.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  }

  #showMore(): void {
    this.#list.rows += MORE_ROWS;
    this.#ask(this.#context.store.get());
  }

  #draw(result: TableResult): void {
    const { store } = this.#context;
    const state = store.get();
    const { tableBy, tableSort, func } = state;
    const { length, problem } = result;
    this.#count.textContent = `${formatCount(length)} ${length === 1 ? 'row' : 'rows'}${problem === null ? '' : ` (${problem})`}`;
    this.#more.hidden = result.rows.length >= result.length;
    if (result.length === 0) {
      this.#tableBox.replaceChildren(this.#renderEmpty(state, result));
      return;
    }
    const table = renderTable<TableRow>({
      caption: `Self and total by ${tableBy}`,
      headings: headingsOf(tableBy, result),
      rows: result.rows,
      sort: tableSort,
      onSort: (sort) => store.change({ tableSort: sort }, 'adjust'),
      keyOf: (row) => row.index,
      isChosen: (row) => tableBy === 'function' && row.index === func,
      onChoose: (row) => this.#choose(tableBy, row),
    });
    replaceKeepingFocus(this.#tableBox, table, this.#more);
    // Observed anew, it is reported where it is still near.
    this.#end.unobserve(this.#more);
    this.#end.observe(this.#more);
    this.#markChosen(state);
  }

  #choose(tableBy: ViewState['tableBy'], { index }: TableRow): void {
    const { store, recording } = this.#context;
    if (tableBy === 'function') store.change({ func: index });
    else if (tableBy === 'thread') {
      const namesakes = namesakesOfThreads(recording.threads);
      const threads = [...namesakes.keys()].filter((thread) => namesakes[thread] === index);
      store.change({ threads, tab: 'flame', zoom: [] });
    } else if (index < 0) return;
    else if (tableBy === 'file') store.change({ sourceFile: index, func: null, tab: 'source' });
    else store.change({ focusDso: index, tab: 'flame', zoom: [] });
  }

  #renderEmpty(state: ViewState, { samples }: TableResult): HTMLElement {
    const filter = state.tableFilter.trim();
    if (filter === '' || samples === 0) return renderNoSamples(this.#context, state);
    return emptyState(`No row matches ${filter}.`, {
      label: 'Show all rows',
      go: () => {
        this.#context.store.change({ tableFilter: '' });
        this.#filter.value = '';
      },
    });
  }
}

function rowsSwitch(store: Store, { tableBy }: ViewState): HTMLElement {
  return switcher(
    'Rows',
    [
      { value: 'function', label: 'Functions', hint: 'By function and DSO' },
      { value: 'file', label: 'Files', hint: 'By the source file of the function' },
      { value: 'dso', label: 'DSOs', hint: 'By executable, library, kernel' },
      { value: 'thread', label: 'Threads', hint: 'By thread' },
    ],
    tableBy,
    (chosen) => store.change({ tableBy: chosen }),
  );
}

function tableParams(state: ViewState, count: number): TableParams {
  const column = COLUMNS.find((known) => state.tableSort.startsWith(known)) ?? 'self';
  return {
    ...selectionOf(state),
    // Kinds of code lie in several files.
    ...(state.tableBy === 'dso' && { level: 'all' }),
    by: state.tableBy,
    sort: column,
    descending: !state.tableSort.endsWith('+'),
    filter: state.tableFilter.trim(),
    intervals: false,
    first: 0,
    count,
  };
}
