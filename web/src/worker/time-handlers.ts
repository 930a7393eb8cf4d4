import type { PageProfile } from '../../../src/export/page-profile.ts';
import { computeHeatMap, computeTimeline } from './time-line.ts';
import type { TimeRequests } from './time-messages.ts';
import { computePeriod } from './time-period.ts';

/** What answers each of the requests of time. */
export const TIME_HANDLERS: {
  readonly [Kind in keyof TimeRequests]: (
    page: PageProfile,
    params: TimeRequests[Kind]['params'],
  ) => TimeRequests[Kind]['result'];
} = {
  timeline: computeTimeline,
  heatmap: computeHeatMap,
  period: computePeriod,
};
