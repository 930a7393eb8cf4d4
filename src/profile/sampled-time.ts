import type { TimeRange } from './time-range.ts';

/** Nanoseconds of `range` in which the events were enabled (`ProfileMeta.sampled`); all of it where that is not known. */
export function sampledWithin(sampled: readonly TimeRange[] | undefined, range: TimeRange): number {
  return Math.max(0, range.toNs - range.fromNs) - lengthOf(unsampledWithin(sampled, range));
}

/** The parts of `range` in which no event was enabled, in order; none where that is not known. */
export function unsampledWithin(
  sampled: readonly TimeRange[] | undefined,
  { fromNs, toNs }: TimeRange,
): TimeRange[] {
  if (sampled === undefined) return [];
  const gaps: TimeRange[] = [];
  let at = fromNs;
  for (const span of sampled) {
    if (span.fromNs > at) gaps.push({ fromNs: at, toNs: Math.min(span.fromNs, toNs) });
    at = Math.max(at, span.toNs);
    if (at >= toNs) break;
  }
  if (at < toNs) gaps.push({ fromNs: at, toNs });
  return gaps.filter((gap) => gap.toNs > gap.fromNs);
}

function lengthOf(ranges: readonly TimeRange[]): number {
  return ranges.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
}
