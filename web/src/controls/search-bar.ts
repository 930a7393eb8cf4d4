import { element } from '../dom.ts';
import { formatCount, formatShare, formatWeight } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { Store } from '../store.ts';
import type { ViewContext } from '../view-context.ts';
import type { FrameKey } from '../worker/messages.ts';

/** What a search found, as the field says it. */
export type Found = {
  /** `12.3 % matched`. */
  readonly said: string;
  /** The same in full. */
  readonly title: string;
  /** Paths for `ViewState.zoom`, heaviest first; `hitCount` counts those that are left out, too. */
  readonly hits: readonly { readonly path: readonly FrameKey[] }[];
  readonly hitCount: number;
  /** What of the typed text could not be understood, null if all was. */
  readonly problem: string | null;
};

export type SearchField = {
  readonly root: HTMLElement;
  /** `found` is null while nothing is searched, or not found out yet. */
  show(state: ViewState, found: Found | null): void;
  /** In place of what was found. */
  fail(problem: string): void;
  focus(): void;
  /** Zooms to the next or the previous hit, round and round. */
  step(by: 1 | -1): void;
};

/** Text or a regular expression; how much of the weight it matches; and the way through its hits. */
export function createSearchField(store: Store): SearchField {
  const input = element('input');
  input.type = 'search';
  input.placeholder = 'Search: text or /regular expression/';
  input.setAttribute('aria-label', 'Search functions');
  const output = element('output', 'search-result');
  const previous = stepButton('‹', 'Previous match (p)', -1);
  const next = stepButton('›', 'Next match (n)', 1);
  const root = element('div', 'search', output, previous, next, input);
  let shown: Found | null = null;
  let hit = -1;

  input.addEventListener('input', () => store.change({ search: input.value }, 'adjust'));
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      store.change({ search: '' }, 'adjust');
      input.blur();
    } else return;
    event.preventDefault();
  });

  function stepButton(text: string, title: string, by: 1 | -1): HTMLButtonElement {
    const button = element('button', 'step', text);
    button.type = 'button';
    button.title = title;
    button.setAttribute('aria-label', title);
    button.addEventListener('click', () => step(by));
    return button;
  }

  function step(by: 1 | -1): void {
    const hits = shown?.hits ?? [];
    if (hits.length === 0) return;
    const from = hit < 0 && by < 0 ? 0 : hit;
    store.change({ zoom: hits[(from + by + hits.length) % hits.length].path });
  }

  function describe(): void {
    const isFound = shown !== null && shown.hits.length > 0;
    previous.hidden = !isFound;
    next.hidden = !isFound;
    output.textContent = shown === null ? '' : textOf(shown, hit);
    output.title = isFound ? (shown?.title ?? '') : '';
  }

  describe();
  return {
    root,
    step,
    focus() {
      input.focus();
      input.select();
    },
    fail(problem) {
      output.textContent = problem;
    },
    show(state, found) {
      if (document.activeElement !== input || input.value.trim() !== state.search.trim()) {
        if (input.value !== state.search) input.value = state.search;
      }
      shown = found;
      const zoom = state.zoom.join();
      hit = found?.hits.findIndex(({ path }) => path.join() === zoom) ?? -1;
      describe();
    },
  };
}

function textOf({ said, hits, hitCount, problem }: Found, hit: number): string {
  const remark = problem === null ? '' : ` (${problem})`;
  if (hits.length === 0) return `no match${remark}`;
  const all = hits.length < hitCount ? ` heaviest of ${formatCount(hitCount)}` : '';
  const place = hit < 0 ? `${formatCount(hitCount)} ×` : `${hit + 1} of ${hits.length}${all}`;
  return `${said} · ${place}${remark}`;
}

export type SearchBar = Pick<SearchField, 'root' | 'focus' | 'step'> & {
  show(state: ViewState): void;
};

/** A search field that asks the worker. */
export function createSearchBar({ store, ask }: ViewContext): SearchBar {
  const field = createSearchField(store);
  let found: Found | null = null;
  let running: AbortController | null = null;
  let asked = '';
  return {
    root: field.root,
    focus: field.focus,
    step: field.step,
    show(state) {
      const params = {
        ...selectionOf(state),
        roots: state.roots,
        inverted: state.tree === 'callers',
        order: state.sort,
        search: state.search,
      };
      const question = state.search.trim() === '' ? '' : JSON.stringify(params);
      if (question !== asked) found = null;
      field.show(state, found);
      if (question === asked) return;
      asked = question;
      running?.abort();
      if (question === '') return;
      running = new AbortController();
      const { signal } = running;
      ask('search', params, signal).then(
        ({ hits, hitCount, problem, functions, weight, all, unit }) => {
          if (signal.aborted) return;
          const said = `${formatShare(all === 0 ? 0 : weight / all)} matched`;
          const title =
            `${formatWeight(weight, unit)} in samples with one of ` +
            `${formatCount(functions)} matching functions on their stacks`;
          found = { said, title, hits, hitCount, problem };
          field.show(store.get(), found);
        },
        (problem: Error) => {
          if (!signal.aborted) field.fail(problem.message);
        },
      );
    },
  };
}
