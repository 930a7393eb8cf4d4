import type { PageFile } from '../../../src/formats/export/page-profile.ts';
import type { LateReport } from '../ask/late-report.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import type { AskWorker } from '../worker/messages/requests.ts';
import type { Store } from './store.ts';

/** The things that every view is made with. */
export type ViewContext = {
  readonly store: Store;
  readonly ask: AskWorker;
  /** The same for what stands around the open view, whose answers come together. */
  readonly askAround: AskWorker;
  /**
   * The recording that is shown. A live one grows: this is its latest state, so it is read where it is
   * needed, and not kept. Rows mean the same in all states.
   */
  readonly recording: OpenResult;
  /**
   * Calls `act` when a longer state has taken the recording's place. For what stands beside the views:
   * the open view is shown again by itself, and asks again (`askLatest`).
   */
  onReplaced(act: () => void): void;
  readonly report: LateReport;
  readonly file: PageFile;
  /** Address that further recordings are sent to; null: nowhere. */
  readonly open: string | null;
  /** Further recordings of the same side as `file`; and those that they are compared with, none: nothing is. */
  readonly beside: readonly PageFile[];
  readonly before: readonly PageFile[];
};
