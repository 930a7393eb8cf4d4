import type { ViewState } from '../state/state.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { slide } from './sliding-window.ts';

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
