import { printable } from '../../base/printable.ts';
import { printableProvenance } from '../../formats/export/export-provenance.ts';
import type { PageReport } from '../../formats/export/page-report.ts';
import { keepStreams } from '../../questions/periods.ts';
import { adviceTextForCut } from '../unwind/cut-advice.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { comparedProfile } from './compared-profile.ts';
import type { PageProfileOptions } from './describe-page-profile.ts';
import { describeProvenance } from './describe-provenance.ts';
import { findingsOf } from './findings-of.ts';

/** Streams that the report describes, per event: 5 000 forks make 10 000. */
const MOST_STREAMS = 100;

/** The page's report on all streams and of its weights, every name printable. */
export function describePageReport(
  opened: AnalysedProfile,
  { weight, select }: Pick<PageProfileOptions, 'weight' | 'select'> = {},
): PageReport {
  const compared = comparedProfile(opened);
  const nameOf = (func: number) => printable(compared.nameOf(func));
  const periods = opened.periods({ streams: 'all', compared: { ...compared, nameOf } });
  const events = periods.events.map((event) => ({
    ...keepStreams(event, MOST_STREAMS),
    event: printable(event.event),
  }));
  const findings = findingsOf(opened, periods);
  const provenance = describeProvenance(opened, {
    ...(weight !== undefined && { weight }),
    ...(select !== undefined && { select }),
  });
  return {
    findings,
    periods: { ...periods, events },
    eventRows: opened.reportedEvents(),
    provenance: printableProvenance(provenance),
    cutAdvice: (opened.completeness?.cut ?? []).map((cut) => adviceTextForCut(cut, opened.profile)),
  };
}
