import type { Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import {
  type HeatMapParams,
  type HeatMapResult,
  MAX_COLUMNS,
  type TimeRequests,
} from '../messages/time-messages.ts';
import { computeCells, selectTime } from './time-cells.ts';
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

/** Samples over time in cells that are fractions of a column; see `HeatMapResult`. */
export function* computeHeatMap(page: PageProfile, params: HeatMapParams): Slices<HeatMapResult> {
  const { samples } = page.profile;
  const endNs = samples.length === 0 ? 0 : samples.timeNs[samples.length - 1];
  let { columnNs } = params;
  while (Math.floor(endNs / columnNs) + 1 > MAX_COLUMNS) columnNs *= 2;
  const columns = Math.floor(endNs / columnNs) + 1;
  const { rows } = params;
  const grid = { firstNs: 0, cellNs: columnNs / rows, length: columns * rows };
  const selected = yield* selectTime(page, params);
  const cells = yield* computeCells(page, params, grid, selected);
  return { grid, columns, rows, columnNs, cells };
}
