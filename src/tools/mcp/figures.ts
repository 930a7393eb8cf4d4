import type { FlatReport } from '../../profile/analysis/flat-report.ts';
import type { EventIndex } from '../../profile/types.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import { reportFunctions } from '../../questions/top.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';
import { askAboutEvent } from '../../read/outputs/asked-event.ts';

/** One event of a recording, with its functions. */
export type EventFigures = Asked & {
  readonly opened: AnalysedProfile;
  readonly event: EventIndex;
  readonly report: FlatReport;
};

export function figuresOfEvent(opened: AnalysedProfile, name?: string): EventFigures {
  const asked = askAboutEvent(opened, name);
  return { opened, ...asked, report: reportFunctions(asked, true) };
}
