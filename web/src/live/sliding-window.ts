import type { Range, ViewState } from '../state/state.ts';
import type { OpenResult } from '../worker/messages/messages.ts';

const WINDOW_NS: Readonly<Record<ViewState['window'], number>> = {
  all: Number.POSITIVE_INFINITY,
  '10s': 10e9,
  '60s': 60e9,
};

/**
 * The last seconds of a recording that ends at `endNs`; null while it is not longer than that. `all`
 * leaves the range to who takes one.
 */
export function slide({ window, range }: ViewState, endNs: number): Range | null {
  if (window === 'all') return range;
  const toNs = Math.round(endNs) + 1;
  const fromNs = toNs - WINDOW_NS[window];
  return fromNs <= 0 ? null : { fromNs, toNs };
}

/**
 * The changes of the state when a longer state of the recording is shown. The server keeps the rows
 * of functions, strings, DSOs and threads (`keep-rows.ts`); events are found again by name, since
 * their names are known when the recording is complete.
 */
export function fitState(
  state: ViewState,
  earlier: OpenResult,
  later: OpenResult,
): Partial<ViewState> {
  const range = slide(state, later.endNs);
  const name = earlier.events[state.event]?.name;
  if (later.events[state.event]?.name === name) return { range };
  const event = later.events.findIndex((candidate) => candidate.name === name);
  return { range, event: Math.max(0, event), stream: null };
}
