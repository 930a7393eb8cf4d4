// Hot: once per sample.

import { NONE } from '../../../src/base/brand.ts';
import { lostSamplesOf } from '../../../src/base/lost-samples.ts';
import { printable } from '../../../src/base/printable.ts';
import { eachSlice, finish, type Slices } from '../../../src/base/slices.ts';
import type { PageProfile } from '../../../src/formats/export/page-profile.ts';
import { addShares, computeCells, concerns, selectTime } from './time-cells.ts';
import { timeFactsOf } from './time-facts.ts';
import {
  type HeatMapParams,
  type HeatMapResult,
  MAX_COLUMNS,
  type TimeGrid,
  type TimeLane,
  type TimelineParams,
  type TimelineResult,
} from './time-messages.ts';

/** Samples per thread over time, with what is missing between them. */
export function* computeTimeline(
  page: PageProfile,
  params: TimelineParams,
): Slices<TimelineResult> {
  const { grid } = params;
  const selected = yield* selectTime(page, params);
  const all = yield* computeCells(page, params, grid, selected);
  const { thread } = page.profile.samples;
  const totals = new Float64Array(page.profile.threads.length);
  yield* eachSlice(selected.length, (first, end) => {
    for (let k = first; k < end; k++) totals[thread[selected[k]]]++;
  });
  const bySize = Array.from(totals.keys())
    .filter((row) => totals[row] > 0)
    .sort((a, b) => totals[b] - totals[a] || a - b);
  const shown = bySize.slice(0, params.lanes);
  const lanes = shown.map((row) => emptyLane(page, row, totals[row], grid));
  yield* fillLanes(page, selected, page.weights[params.weight]?.values, lanes, grid);
  addPauses(page, params.event, lanes, grid);

  const located = (page.periodInput.lossGaps ?? [])
    .filter((gap) => concerns(gap, { ...params, cpu: null }))
    .reduce((sum, { samples }) => sum + samples, 0);
  return {
    grid,
    all,
    lanes,
    otherThreads: bySize.length - shown.length,
    otherSamples: bySize.slice(params.lanes).reduce((sum, row) => sum + totals[row], 0),
    lostSometime: Math.max(0, lostSamplesOf(page.profile.losses, params.event) - located),
  };
}

/** The same in cells that are fractions of a column; see `HeatMapResult`. */
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

function emptyLane(page: PageProfile, thread: number, total: number, grid: TimeGrid): TimeLane {
  const { comm, tid } = page.profile.threads[thread];
  return {
    thread,
    label: printable(`${comm} (tid ${tid})`),
    total,
    samples: new Float64Array(grid.length),
    weight: new Float64Array(grid.length),
    ramp: new Float64Array(grid.length),
    throttled: new Float64Array(grid.length),
  };
}

function* fillLanes(
  page: PageProfile,
  selected: Int32Array,
  values: Float64Array | undefined,
  lanes: readonly TimeLane[],
  { firstNs, cellNs, length }: TimeGrid,
): Slices<void> {
  if (lanes.length === 0) return;
  const { isInRamp } = finish(timeFactsOf(page));
  const { thread, timeNs } = page.profile.samples;
  const laneOf = new Int32Array(page.profile.threads.length).fill(NONE);
  for (const [index, lane] of lanes.entries()) laneOf[lane.thread] = index;
  yield* eachSlice(selected.length, (first, end) => {
    for (let k = first; k < end; k++) {
      const row = selected[k];
      const lane = lanes[laneOf[thread[row]]];
      const cell = Math.floor((timeNs[row] - firstNs) / cellNs);
      if (lane === undefined || cell < 0 || cell >= length) continue;
      lane.samples[cell]++;
      lane.weight[cell] += values === undefined ? 1 : values[row];
      lane.ramp[cell] += isInRamp[row];
    }
  });
}

/** A pause is in the lanes of the threads whose streams were paused; in all if nobody knows. */
function addPauses(
  page: PageProfile,
  event: number,
  lanes: readonly TimeLane[],
  grid: TimeGrid,
): void {
  for (const pause of finish(timeFactsOf(page)).pauses) {
    if (pause.event !== event) continue;
    for (const { thread, throttled } of lanes) {
      if (pause.threads !== null && !pause.threads.has(thread)) continue;
      addShares(throttled, grid, pause.startNs, pause.endNs);
    }
  }
}
