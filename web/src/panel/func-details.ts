import { askLatest } from '../ask/ask.ts';
import { formatCount, formatShare, formatWeight } from '../ask/format.ts';
import { copyText } from '../dom/copy-text.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import { splitPlace } from '../flame-graph/frame-label.ts';
import { addEdit } from '../state/edits.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Interval } from '../worker/messages/messages.ts';
import type { DetailsParams, DetailsResult, Neighbour } from '../worker/messages/panel-messages.ts';
import { shortPlace } from './short-place.ts';

/** The chosen function: its weight with the interval, its neighbours, its lines, and what can be done with it. */
export class FuncDetails {
  readonly root = element('section', 'details');
  readonly #context: ViewContext;
  readonly #ask: (params: DetailsParams | null) => boolean;
  readonly #askInterval: (params: DetailsParams | null) => boolean;
  /** The last interval and whose it is: it stays until that of other samples is there. */
  #interval: { readonly func: number; readonly of: Interval | null } | null = null;
  #drawn: { readonly func: number; readonly result: DetailsResult | null } | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.root.setAttribute('aria-label', 'The chosen function');
    const fail = (problem: string) => this.root.replaceChildren(element('p', 'problem', problem));
    this.#ask = askLatest(
      context.ask,
      'details',
      (result, { func }) => {
        this.#drawn = { func, result };
        this.#draw();
      },
      fail,
    );
    this.#askInterval = askLatest(
      context.ask,
      'selfInterval',
      (of, { func }) => {
        this.#interval = { func, of };
        this.#draw();
      },
      fail,
    );
  }

  show(state: ViewState): void {
    const { func } = state;
    if (func === null) {
      this.#ask(null);
      this.#askInterval(null);
      this.root.replaceChildren(
        element('p', 'quiet-text', 'Choose a function: its callers, callees and lines stand here.'),
      );
      return;
    }
    const params = { ...selectionOf(state), func };
    this.#ask(params);
    this.#askInterval(params);
  }

  #draw(): void {
    const { store } = this.#context;
    if (this.#drawn === null || this.#drawn.func !== store.get().func) return;
    const { func, result } = this.#drawn;
    if (result === null) {
      this.root.replaceChildren(
        element('p', 'quiet-text', 'This recording does not have the chosen function.'),
      );
      return;
    }
    const { name, place, callers, callees } = result;
    const interval = this.#interval?.func === func ? this.#interval.of : null;
    const heading = element(
      'h2',
      'details-name',
      splitPlace(name, place).name,
      ' ',
      element('span', 'details-place', shortPlace(place)),
    );
    heading.title = [name, place, result.dso].filter((part) => part !== '').join('\n');
    replaceKeepingFocus(
      this.root,
      heading,
      element('p', 'details-self', describeWeight(result, interval)),
      ...this.#renderNeighbours('called by', callers, result.callerCount, result.total),
      ...this.#renderNeighbours('calls', callees, result.calleeCount, result.total),
      ...renderLines(store, result),
      renderActions(store, func, name),
    );
  }

  /** Lists the share of the function's total that came from, or went to, each. */
  #renderNeighbours(
    title: string,
    neighbours: readonly Neighbour[],
    count: number,
    total: number,
  ): HTMLElement[] {
    if (neighbours.length === 0) return [];
    const { store } = this.#context;
    const list = element('p', 'neighbours', element('span', 'quiet-text', `${title} `));
    neighbours.forEach(({ func, name, place, weight }, index) => {
      const button = pushButton('link', splitPlace(name, place).name, () => store.change({ func }));
      button.dataset.key = `${title} ${func}`;
      button.title = name;
      const share = formatShare(total === 0 ? 0 : weight / total);
      if (index > 0) list.append(', ');
      list.append(element('span', 'neighbour', button, element('span', 'quiet-text', ` ${share}`)));
    });
    const rest = count - neighbours.length;
    if (rest > 0) list.append(element('span', 'quiet-text', `, and ${formatCount(rest)} more`));
    return [list];
  }
}

function describeWeight(
  { self, total, weight, unit, samples }: DetailsResult,
  selfInterval: Interval | null,
): string {
  const share = (part: number) => formatShare(weight === 0 ? 0 : part / weight);
  const interval =
    selfInterval === null
      ? ''
      : ` (${formatShare(selfInterval.low)} to ${formatShare(selfInterval.high)})`;
  const count = unit === 'samples' ? '' : ` in ${formatWeight(samples, 'samples')}`;
  const text = `self ${share(self)}${interval} · ${formatWeight(self, unit)}${count} · total ${share(total)}`;
  // No line ends within a number: 2 196.
  return text.replace(/(?<=\d) (?=\d)/g, '\u00a0');
}

function renderLines(store: Store, { lines, self }: DetailsResult): HTMLElement[] {
  const known = lines.filter(({ line }) => line > 0);
  if (known.length === 0) return [];
  const row = element('p', 'neighbours', element('span', 'quiet-text', 'lines '));
  known.forEach(({ line, self: ofLine }, index) => {
    const button = pushButton('link', String(line), () => store.change({ tab: 'source' }));
    button.dataset.key = `line ${line}`;
    if (index > 0) row.append(', ');
    const share = formatShare(self === 0 ? 0 : ofLine / self);
    row.append(element('span', 'neighbour', button, element('span', 'quiet-text', ` ${share}`)));
  });
  return [row];
}

function renderActions(store: Store, func: number, name: string): HTMLElement {
  const edit = (made: 'focus' | 'hide' | 'merge') =>
    addEdit(store.get(), { action: made, of: 'func', index: func });
  const action = (label: string, hint: string, changes: Partial<ViewState>) => {
    const button = pushButton('link', label, () => store.change(changes));
    button.title = hint;
    button.dataset.key = `action ${label}`;
    return button;
  };
  const copy = pushButton('link', 'Copy', () => void copyText(name, 'the name'));
  copy.title = 'Copy the name (c)';
  const buttons = [
    action('Source', 'Its lines with their weight', { tab: 'source' }),
    action('Callers', 'All callers and callees', { tab: 'table', tableBy: 'function' }),
    action('Focus', 'Only samples with it (f)', edit('focus')),
    action('Hide', 'Only samples without it (d)', edit('hide')),
    action('Merge', 'Fold its frames into their callers (m)', edit('merge')),
    copy,
  ];
  return element('div', 'details-actions', ...buttons);
}
