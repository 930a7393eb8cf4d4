import { formatCount } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { SearchHit } from '../worker/messages/messages.ts';
import { MatchList } from './match-list.ts';

/** The result of a search in the words of the field. */
export type Found = {
  /** `12.34% matched`. */
  readonly reported: string;
  /** `said` in full, for the tooltip. */
  readonly title: string;
  /** Heaviest first; `hitCount` counts those that are left out, too. */
  readonly hits: readonly SearchHit[];
  readonly hitCount: number;
  /** A hit's share in words; absent: the hits are not listed. */
  readonly shareOf?: (hit: SearchHit) => string;
  /** The part of the typed text that could not be understood; null if all was. */
  readonly problem: string | null;
};

/** Goes to a hit by its position. `takesFocus`: the keys that follow are meant for the hit. */
export type GoToHit = (hit: number, takesFocus: boolean) => void;

/** Text or a regular expression; how much of the weight it matches; and the way through its hits. */
export class SearchField {
  readonly root: HTMLElement;
  readonly #store: Store;
  readonly #goTo: GoToHit | null;
  readonly #input = element('input');
  readonly #list: MatchList;
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  #found: Found | null = null;
  /** Position of the hit that was gone to; −1 if none was. */
  #hit = -1;

  /** A hit is zoomed into if there is no `goTo`. */
  constructor(store: Store, goTo: GoToHit | null = null) {
    this.#store = store;
    this.#goTo = goTo;
    this.#input.type = 'search';
    this.#input.placeholder = 'Search: text or /regular expression/';
    this.#input.setAttribute('aria-label', 'Search functions');
    this.#input.addEventListener('input', () => this.#search(this.#input.value));
    this.#input.addEventListener('keydown', (event) => this.#takeKey(event));
    this.#previous = stepButton('‹', 'Previous match (p)', () => this.#step(-1, false));
    this.#next = stepButton('›', 'Next match (n)', () => this.#step(1, false));
    this.root = element('div', 'search');
    this.#list = new MatchList(this.root, (hit) => this.#go(hit, true));
    this.root.append(this.#list.button, this.#list.root, this.#previous, this.#next, this.#input);
    this.#describe();
  }

  /** `found` is null while nothing is searched, or not found out yet. */
  show(state: ViewState, found: Found | null): void {
    // Writing a text that differs by spaces only would move the caret of the one who types it.
    const isTyped =
      document.activeElement === this.#input && this.#input.value.trim() === state.search.trim();
    if (!isTyped && this.#input.value !== state.search) this.#input.value = state.search;
    this.#found = found;
    this.#hit = found === null ? -1 : this.#hitOf(state, found);
    this.#describe();
  }

  /** Shows `problem` in place of what was found. */
  fail(problem: string): void {
    this.#found = null;
    this.#describe(problem);
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** `does` describes the key `/` in the list of keys. */
  keys(does = 'search'): readonly KeyBinding[] {
    return [
      { key: '/', does, run: () => this.focus() },
      { key: 'n', does: 'next match', run: () => this.#step(1, true) },
      { key: 'p', does: 'previous match', run: () => this.#step(-1, true) },
    ];
  }

  /** Goes to the next or the previous hit, round and round. */
  #step(by: 1 | -1, takesFocus: boolean): void {
    const hits = this.#found?.hits ?? [];
    if (hits.length === 0) return;
    const from = this.#hit < 0 && by < 0 ? 0 : this.#hit;
    this.#go((from + by + hits.length) % hits.length, takesFocus);
  }

  #go(hit: number, takesFocus: boolean): void {
    const path = this.#found?.hits[hit]?.path;
    if (path === undefined) return;
    if (this.#goTo === null) this.#store.change({ zoom: path });
    else this.#goTo(hit, takesFocus);
  }

  #takeKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') this.#step(event.shiftKey ? -1 : 1, false);
    else if (event.key === 'ArrowDown') this.#list.open();
    else if (event.key === 'Escape') {
      this.#search('');
      this.#input.blur();
    } else return;
    event.preventDefault();
  }

  #search(search: string): void {
    this.#store.change({ search, match: null }, 'adjust');
  }

  /** Position of the hit that a state shows; where hits are zoomed into, that of the zoomed frame. */
  #hitOf({ match, zoom }: ViewState, { hits }: Found): number {
    if (this.#goTo !== null) return match !== null && match < hits.length ? match : -1;
    const zoomed = zoom.join();
    return hits.findIndex(({ path }) => path.join() === zoomed);
  }

  #describe(problem = ''): void {
    const found = this.#found;
    const hasHits = found !== null && found.hits.length > 0;
    this.#previous.hidden = !hasHits;
    this.#next.hidden = !hasHits;
    const title = hasHits ? found.title : '';
    this.#list.describe(found === null ? problem : textOf(found, this.#hit), title);
    const { hits = [], hitCount = 0, shareOf = null } = found ?? {};
    this.#list.show(shareOf === null ? [] : hits, hitCount, shareOf ?? String);
  }
}

function stepButton(text: string, title: string, onPush: () => void): HTMLButtonElement {
  const button = pushButton('step', text, onPush);
  button.title = title;
  button.setAttribute('aria-label', title);
  return button;
}

function textOf({ reported, hits, hitCount, problem }: Found, hit: number): string {
  // A search that was given up says nothing of matches.
  if (hits.length === 0) return problem === null ? 'no match' : `nothing found: ${problem}`;
  const remark = problem === null ? '' : ` (${problem})`;
  const place = hit < 0 ? `${formatCount(hitCount)} ×` : `${hit + 1} of ${formatCount(hitCount)}`;
  return `${reported} · ${place}${remark}`;
}
