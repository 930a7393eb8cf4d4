// Hot: once per sample.

import { GrowableInt32 } from '../base/growable-columns.ts';
import { NarrowColumn } from '../base/narrow-column.ts';
import { eachSlice, SLICE_ITEMS, type Slices } from '../base/slices.ts';
import { SlotNumbers } from '../base/slot-numbers.ts';
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
 * not recorded, the reader uses the event's id as far as it tells instances apart. Where it does not,
 * one (event, thread, CPU) is taken for an instance, which is what `perf record COMMAND` opens, as far
 * as a thread's instance stays with it; and one (event, CPU) where idle CPUs were sampled, which only
 * recordings of whole CPUs do. `stream` is −1 to say so.
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
export function* groupByStream(input: PeriodInput): Slices<StreamGroups> {
  const { length } = input.samples;
  const isOfWholeCpus = yield* findWholeCpuEvents(input);
  const finder = new GroupFinder(input, isOfWholeCpus);
  yield* eachSlice(length, (first, end) => finder.find(first, end));
  const groupOfSample = finder.groupOfSample.view(length);
  const groups = finder.groupEvent.length;
  const offsets = new Int32Array(groups + 1);
  yield* eachSlice(length, (first, end) => {
    for (let i = first; i < end; i++) offsets[groupOfSample[i] + 1]++;
  });
  for (let g = 0; g < groups; g++) offsets[g + 1] += offsets[g];
  const next = offsets.slice(0, groups);
  const rows = new Int32Array(length);
  yield* eachSlice(length, (first, end) => {
    for (let i = first; i < end; i++) {
      const group = groupOfSample[i];
      rows[next[group]] = i;
      next[group]++;
    }
  });
  return {
    length: groups,
    event: finder.groupEvent.finish(),
    stream: finder.groupStream.finish(),
    offsets,
    rows,
  };
}

/** Numbers the groups in the order in which they are met. */
class GroupFinder {
  readonly groupOfSample: NarrowColumn;
  readonly groupEvent = new GrowableInt32(64);
  readonly groupStream = new GrowableInt32(64);
  readonly #input: PeriodInput;
  readonly #isOfWholeCpus: Uint8Array;
  /** (event, stream) -> group + 1; 0 is "not met yet". */
  readonly #groupPlusOne: SlotNumbers;
  readonly #withoutStream = new Map<number, number>();
  readonly #found = new Int32Array(SLICE_ITEMS);

  constructor(input: PeriodInput, isOfWholeCpus: Uint8Array) {
    this.#input = input;
    this.#isOfWholeCpus = isOfWholeCpus;
    this.groupOfSample = new NarrowColumn(input.samples.length);
    this.#groupPlusOne = new SlotNumbers(input.events.length * input.streams.length);
  }

  /** Finds the groups of samples `first` … `end` − 1, at most `SLICE_ITEMS`; those before them were found. */
  find(first: number, end: number): void {
    const { event, stream, thread, cpu } = this.#input.samples;
    const { groupEvent, groupStream } = this;
    const found = this.#found;
    const groupPlusOne = this.#groupPlusOne;
    const withoutStream = this.#withoutStream;
    const isOfWholeCpus = this.#isOfWholeCpus;
    const streamCount = this.#input.streams.length;
    // thread and cpu start at −1, so both are shifted by one; a CPU number is below 2^14 − 1 (`knownCpu`).
    const cpuSpan = 2 ** 14;
    const threadSpan = this.#input.threads.length + 1;
    for (let i = first; i < end; i++) {
      const e = event[i];
      const s = stream[i];
      let group: number;
      if (s >= 0) {
        const slot = e * streamCount + s;
        group = groupPlusOne.get(slot) - 1;
        if (group < 0) {
          group = groupEvent.length;
          groupPlusOne.set(slot, group + 1);
          groupEvent.push(e);
          groupStream.push(s);
        }
      } else {
        const task = isOfWholeCpus[e] === 1 ? -1 : thread[i];
        const key = (e * threadSpan + task + 1) * cpuSpan + cpu[i] + 1;
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
      found[i - first] = group;
    }
    this.groupOfSample.put(first, found, end - first);
  }
}

/** 1 for events whose samples without a stream tell of idle CPUs: tid 0 is in nobody's command. */
function* findWholeCpuEvents({ samples, events, threads }: PeriodInput): Slices<Uint8Array> {
  const found = new Uint8Array(events.length);
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      if (samples.stream[i] >= 0 || samples.cpu[i] < 0) continue;
      if (threads[samples.thread[i]]?.tid === 0) found[samples.event[i]] = 1;
    }
  });
  return found;
}

/** The rows of each stream of an event. */
export function rowsOfStreams(groups: StreamGroups, event: number): Int32Array[] {
  const streams: Int32Array[] = [];
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    streams.push(groups.rows.subarray(groups.offsets[g], groups.offsets[g + 1]));
  }
  return streams;
}
