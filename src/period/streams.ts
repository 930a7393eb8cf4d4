// Hot: once per sample.

import { GrowableInt32 } from '../base/growable-columns.ts';
import type { PeriodInput } from './types.ts';

/**
 * Samples by the event instance that took them, because every instance has its own period
 * controller: mixing two mixes two control loops into noise. A group is a row here; the samples of
 * group g, in time order, are `rows[offsets[g]] … rows[offsets[g + 1] − 1]`:
 *
 *     rows     0 1 4 7 │ 2 3 5 │ 6 8      rows of the sample table
 *     offsets  0         4       7    9
 *
 * An instance is one event on one task (or all tasks) and one CPU; the kernel numbers it with
 * `PERF_SAMPLE_STREAM_ID`, also where children inherit the event and share its id. Where that was
 * not recorded, one (event, thread, CPU) is taken for an instance, which is what `perf record
 * COMMAND` opens, as far as a thread's instance stays with it; and one (event, CPU) where idle CPUs
 * were sampled, which only recordings of whole CPUs do. `stream` is −1 to say so.
 */
export type StreamGroups = {
  readonly length: number;
  /** Row of `PeriodInput.events`. */
  readonly event: Int32Array;
  /** Row of `PeriodInput.streams`, −1 where the recording does not tell streams apart. */
  readonly stream: Int32Array;
  /** Exactly `length + 1` entries. */
  readonly offsets: Int32Array;
  /** A permutation of the sample table's rows. */
  readonly rows: Int32Array;
};

/** Groups all samples in two passes (a counting sort, hence time order stays). */
export function groupByStream(input: PeriodInput): StreamGroups {
  const { samples } = input;
  const { length, event, stream, thread, cpu } = samples;
  const streamCount = input.streams.length;

  const groupOfSample = new Int32Array(length);
  const groupEvent = new GrowableInt32(64);
  const groupStream = new GrowableInt32(64);
  // (event, stream) -> group + 1; 0 is "not met yet".
  const groupPlusOne = new Int32Array(input.events.length * streamCount);
  const withoutStream = new Map<number, number>();
  const isOfWholeCpus = findWholeCpuEvents(input);
  // thread and cpu start at −1, so both are shifted by one; a CPU number is below 2^13.
  const cpuSpan = 2 ** 13;
  const threadSpan = input.threads.length + 1;
  for (let i = 0; i < length; i++) {
    const e = event[i] as number;
    const s = stream[i] as number;
    let group: number;
    if (s >= 0) {
      const slot = e * streamCount + s;
      group = (groupPlusOne[slot] as number) - 1;
      if (group < 0) {
        group = groupEvent.length;
        groupPlusOne[slot] = group + 1;
        groupEvent.push(e);
        groupStream.push(s);
      }
    } else {
      const task = isOfWholeCpus[e] === 1 ? -1 : (thread[i] as number);
      const key = (e * threadSpan + task + 1) * cpuSpan + (cpu[i] as number) + 1;
      const known = withoutStream.get(key);
      if (known === undefined) {
        group = groupEvent.length;
        withoutStream.set(key, group);
        groupEvent.push(e);
        groupStream.push(-1);
      } else {
        group = known;
      }
    }
    groupOfSample[i] = group;
  }

  const groups = groupEvent.length;
  const offsets = new Int32Array(groups + 1);
  for (let i = 0; i < length; i++) offsets[(groupOfSample[i] as number) + 1]!++;
  for (let g = 0; g < groups; g++) offsets[g + 1]! += offsets[g] as number;
  const next = offsets.slice(0, groups);
  const rows = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const group = groupOfSample[i] as number;
    rows[next[group] as number] = i;
    next[group]!++;
  }
  return {
    length: groups,
    event: groupEvent.finish(),
    stream: groupStream.finish(),
    offsets,
    rows,
  };
}

/** 1 for events whose samples without a stream tell of idle CPUs: tid 0 is in nobody's command. */
function findWholeCpuEvents({ samples, events, threads }: PeriodInput): Uint8Array {
  const found = new Uint8Array(events.length);
  for (let i = 0; i < samples.length; i++) {
    if ((samples.stream[i] as number) >= 0 || (samples.cpu[i] as number) < 0) continue;
    if (threads[samples.thread[i] as number]?.tid === 0) found[samples.event[i] as number] = 1;
  }
  return found;
}
