import { formatNanos } from '../base/numbers.ts';
import { lengthOfRanges, type TimeRange } from './time-range.ts';
import type { Profile } from './types.ts';

/** Nanoseconds of `range` in which the events were enabled (`ProfileMeta.sampled`); all of it where that is not known. */
export function sampledWithin(sampled: readonly TimeRange[] | undefined, range: TimeRange): number {
  return Math.max(0, range.toNs - range.fromNs) - lengthOfRanges(unsampledWithin(sampled, range));
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

/** The time from the start of a recording to its last sample, and how much of it the events were enabled. */
export type RecordedLength = { readonly recordedNs: number; readonly sampledNs: number };

/** Null where samples have no times. */
export function recordedLength({
  samples,
  meta,
}: Pick<Profile, 'samples' | 'meta'>): RecordedLength | null {
  const recordedNs = samples.length === 0 ? 0 : samples.timeNs[samples.length - 1];
  if (!(recordedNs > 0)) return null;
  return { recordedNs, sampledNs: sampledWithin(meta.sampled, { fromNs: 0, toNs: recordedNs }) };
}

/** `sampled 1.20 s of 2.00 s`; null where the events were enabled all the time. */
export function sampledPartText(length: RecordedLength | null): string | null {
  if (length === null || length.sampledNs >= length.recordedNs) return null;
  return `sampled ${formatNanos(length.sampledNs)} of ${formatNanos(length.recordedNs)}`;
}
