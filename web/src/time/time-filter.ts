import type { ViewState } from '../state/state.ts';
import type { TimeFilter } from '../worker/messages/time-messages.ts';

/** Which samples `state` counts, at whatever time. */
export function timeFilterOf(state: ViewState): TimeFilter {
  const { event, weight, threads, pid, cpu, inTurnsOver } = state;
  return { event, weight, threads, pid, cpu, inTurnsOver };
}
