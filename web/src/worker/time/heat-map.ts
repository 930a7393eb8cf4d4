import type { Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { type HeatMapParams, type HeatMapResult, MAX_COLUMNS } from '../messages/time-messages.ts';
import { computeCells, selectTime } from './time-cells.ts';

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
