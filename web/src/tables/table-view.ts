import { namesakesOfThreads } from '../../../src/questions/threads.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount } from '../ask/format.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { element, emptyState, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { TabView } from '../shell/tab-view.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import type {
  TableColumn,
  TableParams,
  TableResult,
  TableRow,
} from '../worker/messages/messages.ts';
import { Sandwich } from './sandwich.ts';
import { headingsOf } from './table-headings.ts';
import { ROWS_AT_ONCE, VirtualTable } from './virtual-table.ts';
import './tables.css';

const COLUMNS: readonly TableColumn[] = ['self', 'total', 'samples', 'name'];

/** Self and total by function, file, DSO or thread; below it the callers and callees of one. */
export class TableView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #switches = element('div', 'switches');
  readonly #filter = element('input');
  readonly #count = element('output', 'search-result');
  readonly #table: VirtualTable<TableRow>;
  readonly #sandwich: Sandwich;
  readonly #askTable: (params: TableParams) => boolean;
  /** Asks for the same rows with intervals, which take longer. */
  readonly #askIntervals: (params: TableParams) => boolean;
  /** The shown list and the first row that was asked for; another list begins at its top again. */
  #list = { key: '', first: 0, hasIntervals: false };

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#context = context;
    this.#filter.type = 'search';
    this.#filter.placeholder = 'Filter: text or /regular expression/';
    this.#filter.setAttribute('aria-label', 'Filter rows');
    this.#filter.addEventListener('input', () =>
      store.change({ tableFilter: this.#filter.value }, 'adjust'),
    );
    this.#table = new VirtualTable({
      keyOf: (row) => row.index,
      onChoose: (row) => this.#choose(store.get().tableBy, row),
      onSort: (sort) => store.change({ tableSort: sort }, 'adjust'),
      onMissing: (first) => {
        this.#list.first = first;
        this.#ask(store.get());
      },
    });
    document.addEventListener('keydown', (event) => {
      // The browser's own search would miss all rows that are not in view.
      if (!this.root.isConnected || !(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
      event.preventDefault();
      this.#filter.focus();
    });
    this.#sandwich = new Sandwich(context);
    const search = element('div', 'search', this.#count, this.#filter);
    this.root = element(
      'div',
      'tables',
      element('div', 'view-controls', this.#switches, search),
      this.#table.root,
      this.#sandwich.root,
    );
    this.#askTable = askLatest(
      ask,
      'table',
      (result, params) => this.#draw(result, params),
      (problem) => this.#table.clear(element('p', 'problem', problem)),
    );
    this.#askIntervals = askLatest(
      ask,
      'table',
      (result, params) => this.#draw(result, params),
      () => {},
    );
  }

  show(state: ViewState): void {
    replaceKeepingFocus(this.#switches, rowsSwitch(this.#context.store, state));
    if (document.activeElement !== this.#filter) this.#filter.value = state.tableFilter;
    const key = JSON.stringify([state.tableBy, state.tableFilter, state.tableSort]);
    if (key !== this.#list.key) {
      this.#list = { key, first: 0, hasIntervals: false };
      this.#table.scrollToTop();
    }
    this.#ask(state);
    this.#sandwich.show(state);
    this.#table.choose(chosenIn(state));
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
    const params = tableParams(state, this.#list.first);
    this.#askTable(params);
    this.#askIntervals({ ...params, intervals: true });
  }

  #close(): void {
    const { store } = this.#context;
    if (store.get().func === null) return;
    store.change({ func: null });
    if (document.activeElement !== document.body) return;
    this.#table.focus();
  }

  #draw(result: TableResult, { first }: TableParams): void {
    const state = this.#context.store.get();
    const { tableBy, tableSort } = state;
    const { length, problem, rows } = result;
    this.#count.textContent = `${formatCount(length)} ${length === 1 ? 'row' : 'rows'}${problem === null ? '' : ` (${problem})`}`;
    if (length === 0) {
      this.#table.clear(this.#renderEmpty(state, result));
      return;
    }
    // Rows come twice, the second time with intervals: their columns stay once they are there.
    this.#list.hasIntervals ||= rows.some(({ selfInterval }) => selfInterval !== null);
    this.#table.caption = `Self and total by ${tableBy}`;
    const headings = headingsOf(tableBy, result, this.#list.hasIntervals);
    this.#table.show({ rows, first, length, headings, sort: tableSort });
    this.#table.choose(chosenIn(state));
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

/** The key of the row that is chosen; null: none is. */
function chosenIn({ tableBy, func }: ViewState): number | null {
  return tableBy === 'function' ? func : null;
}

function tableParams(state: ViewState, first: number): TableParams {
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
    first,
    count: ROWS_AT_ONCE,
  };
}
