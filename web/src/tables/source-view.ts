import { element } from '../dom.ts';
import { formatShare, formatWeight } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { SourceResult } from '../worker/messages.ts';
import { createLatest } from './latest.ts';
import { describeSkid } from './skid.ts';
import './tables.css';

/** Lines around those with weight that are shown where the whole file would be too long. */
const MARGIN = 12;
/** Up to so many lines the whole file is shown. */
const WHOLE_FILE = 3000;

/** The source of a function's file, with self and total per line. */
export function createSourceView({ ask, recording, file }: ViewContext): TabView {
  const title = element('h2');
  const where = element('span', 'beside');
  const skid = element('p', 'pruned');
  const notes = element('p', 'pruned');
  const box = element('div', 'table-box');
  const root = element(
    'div',
    'tables',
    element('div', 'source-head', title, where),
    skid,
    notes,
    box,
  );
  /** Texts by string index: null where the server has none. */
  const texts = new Map<number, Promise<string | Error>>();
  let shown = 0;

  const askSource = createLatest(ask, 'source', (result) => void draw(result), fail);

  function show(state: ViewState): void {
    const event = recording.events[state.event];
    skid.textContent = event === undefined ? '' : describeSkid(event);
    if (state.func === null) {
      title.textContent = 'No function is chosen';
      where.textContent = '';
      notes.textContent =
        'Choose one in the table, or with the menu of a frame in the flame graph (right click, or m).';
      box.replaceChildren();
      return;
    }
    askSource({ ...selectionOf(state), func: state.func });
  }

  function fail(problem: string): void {
    box.replaceChildren(element('p', 'problem', problem));
  }

  async function draw(result: SourceResult): Promise<void> {
    const own = ++shown;
    title.textContent = result.name ?? '';
    where.textContent =
      result.file === null
        ? ''
        : result.file + (result.firstLine > 0 ? `:${result.firstLine}` : '');
    const parts: string[] = [];
    if (result.withoutLine > 0) {
      const share = result.weight === 0 ? 0 : result.withoutLine / result.weight;
      parts.push(`${formatShare(share)} of all is in this function at lines that are not known.`);
    }
    if (result.file === null) {
      parts.unshift(
        'No line of this function is known: its code has no debug information (native code: build ' +
          'with -g), or the recording has none of the addresses behind it.',
      );
      notes.textContent = parts.join(' ');
      box.replaceChildren();
      return;
    }
    const text = await textOf(result.fileIndex);
    if (own !== shown) return;
    if (text instanceof Error) parts.unshift(text.message);
    notes.textContent = parts.join(' ');
    box.replaceChildren(renderLines(result, text instanceof Error ? null : text));
    box.querySelector('.is-hottest')?.scrollIntoView({ block: 'center' });
  }

  function textOf(index: number): Promise<string | Error> {
    const { source } = file.links;
    if (source === undefined) {
      return Promise.resolve(
        new Error('A page that is a file has no sources inside; `perf-ts view` shows them.'),
      );
    }
    let text = texts.get(index);
    if (text === undefined) {
      const address = new URL(source, document.baseURI);
      address.searchParams.set('name', String(index));
      text = fetch(address).then(
        async (response) => {
          const body = await response.text();
          return response.ok ? body : new Error(body);
        },
        () => new Error('perf-ts no longer answers: was it ended with Ctrl-C?'),
      );
      texts.set(index, text);
    }
    return text;
  }

  return { root, show, keys: [] };
}

/** Without the text, only the numbers of the lines that have weight. */
function renderLines(result: SourceResult, text: string | null): HTMLTableElement {
  const lines = text === null ? [] : text.split('\n');
  const rowOf = new Map<number, number>();
  for (let row = 0; row < result.line.length; row++) rowOf.set(result.line[row] as number, row);
  const most = result.self.reduce((max, value) => Math.max(max, value), 0);
  const body = element('tbody');
  let last = 0;
  for (const number of linesToShow(result, lines.length)) {
    if (last > 0 && number > last + 1) {
      body.append(element('tr', '', element('td'), element('td'), element('td', 'number', '…')));
    }
    last = number;
    const row = rowOf.get(number);
    const self = row === undefined ? 0 : (result.self[row] as number);
    const total = row === undefined ? 0 : (result.total[row] as number);
    const line = element(
      'tr',
      '',
      figure(self, result),
      figure(total, result),
      element('td', 'number line-number', String(number)),
      element('td', '', (lines[number - 1] ?? '').replace(/\r$/, '')),
    );
    if (self > 0) {
      line.classList.add('is-hot');
      line.style.setProperty('--heat', String(Math.round(6 + (40 * self) / most)));
      if (self === most) line.classList.add('is-hottest');
    }
    if (number === result.firstLine) line.classList.add('is-first');
    body.append(line);
  }
  const heading = (text: string) => {
    const cell = element('th', 'number', text);
    cell.scope = 'col';
    return cell;
  };
  const head = element('tr', '', heading('Self'), heading('Total'), heading('Line'), element('th'));
  const table = element('table', 'source-table', element('thead', '', head), body);
  table.setAttribute('aria-label', `Weight per line of ${result.file ?? 'no file'}`);
  return table;
}

function figure(value: number, { weight, unit }: SourceResult): HTMLElement {
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
