import type { PageFile } from '../../src/formats/export/page-profile.ts';
import type { LateReport } from './late-report.ts';
import type { Store } from './store.ts';
import type { OpenResult } from './worker/messages.ts';
import type { AskWorker } from './worker-client.ts';

/** What every view is made with. */
export type ViewContext = {
  readonly store: Store;
  readonly ask: AskWorker;
  /** The recording that is shown. */
  readonly recording: OpenResult;
  readonly report: LateReport;
  readonly file: PageFile;
  /** The recording that it is compared with; null if there is none. */
  readonly other: PageFile | null;
};
