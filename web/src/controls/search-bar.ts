import { askLatest } from '../ask.ts';
import { element, pushButton } from '../dom.ts';
import { formatCount, formatShare, formatWeight } from '../format.ts';
import type { KeyBinding } from '../keys.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { Store } from '../store.ts';
import type { ViewContext } from '../view-context.ts';
import type { FrameKey, SearchParams, SearchResult } from '../worker/messages.ts';

/** The result of a search in the words of the field. */
export type Found = {
  /** `12.34% matched`. */
  readonly said: string;
  /** `said` in full, for the tooltip. */
  readonly title: string;
  /** Paths for `ViewState.zoom`, heaviest first; `hitCount` counts those that are left out, too. */
  readonly hits: readonly { readonly path: readonly FrameKey[] }[];
  readonly hitCount: number;
  /** The part of the typed text that could not be understood; null if all was. */
  readonly problem: string | null;
};

/** Text or a regular expression; how much of the weight it matches; and the way through its hits. */
export class SearchField {
  readonly root: HTMLElement;
  readonly #store: Store;
  readonly #input = element('input');
  readonly #output = element('output', 'search-result');
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  #found: Found | null = null;
  /** Position of the hit that is zoomed into; −1 if none is. */
  #hit = -1;

  constructor(store: Store) {
    this.#store = store;
    this.#input.type = 'search';
    this.#input.placeholder = 'Search: text or /regular expression/';
    this.#input.setAttribute('aria-label', 'Search functions');
    this.#input.addEventListener('input', () => this.#search(this.#input.value));
    this.#input.addEventListener('keydown', (event) => this.#takeKey(event));
    this.#previous = stepButton('‹', 'Previous match (p)', () => this.step(-1));
    this.#next = stepButton('›', 'Next match (n)', () => this.step(1));
    this.root = element('div', 'search', this.#output, this.#previous, this.#next, this.#input);
    this.#describe();
  }

  /** `found` is null while nothing is searched, or not found out yet. */
  show(state: ViewState, found: Found | null): void {
    // Writing a text that differs by spaces only would move the caret of the one who types it.
    const isTyped =
      document.activeElement === this.#input && this.#input.value.trim() === state.search.trim();
    if (!isTyped && this.#input.value !== state.search) this.#input.value = state.search;
    this.#found = found;
    const zoom = state.zoom.join();
    this.#hit = found?.hits.findIndex(({ path }) => path.join() === zoom) ?? -1;
    this.#describe();
  }

  /** Shows `problem` in place of what was found. */
  fail(problem: string): void {
    this.#output.textContent = problem;
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Zooms to the next or the previous hit, round and round. */
  step(by: 1 | -1): void {
    const hits = this.#found?.hits ?? [];
    if (hits.length === 0) return;
    const from = this.#hit < 0 && by < 0 ? 0 : this.#hit;
    this.#store.change({ zoom: hits[(from + by + hits.length) % hits.length].path });
  }

  /** `does` describes the key `/` in the list of keys. */
  keys(does = 'search'): readonly KeyBinding[] {
    return [
      { key: '/', does, run: () => this.focus() },
      { key: 'n', does: 'next match', run: () => this.step(1) },
      { key: 'p', does: 'previous match', run: () => this.step(-1) },
    ];
  }

  #takeKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      this.#search('');
      this.#input.blur();
    } else return;
    event.preventDefault();
  }

  #search(search: string): void {
    this.#store.change({ search }, 'adjust');
  }

  #describe(): void {
    const found = this.#found;
    const hasHits = found !== null && found.hits.length > 0;
    this.#previous.hidden = !hasHits;
    this.#next.hidden = !hasHits;
    this.#output.textContent = found === null ? '' : textOf(found, this.#hit);
    this.#output.title = hasHits ? found.title : '';
  }
}

function stepButton(text: string, title: string, onPush: () => void): HTMLButtonElement {
  const button = pushButton('step', text, onPush);
  button.title = title;
  button.setAttribute('aria-label', title);
  return button;
}

function textOf({ said, hits, hitCount, problem }: Found, hit: number): string {
  const remark = problem === null ? '' : ` (${problem})`;
  if (hits.length === 0) return `no match${remark}`;
  const all = hits.length < hitCount ? ` heaviest of ${formatCount(hitCount)}` : '';
  const place = hit < 0 ? `${formatCount(hitCount)} ×` : `${hit + 1} of ${hits.length}${all}`;
  return `${said} · ${place}${remark}`;
}

/** A search field that asks the worker. */
export class SearchBar {
  readonly #store: Store;
  readonly #field: SearchField;
  readonly #ask: (params: SearchParams | null) => boolean;
  /** The answer to the last question; null until it is there. */
  #found: Found | null = null;

  constructor({ store, ask }: ViewContext) {
    this.#store = store;
    this.#field = new SearchField(store);
    this.#ask = askLatest(
      ask,
      'search',
      (result) => {
        this.#found = describeFound(result);
        this.#field.show(this.#store.get(), this.#found);
      },
      (problem) => this.#field.fail(problem),
    );
  }

  get root(): HTMLElement {
    return this.#field.root;
  }

  /** `does` describes the key `/` in the list of keys. */
  keys(does = 'search'): readonly KeyBinding[] {
    return this.#field.keys(does);
  }

  show(state: ViewState): void {
    const isNew = this.#ask(state.search.trim() === '' ? null : searchParams(state));
    if (isNew) this.#found = null;
    this.#field.show(state, this.#found);
  }

  focus(): void {
    this.#field.focus();
  }
}

function searchParams(state: ViewState): SearchParams {
  return {
    ...selectionOf(state),
    roots: state.roots,
    inverted: state.tree === 'callers',
    order: state.sort,
    search: state.search,
  };
}

function describeFound(result: SearchResult): Found {
  const { hits, hitCount, problem, functions, weight, all, unit } = result;
  return {
    hits,
    hitCount,
    problem,
    said: `${formatShare(all === 0 ? 0 : weight / all)} matched`,
    title:
      `${formatWeight(weight, unit)} in samples with one of ` +
      `${formatCount(functions)} matching functions on their stacks`,
  };
}
