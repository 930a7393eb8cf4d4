import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { EventIndex, WeightKind } from '../../profile/types.ts';
import { accountFor, type EventAccount } from '../../questions/ledger.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import type { AnalysedProfile } from './analysed-profile.ts';

export type AskedEvent = Asked & { readonly event: EventIndex };

/** One event of a recording, or those of its samples that `select` admits, for `questions`; the first unless one is named. */
export function askAboutEvent(
  opened: AnalysedProfile,
  named?: string | EventIndex,
  kind?: WeightKind,
  select?: SampleSelection,
): AskedEvent {
  const event = typeof named === 'number' ? named : opened.eventIndex(named);
  const weights = opened.weights(kind, event, select);
  const estimator = opened.shareEstimator(weights, event, select);
  const rows = opened.samplesOf(event, select);
  return { profile: opened.profile, event, rows, weights, estimator };
}

/** The accounts of events, of whose samples each has all. */
export function accountsOf(opened: AnalysedProfile, events: readonly AskedEvent[]): EventAccount[] {
  const ledgers = opened.ledgers();
  const { throttles } = opened.facts;
  return events.map((asked) => accountFor(asked, asked.event, ledgers[asked.event], throttles));
}
