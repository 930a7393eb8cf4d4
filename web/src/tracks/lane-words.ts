import { formatCount, formatNanos } from '../ask/format.ts';
import type { Lane, LaneHead, LaneItem } from '../worker/messages/lane-messages.ts';

/** Digits behind the point of a time in seconds: microseconds, no finer than a sample. */
const TIME_DIGITS = 6;

/** `1.234567 s`. */
export function formatMoment(ns: number): string {
  return `${(ns / 1e9).toFixed(TIME_DIGITS)} s`;
}

/** Remarks on what the lanes are, as far as they are known. */
const REMARKS: Readonly<Record<LaneHead['kind'], string>> = {
  gc: 'garbage collections',
  turns: 'turns of event loops of a millisecond and more, as they were timed',
  marks: 'what programs named',
  event: 'moments at which the event was sampled',
  lost: 'samples that the kernel had no room to write',
};

export function laneRemark({ kind }: LaneHead): string {
  return REMARKS[kind];
}

/** The longest thing of a lane at a moment, an index of its columns; −1: there is none. */
export function laneItemAt({ fromNs, toNs }: Lane, atNs: number, withinNs: number): number {
  let longest = -1;
  for (let i = 0; i < fromNs.length; i++) {
    if (fromNs[i] - withinNs > atNs || toNs[i] + withinNs < atNs) continue;
    if (longest < 0 || toNs[i] - fromNs[i] > toNs[longest] - fromNs[longest]) longest = i;
  }
  return longest;
}

/** `253.0 ms at 1.234567 s · GET /slow`; of a moment `at 1.234567 s`. */
export function describeItem({ fromNs, toNs, name }: LaneItem): string {
  const time = toNs > fromNs ? `${formatNanos(toNs - fromNs)} ` : '';
  return `${time}at ${formatMoment(fromNs)}${name === '' ? '' : ` · ${name}`}`;
}

/** `GC: 12.3 ms at 1.234567 s`, with the longest of what is drawn as one; null where nothing is at that moment. */
function describeLaneAt(lane: Lane, atNs: number, withinNs: number): string | null {
  const at = laneItemAt(lane, atNs, withinNs);
  if (at < 0) return null;
  const many =
    lane.count[at] > 1 ? `${formatCount(lane.count[at])} drawn as one, the longest ` : '';
  return `${lane.title}: ${many}${describeItem(lane.longest[at])}`;
}

/** Sentences on what the lanes hold at a moment, one for each. */
export function describeLanesAt(lanes: readonly Lane[], atNs: number, withinNs: number): string[] {
  return lanes.flatMap((lane) => describeLaneAt(lane, atNs, withinNs) ?? []);
}

/** `GC: 314, the longest 12.3 ms`: the lane as a whole. */
export function describeLane(lane: Lane): string {
  const times = lane.count.reduce((sum, value) => sum + value, 0);
  const longest = longestOf(lane);
  return `${lane.title}: ${formatCount(times)}${longest > 0 ? `, the longest ${formatNanos(longest)}` : ''}`;
}

/** Nanoseconds. */
export function longestOf({ longest }: Lane): number {
  return longest.reduce((most, { fromNs, toNs }) => Math.max(most, toNs - fromNs), 0);
}
