import { splitPlace } from '../../../src/formats/export/frame-label.ts';
import { colourNameOfFunc } from '../../../src/formats/export/frame-shades.ts';
import { askLatest } from '../ask/ask.ts';
import { ADDING_UP, formatCount, formatShare, formatWeight } from '../ask/format.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import { colourVariable } from '../flame-graph/frame-colours.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { TableParams, TableResult, TableRow } from '../worker/messages/messages.ts';
import { shortPlace } from './short-place.ts';

/** Rows, as many as one scrolls through; the tab Functions has all. */
const ROWS = 60;
/** Less is printed as 0.00%: such functions are counted below the rows. */
const LEAST_SHARE = 0.00005;

/** The heaviest functions of what is shown, each a button that chooses it. */
export class WhereList {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #by: HTMLButtonElement;
  readonly #list = element('ol', 'where-list', element('li', 'quiet-text where-none', ADDING_UP));
  readonly #ask: (params: TableParams) => boolean;
  #drawn: TableResult | null = null;
  /** FuncIndex of each row that is in the list. */
  #buttons: ReadonlyMap<number, HTMLButtonElement> = new Map();

  /** `onHeaviest` gets the FuncIndex of the first row; null where there is none. */
  constructor(context: ViewContext, onHeaviest: (func: number | null) => void) {
    const { store, ask } = context;
    this.#context = context;
    this.#by = pushButton('quiet where-by', '', () =>
      store.change({ listBy: store.get().listBy === 'self' ? 'total' : 'self' }, 'adjust'),
    );
    this.root = element(
      'section',
      'where',
      element('div', 'where-head', element('h2', '', 'Where the weight went'), this.#by),
      this.#list,
    );
    this.#list.addEventListener('keydown', (event) => this.#takeKey(event));
    this.#ask = askLatest(
      ask,
      'table',
      (result) => {
        this.#drawn = result;
        this.#draw();
        onHeaviest(this.#buttons.keys().next().value ?? null);
      },
      (problem) => this.#list.replaceChildren(element('li', 'problem', problem)),
    );
  }

  show(state: ViewState): void {
    this.#by.textContent = state.listBy;
    this.#by.title =
      state.listBy === 'self'
        ? 'Self: spent in the function itself. Press for total'
        : 'Total: with what it called. Press for self';
    const isNew = this.#ask({
      ...selectionOf(state),
      by: 'function',
      sort: state.listBy,
      descending: true,
      filter: '',
      intervals: false,
      first: 0,
      count: ROWS,
    });
    // The rows are the same: to draw them anew costs as much as the flame graph does.
    if (!isNew) this.#markChosen(state.func);
  }

  #markChosen(func: number | null): void {
    for (const [index, button] of this.#buttons) {
      button.setAttribute('aria-pressed', String(index === func));
    }
  }

  #draw(): void {
    if (this.#drawn === null) return;
    const { rows, length, unit } = this.#drawn;
    const { listBy, func } = this.#context.store.get();
    const title = this.root.querySelector('h2');
    if (title !== null) title.textContent = HEADINGS[unit];
    const most = rows.reduce((least, row) => Math.max(least, shareBy(row, listBy)), 0);
    const shown = rows.filter((row) => shareBy(row, listBy) >= Math.min(most, LEAST_SHARE));
    this.#buttons = new Map(
      shown
        .filter((row) => shareBy(row, listBy) > 0)
        .map((row) => [row.index, this.#renderRow(row, listBy, most)]),
    );
    this.#markChosen(func);
    const items = [...this.#buttons.values()].map((button) => element('li', '', button));
    if (items.length === 0) {
      this.#list.replaceChildren(
        element('li', 'quiet-text where-none', 'No samples: no functions.'),
      );
      return;
    }
    const rest = length - items.length;
    const more = pushButton(
      'quiet',
      rest === 1 ? '1 more function' : `${formatCount(rest)} more functions`,
      () => this.#context.store.change({ tab: 'table', tableBy: 'function' }),
    );
    replaceKeepingFocus(this.#list, ...items, ...(rest > 0 ? [element('li', '', more)] : []));
  }

  #renderRow(row: TableRow, by: ViewState['listBy'], most: number): HTMLButtonElement {
    const { store } = this.#context;
    const share = shareBy(row, by);
    const button = pushButton('where-row', '', () => store.change({ func: row.index }));
    button.dataset.key = `where ${row.index}`;
    const weight = by === 'self' ? row.self : row.total;
    button.title = [
      row.name,
      row.place,
      row.dso,
      formatWeight(weight, this.#drawn?.unit ?? 'samples'),
    ]
      .filter((part) => part !== '')
      .join('\n');
    const colour = colourVariable(colourNameOfFunc(row.name, row.group));
    const figure = element('span', 'where-share', formatShare(share));
    figure.style.setProperty('--part', `${most === 0 ? 0 : (100 * share) / most}%`);
    figure.style.setProperty('--bar', colour);
    const dot = element('span', 'swatch');
    dot.style.background = colour;
    button.append(
      figure,
      dot,
      element('span', 'cut-name', splitPlace(row.name, row.place).name),
      element('span', 'where-place', shortPlace(row.place)),
    );
    return button;
  }

  /** Arrow keys go through the rows, so that Tab need not. */
  #takeKey(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || !(event.target instanceof HTMLButtonElement)) return;
    const buttons = [...this.#list.querySelectorAll('button')];
    buttons[buttons.indexOf(event.target) + by]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

const HEADINGS = {
  nanoseconds: 'Where the time went',
  events: 'Where the events went',
  bytes: 'Where the bytes went',
  samples: 'Where the samples are',
} as const;

function shareBy(row: TableRow, by: ViewState['listBy']): number {
  return by === 'self' ? row.selfShare : row.totalShare;
}
