import { askLatest } from '../ask/ask.ts';
import { formatCount, formatShare, formatWeight } from '../ask/format.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ShownMatch } from '../shell/tab-view.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { FrameKey, SearchParams, SearchResult } from '../worker/messages/messages.ts';
import { type Found, SearchField } from './search-field.ts';

/** No match was shown yet. */
const NOT_SHOWN = -1;

/** The search field of the page: asks the worker, and has the open view show the match that is gone to. */
export class SearchBar {
  readonly #store: Store;
  readonly #field: SearchField;
  readonly #reveal: (match: ShownMatch | null) => void;
  readonly #ask: (params: SearchParams | null) => boolean;
  /** The result found last; null until it is there. In other samples it stays until the next answer. */
  #found: Found | null = null;
  /** The search, and the tree that was searched. */
  #searched = '';
  /** `ViewState.match` that was shown last: what is drawn anew scrolls nowhere. */
  #shown: number | null = NOT_SHOWN;

  /** `reveal` is called with the first match of a search, with those that are gone to, and null for none. */
  constructor({ store, ask }: ViewContext, reveal: (match: ShownMatch | null) => void) {
    this.#store = store;
    this.#reveal = reveal;
    this.#field = new SearchField(store, (hit, takesFocus) => this.#goTo(hit, takesFocus));
    this.#ask = askLatest(
      ask,
      'search',
      (result) => {
        this.#found = describeFound(result);
        this.#field.show(this.#store.get(), this.#found);
        this.#showMatch(false);
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

  /** Shows `state`; to be called after the views were shown the same state: then they know what they wait for. */
  show(state: ViewState): void {
    this.#ask(state.search.trim() === '' ? null : searchParams(state));
    const searched = JSON.stringify([state.search, state.tree, state.roots, state.frames]);
    if (searched !== this.#searched) {
      this.#found = null;
      this.#shown = NOT_SHOWN;
      this.#reveal(null);
    }
    this.#searched = searched;
    this.#field.show(state, this.#found);
    this.#showMatch(false);
  }

  focus(): void {
    this.#field.focus();
  }

  /** Goes to a hit without a zoom, or within that which there is. */
  #goTo(hit: number, takesFocus: boolean): void {
    const path = this.#found?.hits[hit]?.path;
    if (path === undefined) return;
    const isInZoom = isBelow(path, this.#store.get().zoom);
    // What the change shows has the focus asked for, and is not to be shown without it.
    this.#shown = hit;
    if (isInZoom) this.#store.change({ match: hit }, 'adjust');
    else this.#store.change({ match: hit, zoom: [] });
    this.#shown = NOT_SHOWN;
    this.#showMatch(takesFocus);
  }

  /** Shows the match that was gone to, else the heaviest one of what is zoomed into. */
  #showMatch(takesFocus: boolean): void {
    const { match, zoom } = this.#store.get();
    if (this.#found === null || match === this.#shown) return;
    const paths = this.#found.hits.map(({ path }) => path);
    const first = paths.find((path) => isBelow(path, zoom)) ?? paths[0];
    const path = match === null ? first : paths[match];
    if (path === undefined) return;
    this.#shown = match;
    this.#reveal({ path, others: paths, isGoneTo: match !== null, takesFocus });
  }
}

function isBelow(path: readonly FrameKey[], zoom: readonly FrameKey[]): boolean {
  return zoom.every((key, depth) => path[depth] === key);
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
  const share = (part: number) => formatShare(all === 0 ? 0 : part / all);
  return {
    hits,
    hitCount,
    problem,
    shareOf: ({ total }) => share(total),
    reported: `${share(weight)} matched`,
    title:
      `${formatWeight(weight, unit)} in samples with one of ` +
      `${formatCount(functions)} matching functions on their stacks`,
  };
}
