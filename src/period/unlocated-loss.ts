import { countBefore } from '../base/bisect.ts';
import { groupBy } from '../base/group-by.ts';
import type { IntColumn } from '../base/int-column.ts';
import { lostSamplesOf } from '../base/lost-samples.ts';
import type { LostBounds } from '../profile/types.ts';
import { LOST_LATENESS_NS } from './loss-gaps.ts';
import type { PeriodInput } from './types.ts';

/** Weights looked at on either side of a gap. */
const SIDE = 4;
const ANY_CPU = -1;

/**
 * Adds, for events without counts, what lost samples stood for to `lostBefore` (parallel to the
 * sample table). `LOST` records say how many were lost and where; what each stood for is estimated
 * by the weights of the samples around it on its CPU:
 *
 *     weights on this CPU   70  80  90  60 │ 3 lost │ 50  60  70  80
 *     lost                  3 · 70 = 210 events, between 3 · 50 and 3 · 90
 *
 * It is never more than what the counter's final value leaves for it. The rest of that came after
 * the last samples of the streams, or in streams without one, and was not lost.
 *
 * Returns for each event how far what was lost may be from the estimate, null where nothing was added.
 */
export function addUnlocatedLoss(
  lostBefore: Float64Array,
  arrived: Float64Array,
  input: PeriodInput,
): (LostBounds | null)[] {
  return input.events.map(({ mode }, event) => {
    const lostSamples = lostSamplesOf(input.losses ?? [], event);
    if (mode === 'clock' || lostSamples === 0) return null;
    const rows = rowsWithoutCounts(input, event);
    const most = rows === null ? 0 : missingEvents(input, event, rows, arrived);
    if (rows === null || most <= 0) return null;
    return spread(lostBefore, input, rows, arrived, gapsOf(input, event, lostSamples), most);
  });
}

/** The event's samples; null where there are none, or where counts locate the gaps. */
function rowsWithoutCounts({ samples }: PeriodInput, event: number): Int32Array | null {
  const rows = new Int32Array(samples.length);
  let length = 0;
  for (let i = 0; i < samples.length; i++) {
    if (samples.event[i] !== event) continue;
    if (samples.count !== null && !Number.isNaN(samples.count[i])) return null;
    rows[length++] = i;
  }
  return length === 0 ? null : rows.subarray(0, length);
}

/** Final value less Σ `arrived`; 0 where it is not known. */
function missingEvents(
  { eventTotals }: PeriodInput,
  event: number,
  rows: Int32Array,
  arrived: Float64Array,
): number {
  let rest = eventTotals?.[event] ?? 0;
  for (let k = 0; k < rows.length; k++) rest -= arrived[rows[k]];
  return rest;
}

type Gap = { readonly cpu: number; readonly timeNs: number; readonly samples: number };

/** The gaps in time order; of rings that events share, this event's part by its lost samples. */
function gapsOf({ lossGaps }: PeriodInput, event: number, lostSamples: number): Gap[] {
  const gaps = (lossGaps ?? []).filter((gap) => gap.event === event || gap.event < 0);
  const announced = gaps.reduce((sum, gap) => sum + gap.samples, 0);
  const part = Math.min(1, lostSamples / announced);
  const found: Gap[] = gaps.map(({ cpu, timeNs, samples }) => ({
    cpu,
    timeNs,
    samples: samples * part,
  }));
  // Lost after the last record that fitted.
  if (lostSamples > announced) {
    const samples = lostSamples - announced;
    found.push({ cpu: ANY_CPU, timeNs: Number.POSITIVE_INFINITY, samples });
  }
  return found;
}

/** Gives every gap's estimate to the next sample of its CPU, or to the last one of all. */
function spread(
  lostBefore: Float64Array,
  { samples }: PeriodInput,
  rows: Int32Array,
  arrived: Float64Array,
  gaps: readonly Gap[],
  missing: number,
): LostBounds {
  const byCpu = groupByCpu(samples.cpu, rows);
  const estimates = gaps.map(({ cpu, timeNs, samples: count }) => {
    const own = byCpu.get(cpu) ?? rows;
    const firstNs = timeNs - LOST_LATENESS_NS;
    const next = countBefore(own.length, (at) => samples.timeNs[own[at]] < firstNs);
    const around = own.subarray(Math.max(0, next - SIDE), next + SIDE);
    const weights = Array.from(around, (row) => arrived[row]);
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    return {
      row: own[Math.min(next, own.length - 1)],
      events: count * mean,
      least: count * Math.min(...weights),
      most: count * Math.max(...weights),
    };
  });
  const sum = (of: 'events' | 'least' | 'most') =>
    estimates.reduce((total, estimate) => total + estimate[of], 0);
  const estimated = sum('events');
  const lost = Math.round(Math.min(missing, estimated));
  if (!(lost > 0)) return { least: 1, most: 1 };
  let left = lost;
  for (const { row, events } of estimates) {
    const given = Math.min(left, Math.round((events / estimated) * lost));
    lostBefore[row] += given;
    left -= given;
  }
  const last = estimates.at(-1);
  if (last !== undefined) lostBefore[last.row] += left;
  return {
    least: Math.min(1, sum('least') / lost),
    most: Math.max(1, Math.min(missing, sum('most')) / lost),
  };
}

function groupByCpu(cpu: IntColumn, rows: Int32Array): Map<number, Int32Array> {
  const lists = groupBy(rows, (row) => cpu[row]);
  return new Map(Array.from(lists, ([key, list]) => [key, Int32Array.from(list)]));
}
