import { formatCount, formatNanos } from '../ask/format.ts';
import type { ChartLane } from '../worker/messages/chart-messages.ts';

/** Digits behind the point of a time in seconds: microseconds, no finer than a sample. */
const TIME_DIGITS = 6;

/** `1.234567 s`. */
export function formatMoment(ns: number): string {
  return `${(ns / 1e9).toFixed(TIME_DIGITS)} s`;
}

/** Remarks on what the lanes are, as far as they are known. */
const REMARKS: Readonly<Record<ChartLane['kind'], string>> = {
  gc: 'garbage collection on this thread, as far as samples tell',
  turns: 'turns of the event loop of a millisecond and more, as they were timed; a click shows one',
  marks: 'what the program named on this thread; what overlaps is drawn as one',
  event: 'moments at which the event was sampled',
  lost: 'samples that the kernel had no room to write',
};

export function laneRemark({ kind }: ChartLane): string {
  return REMARKS[kind];
}

/** The thing of a lane at a moment, an index of its columns; −1: there is none. */
export function laneItemAt({ fromNs, toNs }: ChartLane, atNs: number, withinNs: number): number {
  return fromNs.findIndex((from, i) => from - withinNs <= atNs && toNs[i] + withinNs >= atNs);
}

/** `GC: 12.3 ms, from 1.234567 s`; null where nothing is at that moment. */
function describeLaneAt(lane: ChartLane, atNs: number, withinNs: number): string | null {
  const at = laneItemAt(lane, atNs, withinNs);
  if (at < 0) return null;
  const count = lane.count[at];
  const lasts = lane.toNs[at] - lane.fromNs[at];
  const many = count > 1 ? `${formatCount(count)} × within ` : '';
  const time = lasts > 0 || count > 1 ? `${many}${formatNanos(lasts)}, from ` : 'at ';
  return `${lane.title}: ${time}${formatMoment(lane.fromNs[at])}`;
}

/** Sentences on what the lanes hold at a moment, one for each. */
export function describeLanesAt(
  lanes: readonly ChartLane[],
  atNs: number,
  withinNs: number,
): string[] {
  return lanes.flatMap((lane) => describeLaneAt(lane, atNs, withinNs) ?? []);
}

/** `GC: 314, together 120.5 ms`: the lane as a whole. */
export function describeLane({ title, fromNs, toNs, count }: ChartLane): string {
  const times = count.reduce((sum, value) => sum + value, 0);
  const lasts = toNs.reduce((sum, to, i) => sum + to - fromNs[i], 0);
  return `${title}: ${formatCount(times)}${lasts > 0 ? `, together ${formatNanos(lasts)}` : ''}`;
}
