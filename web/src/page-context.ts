import type { Ask } from './ask.ts';
import type { ViewState } from './state.ts';
import type { Store } from './store.ts';
import type { OpenResult } from './worker/messages.ts';
import type { TimeFilter } from './worker/time-messages.ts';

/** What every view of a profile is given. */
export type PageContext = {
  readonly store: Store;
  readonly ask: Ask;
  /** The recording that is shown. */
  readonly opened: OpenResult;
};

/** Which samples `state` counts, at whatever time. */
export function timeFilterOf({ event, weight, thread, pid, cpu }: ViewState): TimeFilter {
  return { event, weight, thread, pid, cpu };
}
