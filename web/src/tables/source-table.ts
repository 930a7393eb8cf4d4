import { formatShare, formatWeight } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import type { SourceResult, Unit } from '../worker/messages/messages.ts';
import { columnHeading } from './data-table.ts';

/** Lines around those with weight that are shown where the whole file would be too long. */
const MARGIN = 12;
/** Up to so many lines the whole file is shown. */
const WHOLE_FILE = 3000;

/** Lines with their self and total. Without the text, only the numbers of those that have weight. */
export function renderLines(result: SourceResult, text: string | null): HTMLTableElement {
  const lines = text === null ? [] : text.split('\n');
  const rowOf = new Map<number, number>();
  for (let row = 0; row < result.line.length; row++) rowOf.set(result.line[row], row);
  const most = result.self.reduce((max, value) => Math.max(max, value), 0);
  const body = element('tbody');
  let last = 0;
  for (const number of linesToShow(result, lines.length)) {
    if (last > 0 && number > last + 1) {
      body.append(element('tr', '', element('td'), element('td'), element('td', 'number', '…')));
    }
    last = number;
    const row = rowOf.get(number);
    const self = row === undefined ? 0 : result.self[row];
    const total = row === undefined ? 0 : result.total[row];
    const line = element(
      'tr',
      '',
      weightCell(self, result),
      weightCell(total, result),
      element('td', 'number line-number', String(number)),
      element('td', '', (lines[number - 1] ?? '').replace(/\r$/, '')),
    );
    warm(line, self, most);
    if (number === result.firstLine) line.classList.add('is-first');
    body.append(line);
  }
  const head = element(
    'tr',
    '',
    columnHeading('Self'),
    columnHeading('Total'),
    columnHeading('Line'),
    columnHeading('Code', ''),
  );
  const table = element('table', 'source-table', element('thead', '', head), body);
  table.setAttribute('aria-label', `Weight per line of ${result.file ?? 'no file'}`);
  return table;
}

/** Colours a row by its part of the `most` that any row has. */
export function warm(line: HTMLTableRowElement, self: number, most: number): void {
  if (self === 0) return;
  line.classList.add('is-hot');
  line.style.setProperty('--heat', String(Math.round(6 + (40 * self) / most)));
  if (self === most) line.classList.add('is-hottest');
}

/** A cell with a share of all that is selected; empty where there is nothing. */
export function weightCell(
  value: number,
  { weight, unit }: { readonly weight: number; readonly unit: Unit },
): HTMLTableCellElement {
  const cell = element('td', 'number');
  if (value === 0) return cell;
  cell.textContent = formatShare(weight === 0 ? 0 : value / weight);
  cell.title = formatWeight(value, unit);
  return cell;
}

function linesToShow({ line, firstLine }: SourceResult, length: number): number[] {
  if (length === 0) return [...line];
  const shown = new Set<number>();
  const add = (middle: number) => {
    for (let at = middle - MARGIN; at <= middle + MARGIN; at++) {
      if (at >= 1 && at <= length) shown.add(at);
    }
  };
  if (length <= WHOLE_FILE) for (let at = 1; at <= length; at++) shown.add(at);
  if (firstLine > 0) add(firstLine);
  for (const at of line) add(at);
  // The file may have become shorter since.
  for (const at of line) shown.add(at);
  return [...shown].sort((a, b) => a - b);
}
