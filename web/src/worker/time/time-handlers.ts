import type { Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import type { TimeRequests } from '../messages/time-messages.ts';
import { computeHeatMap } from './compute-heat-map.ts';
import { timeFactsOf } from './time-facts.ts';
import { computePeriods } from './time-period.ts';

type Handlers = {
  readonly [Kind in keyof TimeRequests]: (
    page: PageProfile,
    params: TimeRequests[Kind]['params'],
  ) => Slices<TimeRequests[Kind]['result']>;
};

/** Handlers that answer each of the requests of time. The first of a recording has the most to do. */
export const TIME_HANDLERS: Handlers = {
  *heatmap(page, params) {
    yield* timeFactsOf(page);
    return yield* computeHeatMap(page, params);
  },
  *period(page, params) {
    yield* timeFactsOf(page);
    return yield* computePeriods(page, params);
  },
};
