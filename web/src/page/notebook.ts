import type {
  FirstAnswer,
  NotebookRow,
  PageNotebook,
} from '../../../src/formats/export/page-profile.ts';
import { formatBytes, formatCount, formatNanos, formatShare } from '../ask/format.ts';
import { TRUST_MARKS } from '../ask/trust.ts';
import { element, pushButton } from '../dom/dom.ts';
import { programTitle } from '../head/program-title.ts';
import { pageOfFile } from '../open/send-file.ts';
import './notebook.css';

const HEADINGS = [
  '',
  'Program',
  'Recorded',
  'Length',
  'Samples',
  'Size',
  'Trust',
  'Most by itself',
];

/** The recordings of a folder, each a link to its page; a press on two of them compares the newer with the older. */
export function createNotebook({ folder, rows }: PageNotebook): HTMLElement {
  document.title = `${folder} · perf-ts`;
  const heading = element('h1', '', `Recordings in ${folder}`);
  if (rows.length === 0) {
    return element(
      'main',
      'notebook',
      heading,
      element('p', 'empty', 'None yet: perf-ts record -- COMMAND'),
    );
  }
  const hint = element('p', 'quiet-text', 'Compare: press ⇄ of one, then of another.');
  hint.setAttribute('role', 'status');
  let first: { readonly row: NotebookRow; readonly button: HTMLButtonElement } | null = null;
  const compare = (row: NotebookRow, button: HTMLButtonElement) => {
    first?.button.setAttribute('aria-pressed', 'false');
    if (first !== null && first.row !== row) {
      const [older, newer] = [first.row, row].sort((a, b) => a.changedMs - b.changedMs);
      window.location.assign(pageOfFile(newer.file, [older.file]));
      return;
    }
    first = first === null ? { row, button } : null;
    button.setAttribute('aria-pressed', String(first !== null));
    hint.textContent =
      first === null ? '' : `${row.name} is compared with the one whose ⇄ is pressed next.`;
  };
  const lines = rows.map((row) => ({ row, line: renderRow(row, compare) }));
  const head = element('tr', '', ...HEADINGS.map((title) => element('th', '', title)));
  const table = element(
    'table',
    'data-table',
    element('thead', '', head),
    element('tbody', '', ...lines.map(({ line }) => line)),
  );
  void askAnswers(lines);
  return element('main', 'notebook', heading, hint, table);
}

/** The way from the page of a recording back to the list of its folder; nothing where it is of none. */
export function notebookLink(notebook: PageNotebook | undefined): readonly HTMLElement[] {
  if (notebook === undefined) return [];
  const address = new URL(document.baseURI);
  address.hash = '';
  address.search = '';
  const link = element('a', '', 'Recordings');
  link.href = address.href;
  link.title = `All recordings in ${notebook.folder}`;
  return [link];
}

/** Cells of the first answer, which come when the recording was read. */
const ANSWERED = ['length', 'samples', 'trust', 'top'] as const;

function renderRow(
  row: NotebookRow,
  compare: (row: NotebookRow, button: HTMLButtonElement) => void,
): HTMLTableRowElement {
  const { name, commandLine, bytes, changedMs, lengthNs } = row;
  const button = pushButton('', '⇄', () => compare(row, button));
  button.title = `Compare ${name} with another`;
  button.setAttribute('aria-label', button.title);
  button.setAttribute('aria-pressed', 'false');
  const title = programTitle(commandLine);
  const program = element('a', 'notebook-program', title ?? name);
  const file = title === null ? [] : [' ', element('span', 'quiet-text', name)];
  program.href = pageOfFile(row.file, []);
  program.title = commandLine.join(' ');
  const answered = (column: (typeof ANSWERED)[number], text = '') =>
    element(
      'td',
      `is-${column}${column === 'length' || column === 'samples' ? ' number' : ''}`,
      text,
    );
  return element(
    'tr',
    '',
    element('td', '', button),
    element('td', 'notebook-name', program, ...file),
    element('td', '', new Date(changedMs).toLocaleString()),
    answered('length', lengthNs === null ? '' : formatNanos(lengthNs)),
    answered('samples'),
    element('td', 'number', formatBytes(bytes)),
    answered('trust', '…'),
    answered('top'),
  );
}

/** Asks one after the other, the newest first: the server reads one at a time. */
async function askAnswers(
  lines: readonly { readonly row: NotebookRow; readonly line: HTMLTableRowElement }[],
): Promise<void> {
  for (const { row, line } of lines) {
    const cell = (column: (typeof ANSWERED)[number]) => line.querySelector(`.is-${column}`)!;
    try {
      const response = await fetch(new URL(`answer/${row.file}`, document.baseURI));
      if (!response.ok) throw new Error(await response.text());
      const { lengthNs, samples, trust, top } = (await response.json()) as FirstAnswer;
      if (lengthNs > 0) cell('length').textContent = formatNanos(lengthNs);
      cell('samples').textContent = formatCount(samples);
      cell('trust').textContent = `${TRUST_MARKS[trust.level]} ${trust.label}`;
      cell('top').textContent = top === null ? '' : `${formatShare(top.share)} ${top.name}`;
    } catch (error) {
      cell('trust').textContent = '';
      cell('top').replaceChildren(element('span', 'quiet-text', (error as Error).message));
    }
  }
}
