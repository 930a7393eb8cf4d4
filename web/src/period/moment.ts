import { lastAtMost } from '../../../src/base/bisect.ts';
import { formatCount, formatShort } from '../../../src/base/numbers.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import type { Range } from '../state/state.ts';
import { formatTick } from '../time/format-tick.ts';
import type { ShownStream, Stretch } from '../worker/messages/time-messages.ts';

/** The data that the plots show at a moment: rows of the stream's columns, −1 where nothing was measured. */
export type Moment = { readonly atNs: number; readonly row: number; readonly slice: number };

/**
 * The moment `atNs`. Its period is that of the nearest row, which `reachNs` away is still meant; farther
 * away only if no idle time lies in between: `idleAfter` are the rows before such.
 */
export function momentAt(
  { period, rate }: ShownStream,
  idleAfter: ReadonlySet<number>,
  atNs: number,
  reachNs: number,
): Moment {
  const { timeNs } = period;
  const before = lastAtMost(timeNs, atNs);
  const distance = (row: number) => Math.abs((timeNs[row] ?? Number.POSITIVE_INFINITY) - atNs);
  const row = distance(before) <= distance(before + 1) ? before : before + 1;
  const isBetween = before >= 0 && before + 1 < timeNs.length && !idleAfter.has(before);
  const slice = Math.floor((atNs - rate.timeNs[0]) / rate.sliceNs + 0.5);
  return {
    atNs,
    row: isBetween || distance(row) <= reachNs ? row : -1,
    slice: rate.hz[slice] > 0 ? slice : -1,
  };
}

/**
 * The row to which a step from `atNs` leads, the first or the last one drawn from nowhere; −1 if there is
 * none. It is at least `byNs` away, so that a step can be seen; the last one of the window is reached
 * by a shorter step.
 */
export function stepFrom(
  timeNs: Float64Array,
  atNs: number | null,
  byNs: number,
  { fromNs, toNs }: Range,
): number {
  const first = lastAtMost(timeNs, fromNs - 1) + 1;
  const last = lastAtMost(timeNs, toNs);
  if (first > last) return -1;
  if (atNs === null) return byNs > 0 ? first : last;
  const wanted = atNs + byNs;
  const row = byNs > 0 ? lastAtMost(timeNs, wanted - 1) + 1 : lastAtMost(timeNs, wanted);
  return Math.min(last, Math.max(first, row));
}

/** A description of what is seen at a moment, in words; `tickNs` is how far apart two moments still have two names. */
export function describeMoment(
  { period, rate, ramps, throttles }: ShownStream,
  { unit }: EventReport,
  { atNs, row, slice }: Moment,
  tickNs: number,
): string {
  const parts: string[] = [];
  if (row >= 0) {
    const { low, middle, high } = period;
    const extremes =
      low[row] === high[row] ? '' : ` (${formatCount(low[row])} to ${formatCount(high[row])})`;
    parts.push(`period ${formatCount(middle[row])} ${unit}${extremes}`);
  }
  if (slice >= 0) {
    parts.push(`${formatShort(rate.hz[slice], 3)} samples per second`);
    if (rate.eventHz[slice] > 0) {
      parts.push(`${formatShort(rate.eventHz[slice], 3)} ${unit} per second`);
    }
  }
  if (parts.length === 0) parts.push('no samples');
  if (isInside(ramps, atNs)) parts.push('the kernel searched for the period');
  if (isInside(throttles, atNs)) parts.push('the kernel had paused the event');
  return `${formatTick(atNs, tickNs)}: ${parts.join(', ')}`;
}

function isInside(stretches: readonly Stretch[], atNs: number): boolean {
  return stretches.some(({ startNs, endNs }) => startNs <= atNs && atNs <= endNs);
}
