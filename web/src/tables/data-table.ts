import { element, pushButton } from '../dom/dom.ts';
import { splitName } from './split-name.ts';

export type TableHeading<Row> = {
  /** Name of the column for `onSort`; null: can't be sorted by. */
  readonly id: string | null;
  readonly title: string;
  readonly hint?: string;
  readonly isNumber: boolean;
  /** Left out where the box of the table is narrow. */
  readonly isExtra?: boolean;
  /** The title may have several lines. */
  readonly isLong?: boolean;
  readonly cell: (row: Row) => string | Node;
};

type Sorting = {
  /** `self-`: the column sorted by, and the direction; empty: none. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
};

type TableOptions<Row> = Sorting & {
  readonly caption: string;
  readonly headings: readonly TableHeading<Row>[];
  readonly rows: readonly Row[];
  /** Rows can be chosen: by a click, and by Enter or the space bar where one has the focus. */
  readonly onChoose: (row: Row) => void;
  readonly isChosen: (row: Row) => boolean;
  /** The key by which a row is the same when the table is drawn anew. */
  readonly keyOf: (row: Row) => string | number;
  readonly classOf: (row: Row) => string;
};

/** A grid of text with sortable headings, of at least one row: rows take the focus. */
export function renderTable<Row>(options: TableOptions<Row>): HTMLTableElement {
  const { caption, headings, rows, isChosen, onChoose, keyOf, classOf } = options;
  const lines = rows.map((row) => {
    const line = renderRow(row, headings, keyOf(row), classOf(row));
    makeChoosable(line, () => onChoose(row));
    return line;
  });
  const body = element('tbody', '', ...lines);
  const head = element('thead', '', renderHeadings(headings, options));
  const table = element('table', 'data-table', head, body);
  table.setAttribute('aria-label', caption);
  table.setAttribute('role', 'grid');
  const chosen = rows.findIndex((row) => isChosen(row));
  markChosen(table, lines[chosen] ?? null);
  // One row is in the order of Tab: whoever goes on does not want to pass 200 of them.
  lines[Math.max(0, chosen)].tabIndex = 0;
  return table;
}

/** Marks one row as the chosen one, null: none, without drawing the table anew. */
export function markChosen(table: Element, line: Element | null): void {
  for (const other of table.querySelectorAll('tbody > tr')) {
    other.setAttribute('aria-selected', String(other === line));
  }
}

/** The line of headings; those of columns with a name are buttons that sort. */
export function renderHeadings<Row>(
  headings: readonly TableHeading<Row>[],
  sorting: Sorting,
): HTMLTableRowElement {
  return element('tr', '', ...headings.map((heading) => renderHeading(heading, sorting)));
}

function renderHeading<Row>(
  { id, title, hint, isNumber, isExtra, isLong }: TableHeading<Row>,
  { sort, onSort }: Sorting,
): HTMLTableCellElement {
  const cell = columnHeading(id === null ? title : '', classOfCell(isNumber, isExtra));
  if (hint !== undefined) cell.title = hint;
  cell.classList.toggle('is-long', isLong === true);
  if (id === null) return cell;
  const isSorted = sort.slice(0, -1) === id;
  const isDescending = sort.endsWith('-');
  if (isSorted) cell.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
  const arrow = isSorted ? (isDescending ? ' ▾' : ' ▴') : '';
  // Large figures are what one looks for, and names from the beginning.
  const first = isNumber ? '-' : '+';
  const other = isDescending ? '+' : '-';
  const button = pushButton('heading', title + arrow, () =>
    onSort(id + (isSorted ? other : first)),
  );
  button.dataset.key = `sort ${id}`;
  cell.append(button);
  return cell;
}

export function renderRow<Row>(
  row: Row,
  headings: readonly TableHeading<Row>[],
  key: string | number,
  className = '',
): HTMLTableRowElement {
  const cells = headings.map(({ isNumber, isExtra, cell }) =>
    element('td', classOfCell(isNumber, isExtra), cell(row)),
  );
  const line = element('tr', className, ...cells);
  line.dataset.key = `row ${key}`;
  return line;
}

function makeChoosable(line: HTMLTableRowElement, choose: () => void): void {
  line.tabIndex = -1;
  line.addEventListener('click', choose);
  line.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') choose();
    else if (!moveFocus(line, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function classOfCell(isNumber: boolean, isExtra = false): string {
  return `${isNumber ? 'number' : ''} ${isExtra ? 'is-extra' : ''}`.trim();
}

export function columnHeading(text: string, className = 'number'): HTMLTableCellElement {
  const cell = element('th', className, text);
  cell.scope = 'col';
  return cell;
}

/** Goes from a row to another one of its table; false for other keys. */
export function moveFocus(line: HTMLElement, key: string): boolean {
  const lines = [...(line.parentElement?.children ?? [])];
  const at = lines.indexOf(line);
  const last = lines.length - 1;
  const page = rowsInView(line);
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: Math.min(last, at + page),
    PageUp: Math.max(0, at - page),
    Home: 0,
    End: last,
  }[key];
  if (to === undefined) return false;
  focusRow(lines[to] ?? null, line);
  return true;
}

/** Rows that fit below the heading of the box that scrolls them, less one: what was last is first then. */
function rowsInView(line: HTMLElement): number {
  const box = line.closest('.table-box');
  if (box === null || line.offsetHeight === 0) return 1;
  return Math.max(1, Math.floor(box.clientHeight / line.offsetHeight) - 2);
}

/** The row that has the focus is the one that Tab comes back to. */
export function focusRow(row: Element | null, from: HTMLElement): void {
  if (!(row instanceof HTMLElement)) return;
  from.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

/** A name that is cut at its front where there is no room: the function, the file and the line stay. */
export function nameText(name: string, className = 'name'): HTMLElement {
  const { head, tail } = splitName(name);
  const end = element('span', 'name-tail', tail);
  if (head === '') return element('span', className, end);
  const text = element('span', className, element('span', 'name-head', head), end);
  text.style.setProperty('--tail', `${tail.length}ch`);
  return text;
}

/** A share as text with a bar behind it as wide as the share. */
export function shareCell(text: string, share: number): HTMLElement {
  const bar = element('span', 'share-bar');
  bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element('span', 'share-cell', bar, element('span', 'share-text', text));
}
