import { element } from '../dom.ts';
import { formatCount, formatShare, formatWeight } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { ViewContext } from '../view-context.ts';
import type { SearchResult } from '../worker/messages.ts';

export type SearchBar = {
  readonly root: HTMLElement;
  show(state: ViewState): void;
  focus(): void;
  /** Zooms to the next or the previous hit. */
  step(by: 1 | -1): void;
};

/** Text or a regular expression; how much of the weight it matches; and the way through its hits. */
export function createSearchBar({ store, ask }: ViewContext): SearchBar {
  const input = element('input');
  input.type = 'search';
  input.placeholder = 'Search: text or /regular expression/';
  input.setAttribute('aria-label', 'Search functions');
  const output = element('output', 'search-result');
  const previous = stepButton('‹', 'Previous match (p)', -1);
  const next = stepButton('›', 'Next match (n)', 1);
  const root = element('div', 'search', output, previous, next, input);

  let result: SearchResult | null = null;
  let hit = -1;
  let running: AbortController | null = null;
  let asked = '';

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
    const hits = result?.hits ?? [];
    if (hits.length === 0) return;
    hit = (hit + by + hits.length) % hits.length;
    if (hit < 0) hit = hits.length - 1;
    store.change({ zoom: hits[hit]!.path });
    describe();
  }

  function describe(): void {
    const isFound = result !== null && result.hits.length > 0;
    previous.hidden = !isFound;
    next.hidden = !isFound;
    if (result === null) {
      output.textContent = '';
      return;
    }
    const problem = result.problem === null ? '' : ` (${result.problem})`;
    const share = result.all === 0 ? 0 : result.weight / result.all;
    const place =
      hit < 0 ? `${formatCount(result.hitCount)} ×` : `${hit + 1} of ${result.hits.length}`;
    output.textContent = isFound
      ? `${formatShare(share)} matched · ${place}${problem}`
      : `no match${problem}`;
    output.title = isFound
      ? `${formatWeight(result.weight, result.unit)} in samples with one of ` +
        `${formatCount(result.functions)} matching functions on their stacks`
      : '';
  }

  describe();
  return {
    root,
    step,
    focus() {
      input.focus();
      input.select();
    },
    show(state) {
      if (document.activeElement !== input || input.value.trim() !== state.search.trim()) {
        if (input.value !== state.search) input.value = state.search;
      }
      const params = {
        ...selectionOf(state),
        roots: state.roots,
        inverted: state.tree === 'callers',
        order: state.sort,
        search: state.search,
      };
      const question = state.search.trim() === '' ? '' : JSON.stringify(params);
      if (question === asked) return;
      asked = question;
      running?.abort();
      hit = -1;
      if (question === '') {
        result = null;
        describe();
        return;
      }
      running = new AbortController();
      const { signal } = running;
      ask('search', params, signal).then(
        (answer) => {
          if (signal.aborted) return;
          result = answer;
          describe();
        },
        (problem: Error) => {
          if (!signal.aborted) output.textContent = problem.message;
        },
      );
    },
  };
}
