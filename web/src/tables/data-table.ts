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
  /** By which a row is the same when the table is drawn anew. */
  readonly keyOf?: (row: Row) => string | number;
  readonly onMenu?: (row: Row, at: { readonly x: number; readonly y: number }) => void;
};

/** A table of text with sortable headings. */
export function renderTable<Row>(options: TableOptions<Row>): HTMLTableElement {
  const { headings, rows, sort, onSort, onChoose } = options;
  const head = element('tr');
  for (const heading of headings) {
    const cell = columnHeading('', heading.isNumber ? 'number' : '');
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
      button.dataset.key = `sort ${heading.id}`;
      // Large figures are what one looks for, and names from the beginning.
      const first = heading.isNumber ? '-' : '+';
      const other = isDescending ? '+' : '-';
      button.addEventListener('click', () => onSort(heading.id + (isSorted ? other : first)));
      cell.append(button);
    }
    head.append(cell);
  }
  const body = element('tbody');
  // One row is in the order of Tab: whoever goes on does not want to pass 200 of them.
  const chosen = rows.findIndex((row) => options.isChosen?.(row) === true);
  for (const [index, row] of rows.entries()) {
    const line = element('tr');
    if (index === chosen) line.setAttribute('aria-selected', 'true');
    if (options.keyOf !== undefined) line.dataset.key = `row ${options.keyOf(row)}`;
    for (const { isNumber, cell } of headings) {
      line.append(element('td', isNumber ? 'number' : '', cell(row)));
    }
    if (onChoose !== undefined) {
      line.tabIndex = index === Math.max(0, chosen) ? 0 : -1;
      line.addEventListener('click', () => onChoose(row));
      line.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') onChoose(row);
        else if (!moveFocus(line, event.key)) return;
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
