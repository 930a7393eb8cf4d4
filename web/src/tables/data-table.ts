import { element } from '../dom.ts';

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
  readonly onMenu?: (row: Row, at: { readonly x: number; readonly y: number }) => void;
};

/** A table of text with sortable headings. */
export function renderTable<Row>(options: TableOptions<Row>): HTMLTableElement {
  const { headings, rows, sort, onSort, onChoose } = options;
  const head = element('tr');
  for (const heading of headings) {
    const cell = element('th', heading.isNumber ? 'number' : '');
    cell.scope = 'col';
    if (heading.hint !== undefined) cell.title = heading.hint;
    if (heading.id === null || onSort === undefined) {
      cell.append(heading.title);
    } else {
      const isSorted = sort.slice(0, -1) === heading.id;
      const isDescending = sort.endsWith('-');
      if (isSorted) cell.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
      const arrow = isSorted ? (isDescending ? ' ▾' : ' ▴') : '';
      const button = element('button', 'heading', `${heading.title}${arrow}`);
      button.type = 'button';
      // Large figures are what one looks for, and names from the beginning.
      const first = heading.isNumber ? '-' : '+';
      const other = isDescending ? '+' : '-';
      button.addEventListener('click', () => onSort(heading.id + (isSorted ? other : first)));
      cell.append(button);
    }
    head.append(cell);
  }
  const body = element('tbody');
  for (const row of rows) {
    const line = element('tr');
    if (options.isChosen?.(row)) line.setAttribute('aria-selected', 'true');
    for (const { isNumber, cell } of headings) {
      line.append(element('td', isNumber ? 'number' : '', cell(row)));
    }
    if (onChoose !== undefined) {
      line.tabIndex = 0;
      line.addEventListener('click', () => onChoose(row));
      line.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') onChoose(row);
        else if (event.key === 'ArrowDown') focusRow(line.nextElementSibling);
        else if (event.key === 'ArrowUp') focusRow(line.previousElementSibling);
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
    }
    line.addEventListener('contextmenu', (event) => {
      if (options.onMenu === undefined) return;
      event.preventDefault();
      options.onMenu(row, { x: event.clientX, y: event.clientY });
    });
    body.append(line);
  }
  const table = element('table', 'data-table', element('thead', '', head), body);
  table.setAttribute('aria-label', options.caption);
  return table;
}

function focusRow(row: Element | null): void {
  if (row instanceof HTMLElement) row.focus();
}

/** A share as text with a bar behind it as wide as the share. */
export function shareCell(text: string, share: number): HTMLElement {
  const bar = element('span', 'share-bar');
  bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element('span', 'share-cell', bar, element('span', 'share-text', text));
}
