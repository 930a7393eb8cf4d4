import { askLatest } from '../ask.ts';
import { element, emptyState, replaceKeepingFocus, switcher } from '../dom.ts';
import { formatCount, formatInterval, formatShare, formatWeight } from '../format.ts';
import { renderNoSamples } from '../no-samples.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { TableColumn, TableParams, TableResult, TableRow } from '../worker/messages.ts';
import { renderTable, shareCell, type TableHeading } from './data-table.ts';
import { createSandwich } from './sandwich.ts';
import './tables.css';

const ROWS_AT_ONCE = 200;
const COLUMNS: readonly TableColumn[] = ['self', 'total', 'samples', 'name'];

/** Self and total by function, file, DSO or thread; below it the callers and callees of one. */
export function createTableView(context: ViewContext): TabView {
  const { store, ask } = context;
  const switches = element('div', 'switches');
  const filter = element('input');
  filter.type = 'search';
  filter.placeholder = 'Filter: text or /regular expression/';
  filter.setAttribute('aria-label', 'Filter rows');
  filter.addEventListener('input', () => store.change({ tableFilter: filter.value }, 'adjust'));
  const count = element('output', 'search-result');
  const tableBox = element('div', 'table-box');
  const more = element('button', 'more', 'More rows');
  more.type = 'button';
  const sandwich = createSandwich(context);
  const root = element(
    'div',
    'tables',
    element('div', 'view-controls', switches, element('div', 'search', count, filter)),
    tableBox,
    more,
    sandwich.root,
  );
  let rowsWanted = ROWS_AT_ONCE;
  let lastKind = '';
  let isFirst = true;
  more.addEventListener('click', () => {
    rowsWanted += 5 * ROWS_AT_ONCE;
    show(store.get());
  });

  const askTable = askLatest(ask, 'table', draw, (problem) => {
    tableBox.replaceChildren(element('p', 'problem', problem));
  });

  const askIntervals = askLatest(ask, 'table', draw, () => {});

  function show(state: ViewState): void {
    replaceKeepingFocus(
      switches,
      switcher(
        'Rows',
        [
          { value: 'function', label: 'Functions', hint: 'By function and DSO' },
          { value: 'file', label: 'Files', hint: 'By the source file of the function' },
          { value: 'dso', label: 'DSOs', hint: 'By executable, library, kernel' },
          { value: 'thread', label: 'Threads', hint: 'By thread' },
        ],
        state.tableBy,
        (tableBy) => store.change({ tableBy }),
      ),
    );
    if (document.activeElement !== filter) filter.value = state.tableFilter;
    const kind = JSON.stringify([state.tableBy, state.tableFilter]);
    if (kind !== lastKind) rowsWanted = ROWS_AT_ONCE;
    lastKind = kind;
    askTable(tableParams(state, rowsWanted));
    askIntervals({ ...tableParams(state, rowsWanted), intervals: true });
    sandwich.show(state, isFirst);
    isFirst = false;
  }

  function draw(result: TableResult): void {
    const state = store.get();
    count.textContent = `${formatCount(result.length)} rows`;
    more.hidden = result.rows.length >= result.length;
    const isByFunction = state.tableBy === 'function';
    if (result.length === 0) {
      const filtered = state.tableFilter.trim();
      tableBox.replaceChildren(
        filtered === '' || result.samples === 0
          ? renderNoSamples(context, state)
          : emptyState(`No row matches ${filtered}.`, {
              label: 'Show all rows',
              go: () => {
                store.change({ tableFilter: '' });
                filter.value = '';
              },
            }),
      );
      return;
    }
    replaceKeepingFocus(
      tableBox,
      renderTable({
        caption: `Self and total by ${state.tableBy}`,
        headings: headingsOf(state, result),
        rows: result.rows,
        sort: state.tableSort,
        onSort: (tableSort) => store.change({ tableSort }, 'adjust'),
        keyOf: (row) => row.index,
        isChosen: (row) => isByFunction && row.index === state.func,
        ...choiceOf(state),
      }),
    );
  }

  function choiceOf(state: ViewState): { onChoose?: (row: TableRow) => void } {
    if (state.tableBy === 'function') {
      return { onChoose: (row) => store.change({ func: row.index }) };
    }
    if (state.tableBy === 'thread') {
      return { onChoose: (row) => store.change({ thread: row.index, tab: 'flame', zoom: [] }) };
    }
    if (state.tableBy === 'dso') {
      return {
        onChoose: (row) => {
          if (row.index >= 0) store.change({ focusDso: row.index, tab: 'flame', zoom: [] });
        },
      };
    }
    return {};
  }

  return {
    root,
    show,
    hide() {
      isFirst = true;
    },
    keys: [
      { key: '/', does: 'filter the rows', run: () => filter.focus() },
      { key: 'ArrowDown', does: 'next row, where one has the focus', run: null },
      { key: 'Enter', does: 'callers and callees of the row; its thread; its DSO', run: null },
    ],
  };
}

export function tableParams(state: ViewState, count: number): TableParams {
  const column = COLUMNS.find((known) => state.tableSort.startsWith(known)) ?? 'self';
  return {
    ...selectionOf(state),
    by: state.tableBy,
    sort: column,
    descending: !state.tableSort.endsWith('+'),
    filter: state.tableFilter.trim(),
    intervals: false,
    first: 0,
    count,
  };
}

function headingsOf(state: ViewState, result: TableResult): TableHeading<TableRow>[] {
  const { unit } = result;
  const hasIntervals = result.rows.some((row) => row.selfInterval !== null);
  const nameTitle = { function: 'Function', file: 'File', dso: 'DSO', thread: 'Thread' };
  const interval = (of: 'selfInterval' | 'totalInterval'): TableHeading<TableRow> => ({
    id: null,
    title: '95 %',
    hint: 'Where the share lies in 95 of 100 recordings, by the period model',
    isNumber: true,
    cell: (row) => {
      const range = row[of];
      return range === null ? '' : formatInterval(range.low, range.high);
    },
  });
  const headings: TableHeading<TableRow>[] = [
    {
      id: 'self',
      title: 'Self',
      hint: 'Weight of the samples whose innermost frame is here',
      isNumber: true,
      cell: (row) => shareCell(formatShare(row.selfShare), row.selfShare),
    },
    ...(hasIntervals ? [interval('selfInterval')] : []),
  ];
  if (unit !== 'samples') {
    const title = unit === 'nanoseconds' ? 'Self time' : 'Self events';
    headings.push({ id: null, title, isNumber: true, cell: (row) => formatWeight(row.self, unit) });
  }
  if (state.tableBy !== 'thread') {
    headings.push(
      {
        id: 'total',
        title: 'Total',
        hint: 'Weight of the samples with this anywhere on the stack, each once',
        isNumber: true,
        cell: (row) => {
          const cell = shareCell(formatShare(row.totalShare), row.totalShare);
          cell.title = formatWeight(row.total, unit);
          return cell;
        },
      },
      ...(hasIntervals ? [interval('totalInterval')] : []),
    );
  }
  headings.push(
    { id: 'samples', title: 'Samples', isNumber: true, cell: (row) => formatCount(row.samples) },
    { id: 'name', title: nameTitle[state.tableBy], isNumber: false, cell: nameCell },
  );
  return headings;
}

function nameCell(row: TableRow): HTMLElement {
  const beside = [row.dso.replace(/^.*\//, ''), row.place]
    .filter((text) => text !== '')
    .join(' · ');
  const cell = element('span', 'name-cell', element('span', 'name', row.name));
  cell.title = [row.name, row.dso, row.place].filter((text) => text !== '').join('\n');
  if (beside !== '' && beside !== row.name) cell.append(element('span', 'beside', beside));
  return cell;
}
