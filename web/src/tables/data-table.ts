import { element, pushButton } from '../dom.ts';

export type TableHeading<Row> = {
  /** For `onSort`; null: can't be sorted by. */
  readonly id: string | null;
  readonly title: string;
  readonly hint?: string;
  readonly isNumber: boolean;
  readonly cell: (row: Row) => string | Node;
};

export type TableOptions<Row> = {
  readonly caption: string;
  readonly headings: readonly TableHeading<Row>[];
  readonly rows: readonly Row[];
  /** `self-`: the column sorted by, and the direction; empty: none. */
  readonly sort: string;
  readonly onSort?: (sort: string) => void;
  /** Rows can be chosen: by a click, and by Enter or the space bar where one has the focus. */
  readonly onChoose?: (row: Row) => void;
  readonly isChosen?: (row: Row) => boolean;
  /** By which a row is the same when the table is drawn anew. */
  readonly keyOf?: (row: Row) => string | number;
  readonly classOf?: (row: Row) => string;
};

/** A table of text with sortable headings. */
export function renderTable<Row>(options: TableOptions<Row>): HTMLTableElement {
  const { caption, headings, rows, isChosen, onChoose } = options;
  const head = element('tr', '', ...headings.map((heading) => renderHeading(heading, options)));
  const lines = rows.map((row) => renderRow(row, options));
  const chosen = rows.findIndex((row) => isChosen?.(row) === true);
  lines[chosen]?.setAttribute('aria-selected', 'true');
  // One row is in the order of Tab: whoever goes on does not want to pass 200 of them.
  if (onChoose !== undefined && lines.length > 0) lines[Math.max(0, chosen)].tabIndex = 0;
  const body = element('tbody', '', ...lines);
  const table = element('table', 'data-table', element('thead', '', head), body);
  table.setAttribute('aria-label', caption);
  return table;
}

function renderHeading<Row>(
  { id, title, hint, isNumber }: TableHeading<Row>,
  { sort, onSort }: TableOptions<Row>,
): HTMLTableCellElement {
  const isSortable = id !== null && onSort !== undefined;
  const cell = columnHeading(isSortable ? '' : title, isNumber ? 'number' : '');
  if (hint !== undefined) cell.title = hint;
  if (!isSortable) return cell;
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

function renderRow<Row>(
  row: Row,
  { headings, keyOf, classOf, onChoose }: TableOptions<Row>,
): HTMLTableRowElement {
  const cells = headings.map(({ isNumber, cell }) =>
    element('td', isNumber ? 'number' : '', cell(row)),
  );
  const line = element('tr', classOf?.(row), ...cells);
  if (keyOf !== undefined) line.dataset.key = `row ${keyOf(row)}`;
  if (onChoose === undefined) return line;
  line.tabIndex = -1;
  line.addEventListener('click', () => onChoose(row));
  line.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(row);
    else if (!moveFocus(line, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return line;
}

export function columnHeading(text: string, className = 'number'): HTMLTableCellElement {
  const cell = element('th', className, text);
  cell.scope = 'col';
  return cell;
}

/** Goes from a row to another one of its table; false for other keys. */
export function moveFocus(line: HTMLElement, key: string): boolean {
  const lines = line.parentElement?.children ?? [];
  const to = {
    ArrowDown: line.nextElementSibling,
    ArrowUp: line.previousElementSibling,
    Home: lines[0],
    End: lines[lines.length - 1],
  }[key];
  if (to === undefined) return false;
  focusRow(to, line);
  return true;
}

/** The row that has the focus is the one that Tab comes back to. */
export function focusRow(row: Element | null, from: HTMLElement): void {
  if (!(row instanceof HTMLElement)) return;
  from.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

/** A share as text with a bar behind it as wide as the share. */
export function shareCell(text: string, share: number): HTMLElement {
  const bar = element('span', 'share-bar');
  bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element('span', 'share-cell', bar, element('span', 'share-text', text));
}
