import type { ViewState } from '../state.ts';
import type { OpenResult } from '../worker/messages.ts';
import type { TimeFilter, TimeGrid } from '../worker/time-messages.ts';

/** Which samples `state` counts, at whatever time. */
export function timeFilterOf({ event, weight, thread, pid, cpu }: ViewState): TimeFilter {
  return { event, weight, thread, pid, cpu };
}

/** The whole recording in `length` equal cells. */
export function wholeGrid({ endNs }: OpenResult, length: number): TimeGrid {
  return { firstNs: 0, cellNs: (endNs + 1) / length, length };
}
