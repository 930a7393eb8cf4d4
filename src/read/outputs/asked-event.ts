import type { EventIndex, WeightKind } from '../../profile/types.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import type { AnalysedProfile } from './analysed-profile.ts';

/** All samples of one event of a recording, for `questions`; the first event unless one is named. */
export function askAboutEvent(
  opened: AnalysedProfile,
  name?: string,
  kind?: WeightKind,
): Asked & { readonly event: EventIndex } {
  const event = opened.eventIndex(name);
  const weights = opened.weights(kind, event);
  const estimator = opened.shareEstimator(weights, event);
  return { profile: opened.profile, event, rows: opened.samplesOf(event), weights, estimator };
}
