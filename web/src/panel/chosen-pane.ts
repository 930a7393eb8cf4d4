import { splitPlace } from '../../../src/formats/export/frame-label.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount, formatShare, formatWeight } from '../ask/format.ts';
import { copyText } from '../dom/copy-text.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import { addEdit } from '../state/edits.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Interval } from '../worker/messages/messages.ts';
import type { DetailsParams, DetailsResult, Neighbour } from '../worker/messages/panel-messages.ts';
import { explainFunction } from './explain.ts';
import { FuncStrips } from './func-strips.ts';
import { HotLines } from './hot-lines.ts';
import { shortPlace } from './short-place.ts';

/**
 * The pane below every view: the chosen function, until one is chosen the heaviest. Its weight with the interval, who
 * called it, which threads ran it and when, what it called, its lines, and what can be done with it.
 */
export class ChosenPane {
  readonly root = element('section', 'chosen');
  readonly #context: ViewContext;
  readonly #head = element('div', 'chosen-head');
  /** Stands before the name where nobody chose the function. */
  readonly #unchosen = element('span', 'quiet-text', 'Heaviest:');
  readonly #weight = element('p', 'details-self');
  readonly #callers = element('section', 'chosen-part callers');
  readonly #callees = element('section', 'chosen-part callees');
  readonly #strips: FuncStrips;
  readonly #lines: HotLines;
  readonly #body: HTMLElement;
  readonly #ask: (params: DetailsParams | null) => boolean;
  readonly #askInterval: (params: DetailsParams | null) => boolean;
  /** FuncIndex of the heaviest function of the list; null: none; undefined: the list is not there yet. */
  #heaviest: number | null | undefined;
  /** The last interval and whose it is: it stays until that of other samples is there. */
  #interval: { readonly func: number; readonly of: Interval | null } | null = null;
  #drawn: { readonly func: number; readonly result: DetailsResult | null } | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#strips = new FuncStrips(context);
    this.#lines = new HotLines(context);
    this.#body = element(
      'div',
      'chosen-body',
      this.#callers,
      this.#strips.root,
      this.#callees,
      this.#lines.root,
    );
    this.root.setAttribute('aria-label', 'The chosen function');
    const fail = (problem: string) => this.#fail(problem, 'problem');
    this.#ask = askLatest(
      context.askAround,
      'details',
      (result, { func }) => {
        this.#drawn = { func, result };
        this.#draw();
      },
      fail,
    );
    this.#askInterval = askLatest(
      context.askAround,
      'selfInterval',
      (of, { func }) => {
        this.#interval = { func, of };
        this.#showWeight();
      },
      fail,
    );
  }

  show(state: ViewState): void {
    const func = this.#funcOf(state);
    if (func === undefined) return;
    // Also where the heaviest is chosen, of which all else is shown already.
    this.#unchosen.hidden = state.func !== null;
    if (func === null) {
      this.#ask(null);
      this.#askInterval(null);
      this.#fail('No function to show: nothing of this selection has a name.', 'quiet-text');
      return;
    }
    const params = { ...selectionOf(state), func };
    this.#ask(params);
    this.#askInterval(params);
    this.#strips.show(state, func);
  }

  /** Shows the heaviest function of the list where none is chosen. */
  follow(heaviest: number | null): void {
    this.#heaviest = heaviest;
    this.show(this.#context.store.get());
  }

  #funcOf({ func }: ViewState): number | null | undefined {
    return func ?? this.#heaviest;
  }

  #fail(problem: string, className: string): void {
    this.#head.replaceChildren(element('p', className, problem));
    this.root.replaceChildren(this.#head);
  }

  #draw(): void {
    const { store } = this.#context;
    const state = store.get();
    if (this.#drawn === null || this.#drawn.func !== this.#funcOf(state)) return;
    const { func, result } = this.#drawn;
    if (result === null) {
      this.#fail('This recording does not have the chosen function.', 'quiet-text');
      return;
    }
    if (!this.#body.isConnected) this.root.replaceChildren(this.#head, this.#body);
    const { name, place, total } = result;
    this.#showWeight();
    const heading = element(
      'h2',
      'details-name',
      splitPlace(name, place).name,
      ' ',
      element('span', 'details-place', shortPlace(place)),
    );
    heading.title = [name, place, result.dso].filter((part) => part !== '').join('\n');
    replaceKeepingFocus(
      this.#head,
      this.#unchosen,
      heading,
      this.#weight,
      this.#renderActions(func, result),
    );
    const choose = (other: number) => store.change({ func: other });
    const { callers, callees, callerCount, calleeCount } = result;
    replaceKeepingFocus(
      this.#callers,
      ...renderNeighbours('Called by', callers, callerCount, total, choose),
    );
    replaceKeepingFocus(
      this.#callees,
      ...renderNeighbours('Calls', callees, calleeCount, total, choose),
    );
    this.#lines.show(result);
  }

  #showWeight(): void {
    if (this.#drawn?.result == null) return;
    const { func, result } = this.#drawn;
    const interval = this.#interval?.func === func ? this.#interval.of : null;
    this.#weight.textContent = describeWeight(result, interval);
    this.#weight.classList.toggle('without-interval', interval === null);
  }

  #renderActions(func: number, result: DetailsResult): HTMLElement {
    const { store } = this.#context;
    const { name } = result;
    const edit = (made: 'focus' | 'hide' | 'merge') =>
      addEdit(store.get(), { action: made, of: 'func', index: func });
    const action = (label: string, hint: string, changes: () => Partial<ViewState>) => {
      const button = pushButton('link', label, () => store.change({ func, ...changes() }));
      button.title = hint;
      button.dataset.key = `action ${label}`;
      return button;
    };
    const copy = pushButton('link', 'Copy', () => void copyText(name, 'the name'));
    copy.title = 'Copy the name (c)';
    const explain = pushButton('link', 'Explain', () => {
      const interval = this.#interval?.func === func ? this.#interval.of : null;
      const text = explainFunction(this.#context, result, interval, this.#lines.text);
      void copyText(text, 'what is shown of it, as Markdown');
    });
    explain.title =
      'Copy its shares, callers, callees and lines as Markdown, for an issue or an assistant';
    const buttons = [
      action('Source', 'Its lines with their weight', () => ({ tab: 'source' })),
      action('Callers', 'All callers and callees', () => ({ tab: 'table', tableBy: 'function' })),
      action('Focus', 'Only samples with it (f)', () => edit('focus')),
      action('Hide', 'Only samples without it (d)', () => edit('hide')),
      action('Merge', 'Fold its frames into their callers (m)', () => edit('merge')),
      copy,
      explain,
    ];
    return element('div', 'details-actions', ...buttons);
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

/**
 * The callers or the callees of a function, `count` of them, with their shares of its total, which add up to all of it:
 * the part of itself, or without a caller, is among them.
 */
function renderNeighbours(
  title: string,
  neighbours: readonly Neighbour[],
  count: number,
  total: number,
  choose: (func: number) => void,
): HTMLElement[] {
  const list = element('ol', 'neighbours');
  for (const neighbour of neighbours) {
    const { func, name, place, weight } = neighbour;
    const share = element('span', 'neighbour-share', formatShare(total === 0 ? 0 : weight / total));
    if (func === null) {
      list.append(element('li', 'neighbour', share, element('span', 'quiet-text', name)));
      continue;
    }
    const button = pushButton('link cut-name', splitPlace(name, place).name, () => choose(func));
    button.dataset.key = `${title} ${func}`;
    button.title = [name, place].filter((part) => part !== '').join('\n');
    const where = element('span', 'where-place', shortPlace(place));
    list.append(element('li', 'neighbour', share, button, where));
  }
  const rest = count - neighbours.length;
  if (rest > 0) list.append(element('li', 'quiet-text', `and ${formatCount(rest)} more`));
  return [element('h3', '', title), list];
}
