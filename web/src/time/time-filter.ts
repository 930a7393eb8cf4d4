import type { ViewState } from '../state/state.ts';
import type { TimeFilter } from '../worker/messages/time-messages.ts';

/** Which samples `state` counts, at whatever time. */
export function timeFilterOf({ event, weight, threads, pid, cpu }: ViewState): TimeFilter {
  return { event, weight, threads, pid, cpu };
}
