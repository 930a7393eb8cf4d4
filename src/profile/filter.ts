import { NONE } from '../base/brand.ts';
import type { EventIndex, Profile } from './types.ts';

/** Which samples; what is left out does not restrict. */
export type SampleSelection = {
  readonly event?: number;
  readonly thread?: number;
  /** Nanoseconds since the recording's start; the first moment inside. */
  readonly fromNs?: number;
  /** Nanoseconds since the recording's start; the first moment no longer inside. */
  readonly toNs?: number;
};

/** Indexes of the samples that `selection` admits, in time order. */
export function selectSamples(profile: Profile, selection: SampleSelection = {}): Int32Array {
  const { samples } = profile;
  const event = selection.event ?? NONE;
  const thread = selection.thread ?? NONE;
  const fromNs = selection.fromNs ?? Number.NEGATIVE_INFINITY;
  const toNs = selection.toNs ?? Number.POSITIVE_INFINITY;
  const { event: events, thread: threads, timeNs: times } = samples;
  const selected = new Int32Array(samples.length);
  let count = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    if (event !== NONE && events[sample] !== event) continue;
    if (thread !== NONE && threads[sample] !== thread) continue;
    const timeNs = times[sample] as number;
    if (timeNs < fromNs || timeNs >= toNs) continue;
    selected[count++] = sample;
  }
  return selected.slice(0, count);
}

/** The event of the first sample, event 0 if there is none: what one-event outputs show. */
export function firstEvent(profile: Profile): EventIndex {
  return (profile.samples.length === 0 ? 0 : profile.samples.event[0]) as EventIndex;
}

/** Samples sorted by a key: those of key k are `samples[starts[k] … starts[k + 1])`. */
export type SampleGroups = {
  /** One more than there are keys. */
  readonly starts: Int32Array;
  /** In time order within each group. */
  readonly samples: Int32Array;
};

/**
 * Splits `samples` by a column of the sample table (`profile.samples.thread` and the like), whose
 * values are 0 … `keyCount` − 1. A counting sort: two passes whatever the number of keys.
 */
export function groupSamples(
  samples: Int32Array,
  keyOfSample: Int32Array,
  keyCount: number,
): SampleGroups {
  const starts = new Int32Array(keyCount + 1);
  for (let i = 0; i < samples.length; i++) {
    const key = keyOfSample[samples[i] as number] as number;
    starts[key + 1] = (starts[key + 1] as number) + 1;
  }
  for (let key = 0; key < keyCount; key++) {
    starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number);
  }
  const next = starts.slice();
  const sorted = new Int32Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] as number;
    const key = keyOfSample[sample] as number;
    const position = next[key] as number;
    sorted[position] = sample;
    next[key] = position + 1;
  }
  return { starts, samples: sorted };
}
