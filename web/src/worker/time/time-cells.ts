// Hot: once per sample.

import { countBefore } from '../../../../src/base/bisect.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import type { LossGap } from '../../../../src/period/types.ts';
import { selectSamples } from '../../../../src/profile/analysis/select/filter.ts';
import type { Stretch, TimeCells, TimeFilter, TimeGrid } from '../messages/time-messages.ts';
import { type Pause, type TimeFacts, timeFactsOf } from './time-facts.ts';

/** Rows of the sample table that `filter` admits, whenever they were taken. */
export function selectTime(page: PageProfile, filter: TimeFilter): Slices<Int32Array> {
  const { event, threads, pid, cpu, inTurnsOver } = filter;
  return selectSamples(page.profile, {
    event,
    ...(threads.length === 0 ? {} : { threads: new Set(threads) }),
    ...(pid === null ? {} : { pids: new Set([pid]) }),
    ...(cpu === null ? {} : { cpus: new Set([cpu]) }),
    ...(inTurnsOver === null ? {} : { inTurnsOver }),
  });
}

/** Sums `selected` and what is missing between them into the cells of `grid`. */
export function* computeCells(
  page: PageProfile,
  filter: TimeFilter,
  grid: TimeGrid,
  selected: Int32Array,
): Slices<TimeCells> {
  const facts = yield* timeFactsOf(page);
  const { timeNs } = page.profile.samples;
  const values = page.weights[filter.weight]?.values;
  const cells = emptyCells(grid.length);
  const { samples, weight, ramp } = cells;
  const { firstNs, cellNs, length } = grid;
  const { isInRamp } = facts;
  yield* eachSlice(selected.length, (first, end) => {
    for (let k = first; k < end; k++) {
      const row = selected[k];
      const cell = Math.floor((timeNs[row] - firstNs) / cellNs);
      if (cell < 0 || cell >= length) continue;
      samples[cell]++;
      weight[cell] += values === undefined ? 1 : values[row];
      ramp[cell] += isInRamp[row];
    }
  });
  addLosses(page, facts, filter, grid, cells.lost);
  for (const pause of facts.pauses) {
    if (isPauseOf(pause, page, filter))
      addShares(cells.throttled, grid, pause.startNs, pause.endNs);
  }
  return cells;
}

function emptyCells(length: number): TimeCells {
  return {
    samples: new Float64Array(length),
    weight: new Float64Array(length),
    ramp: new Float64Array(length),
    lost: new Float64Array(length),
    throttled: new Float64Array(length),
  };
}

/** Whether a loss may concern what `filter` shows: of threads a ring knows nothing. */
function concerns({ event, cpu }: LossGap, filter: TimeFilter): boolean {
  if (event >= 0 && event !== filter.event) return false;
  return filter.cpu === null || cpu < 0 || cpu === filter.cpu;
}

/** Adds to `lost` what `filter` may concern. */
export function addLosses(
  page: PageProfile,
  facts: TimeFacts,
  filter: TimeFilter,
  grid: TimeGrid,
  lost: Float64Array,
): void {
  const { timeNs } = page.profile.samples;
  for (const gap of page.periodInput.lossGaps ?? []) {
    if (!concerns(gap, filter)) continue;
    const { startNs, endNs } = stretchOf(facts, timeNs, gap);
    spread(lost, grid, startNs, endNs, gap.samples);
  }
}

/** Samples before a loss that tell the rate at which it went on. */
const RATE_SAMPLES = 64;

/**
 * When the samples of `gap` were lost. The kernel says so with the next record that fits, which may
 * be long after: a CPU that is idle writes none. The ring was full after the last sample that fitted,
 * so from there on, for as long as so many samples took before, and until that record at most.
 */
function stretchOf(
  { byCpu }: TimeFacts,
  timeNs: Float64Array,
  { cpu, timeNs: end, samples: lost }: LossGap,
): Stretch {
  if (byCpu === null) return { startNs: 0, endNs: end };
  const { starts, samples } = byCpu;
  const key = cpu + 1;
  if (key + 1 >= starts.length) return { startNs: 0, endNs: end };
  const first = starts[key];
  const count = countBefore(starts[key + 1] - first, (row) => timeNs[samples[first + row]] < end);
  if (count === 0) return { startNs: 0, endNs: end };
  const last = first + count - 1;
  const startNs = timeNs[samples[last]];
  const earlier = Math.max(first, last - RATE_SAMPLES);
  const before = last - earlier;
  if (before === 0) return { startNs, endNs: end };
  const interval = (startNs - timeNs[samples[earlier]]) / before;
  return { startNs, endNs: Math.min(end, startNs + lost * interval) };
}

/** Adds `amount` to the cells from `startNs` to `endNs`, evenly; what lies outside is left out. */
function spread(
  cells: Float64Array,
  grid: TimeGrid,
  startNs: number,
  endNs: number,
  amount: number,
): void {
  const { firstNs, cellNs, length } = grid;
  const span = endNs - startNs;
  if (!(span > 0)) {
    const cell = Math.floor((endNs - firstNs) / cellNs);
    if (cell >= 0 && cell < length) cells[cell] += amount;
    return;
  }
  eachCell(grid, startNs, endNs, (cell, overlapNs) => {
    cells[cell] += (amount * overlapNs) / span;
  });
}

/** Adds the share of each cell that lies between two times; a cell is never more than whole. */
export function addShares(
  cells: Float64Array,
  grid: TimeGrid,
  startNs: number,
  endNs: number,
): void {
  eachCell(grid, startNs, endNs, (cell, overlapNs) => {
    cells[cell] = Math.min(1, cells[cell] + overlapNs / grid.cellNs);
  });
}

/** Calls back with each cell that lies between two times, as a whole or in part. */
function eachCell(
  { firstNs, cellNs, length }: TimeGrid,
  startNs: number,
  endNs: number,
  take: (cell: number, overlapNs: number) => void,
): void {
  const from = Math.max(0, Math.floor((startNs - firstNs) / cellNs));
  const to = Math.min(length - 1, Math.floor((endNs - firstNs) / cellNs));
  for (let cell = from; cell <= to; cell++) {
    const cellStart = firstNs + cell * cellNs;
    const overlapNs = Math.min(endNs, cellStart + cellNs) - Math.max(startNs, cellStart);
    if (overlapNs > 0) take(cell, overlapNs);
  }
}

/** Whether a pause was one of what `filter` shows; one of which that can't be told is. */
function isPauseOf(
  { event, threads: paused, cpus }: Pause,
  page: PageProfile,
  filter: TimeFilter,
): boolean {
  if (event !== filter.event) return false;
  const { threads, pid, cpu } = filter;
  if (cpu !== null && cpus !== null && !cpus.has(cpu)) return false;
  if (paused === null) return true;
  if (threads.length > 0 && !threads.some((row) => paused.has(row))) return false;
  return pid === null || [...paused].some((row) => page.profile.threads[row]?.pid === pid);
}
