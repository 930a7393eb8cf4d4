import { DEFAULT_STATE, decodeState, encodeState, isForeignLink, type ViewState } from './state.ts';

/** Changes of these make another picture of the graph, of which no part was looked at. */
const OTHER_PICTURE = ['zoom', 'roots', 'tree', 'sort', 'frames'] as const;

/** Whether a change is a step that the back button undoes, or part of one (typing, dragging). */
export type ChangeKind = 'step' | 'adjust';

/** The page's state and its address, kept the same. */
export type Store = {
  get(): ViewState;
  /** The address had rows of another recording or version, which were left out; until something changes. */
  hasForeignLink(): boolean;
  /** Does nothing where nothing differs. Who takes a range wants that one: no window slides on; who zooms sees all of it. */
  change(changes: Partial<ViewState>, kind?: ChangeKind): void;
  /** Draws what shows the state again: it is of another recording, or a part of it changed. */
  refresh(changes: Partial<ViewState>): void;
  /** Calls `listener` after each change, the back and forward buttons' included, and each refresh. */
  subscribe(listener: (state: ViewState, previous: ViewState) => void): () => void;
  /** The address of the same page with `changes`, for links. */
  link(changes: Partial<ViewState>): string;
};

/**
 * A store that starts with what the address says; `defaults` are left out of the address. `origin`: what the rows
 * of this page's links belong to.
 */
export function createStore(page: Window, defaults: ViewState = DEFAULT_STATE, origin = ''): Store {
  const listeners = new Set<(state: ViewState, previous: ViewState) => void>();
  const read = () => decodeState(page.location.hash, defaults, origin);
  const isForeign = () => isForeignLink(page.location.hash, origin);
  let state = read();

  function become(next: ViewState): void {
    const previous = state;
    state = next;
    for (const listener of [...listeners]) listener(state, previous);
  }

  const hashOf = (of: ViewState) => `#${encodeState(of, defaults, origin)}`;
  page.addEventListener('popstate', () => become(read()));
  return {
    get: () => state,
    hasForeignLink: isForeign,
    change(changes, kind = 'step') {
      const next = {
        ...state,
        ...('range' in changes && { window: 'all' as const }),
        ...(OTHER_PICTURE.some((key) => key in changes) && { lens: null }),
        ...changes,
      };
      const hash = hashOf(next);
      if (hash === hashOf(state)) return;
      if (kind === 'step') page.history.pushState(null, '', hash);
      else page.history.replaceState(null, '', hash);
      become(next);
    },
    refresh(changes) {
      const next = { ...state, ...changes };
      const hash = hashOf(next);
      if (hash !== hashOf(state)) page.history.replaceState(null, '', hash);
      become(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    link: (changes) => hashOf({ ...state, ...changes }),
  };
}
