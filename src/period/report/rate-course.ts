// Hot: once per sample.

import type { StreamGroups } from '../streams.ts';

/** The sampling rate reached over time, in equal slices. */
export type RateCourse = {
  readonly startNs: number;
  readonly endNs: number;
  /** Samples per second in each slice; an event's are the sum over its streams. */
  readonly hz: readonly number[];
  /**
   * Streams that sampled in each slice. Each of them is asked for the rate, so this many times the
   * rate is what to compare with.
   */
  readonly streams: readonly number[];
};

const SLICES = 200;
/** Fewer samples than this in a slice would show chance, not a rate. */
const SAMPLES_PER_SLICE = 4;

/** The rate reached by the samples of some groups together; null where they take no time. */
export function rateCourseOf(
  groups: StreamGroups,
  members: readonly number[],
  timeNs: Float64Array,
): RateCourse | null {
  let samples = 0;
  let startNs = Number.POSITIVE_INFINITY;
  let endNs = Number.NEGATIVE_INFINITY;
  for (const g of members) {
    const first = groups.offsets[g];
    const end = groups.offsets[g + 1];
    if (end === first) continue;
    samples += end - first;
    startNs = Math.min(startNs, timeNs[groups.rows[first]]);
    endNs = Math.max(endNs, timeNs[groups.rows[end - 1]]);
  }
  if (!(endNs > startNs)) return null;
  const slices = Math.max(1, Math.min(SLICES, Math.floor(samples / SAMPLES_PER_SLICE)));
  const width = (endNs - startNs) / slices;
  const counts = new Float64Array(slices);
  const streams = new Float64Array(slices);
  for (const g of members) {
    const end = groups.offsets[g + 1];
    let last = -1;
    for (let k = groups.offsets[g]; k < end; k++) {
      const since = timeNs[groups.rows[k]] - startNs;
      const slice = Math.min(slices - 1, Math.floor(since / width));
      counts[slice]++;
      if (slice === last) continue;
      streams[slice]++;
      last = slice;
    }
  }
  return {
    startNs,
    endNs,
    hz: Array.from(counts, (count) => (count * 1e9) / width),
    streams: Array.from(streams),
  };
}
