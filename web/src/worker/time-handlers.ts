import type { PageProfile } from '../../../src/export/page-profile.ts';
import type { WeightKind } from '../../../src/profile/types.ts';
import { computeHeatMap, computeTimeline } from './time-line.ts';
import type { RecordingHead, TimeRequests } from './time-messages.ts';
import { computePeriod } from './time-period.ts';

/** What answers each of the requests of time; of the recording in slot 0, but `recording`. */
export const TIME_HANDLERS: {
  readonly [Kind in keyof TimeRequests]: (
    page: PageProfile,
    params: TimeRequests[Kind]['params'],
  ) => TimeRequests[Kind]['result'];
} = {
  recording: (page) => headOf(page),
  timeline: computeTimeline,
  heatmap: computeHeatMap,
  period: computePeriod,
};

const KINDS: readonly WeightKind[] = ['events', 'period', 'samples', 'time'];

function headOf(page: PageProfile): RecordingHead {
  const { profile, weights, periodInput: _input, marks: _marks, schema: _schema, ...head } = page;
  const { meta, events, samples } = profile;
  const last = samples.length - 1;
  return {
    ...head,
    meta,
    events,
    kinds: KINDS.filter((kind) => weights[kind] !== undefined),
    samples: samples.length,
    firstNs: last < 0 ? 0 : (samples.timeNs[0] as number),
    lastNs: last < 0 ? 0 : (samples.timeNs[last] as number),
  };
}
