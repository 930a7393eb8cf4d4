// Hot: once per sample that reads its counters.

import { lastAtMost } from '../base/bisect.ts';
import { GrowableFloat64, GrowableUint8 } from '../base/growable-columns.ts';
import { sortedOrder } from '../base/sorted-order.ts';
import { type PerfData, walkRecords } from '../formats/perf-data/reader.ts';
import { PERF_FORMAT, PERF_RECORD, PERF_SAMPLE } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import type { ParseInfo } from '../kernel/perf-event/parse-info.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import type { Selector } from '../read/selector.ts';

/**
 * The counters' values of a recording from which samples are removed.
 *
 * A sample stands for what its counter has counted since the stream's previous sample, so it would
 * take over what was counted for the samples removed in front of it. Counts and times therefore run
 * on over what was cut out:
 *
 *     count      1   9   30   60   95
 *     kept       ●   ○    ○   ●    ●
 *     written    1           31   66        the differences of the kept samples: 1, 30, 35
 */
export class CountCutter {
  readonly #data: PerfData;
  readonly #sample: SampleView;
  /** Counts by event, then by stream. */
  readonly #streams: Map<number, StreamValues>[];

  /** Null where no counter is read, or nothing is removed. */
  static read(data: PerfData, selector: Selector): CountCutter | null {
    if (!selector.isActive || !data.attrs.some(({ info }) => readsCounters(info))) return null;
    const cutter = new CountCutter(data);
    walkRecords(data, {
      record: (record) => {
        if (record.type === PERF_RECORD.SAMPLE) cutter.#note(record, selector);
      },
    });
    for (const streams of cutter.#streams) {
      for (const stream of streams.values()) stream.finish();
    }
    return cutter;
  }

  private constructor(data: PerfData) {
    this.#data = data;
    this.#sample = new SampleView(data.startTime);
    this.#streams = data.attrs.map(() => new Map());
  }

  #note(record: RecordView, selector: Selector): void {
    const event = this.#data.lookup.attrIndexOf(record);
    if (!this.#decode(record, event)) return;
    const streams = this.#streams[event];
    const key = streamKey(this.#sample);
    let stream = streams.get(key);
    if (stream === undefined) {
      stream = new StreamValues();
      streams.set(key, stream);
    }
    stream.note(this.#sample, selector.sample(record, event));
  }

  /**
   * Writes the values of a sample into its copy at `outOffset` of `out`, whose fields up to these are
   * of the same size.
   */
  rewrite(record: RecordView, out: DataView, outOffset: number): void {
    const event = this.#data.lookup.attrIndexOf(record);
    if (!this.#decode(record, event)) return;
    const sample = this.#sample;
    const stream = this.#streams[event].get(streamKey(sample));
    if (stream === undefined || !stream.isCut) return;
    const { readFormat, littleEndian, sampleFixedSize } = this.#data.attrs[event].info;
    let at = outOffset + sampleFixedSize;
    const write = (column: CutColumn, value: number) => {
      writeU64(out, at, value - column.removedUpTo(value), littleEndian);
      at += 8;
    };
    const isGroup = (readFormat & PERF_FORMAT.GROUP) !== 0;
    if (isGroup) at += 8;
    else write(stream.counters[0], sample.readValues[0]);
    if (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED) write(stream.enabled, sample.timeEnabled);
    if (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING) write(stream.running, sample.timeRunning);
    if (!isGroup) return;
    const beside = (readFormat & PERF_FORMAT.ID ? 8 : 0) + (readFormat & PERF_FORMAT.LOST ? 8 : 0);
    for (let i = 0; i < sample.readCount; i++) {
      write(stream.counters[i], sample.readValues[i]);
      at += beside;
    }
  }

  #decode(record: RecordView, event: number): boolean {
    if (event === UNKNOWN_EVENT) return false;
    const { info } = this.#data.attrs[event];
    if (!readsCounters(info)) return false;
    return decodeSample(record, info, this.#sample);
  }
}

/** Recorders set a read format for READ records, too, where samples read no counter. */
function readsCounters({ sampleType, readFormat }: ParseInfo): boolean {
  return (sampleType & PERF_SAMPLE.READ) !== 0 && readFormat !== 0;
}

/** A CPU number is below 2^13. Without stream ids an instance is one (thread, CPU). */
function streamKey({ streamId, tid, cpu }: SampleView): number {
  return streamId >= 0 ? streamId : -2 - (tid * 2 ** 13 + cpu);
}

/** Counts that the samples of one stream read. */
class StreamValues {
  readonly counters: CutColumn[] = [];
  readonly enabled = new CutColumn();
  readonly running = new CutColumn();
  readonly #isKept = new GrowableUint8();
  /** Whether samples are removed. */
  isCut = false;

  note(sample: SampleView, isKept: boolean): void {
    const row = this.#isKept.length;
    this.#isKept.push(isKept ? 1 : 0);
    if (!isKept) this.isCut = true;
    for (let i = 0; i < sample.readCount; i++) {
      let column = this.counters[i];
      if (column === undefined) {
        column = new CutColumn();
        this.counters.push(column);
      }
      column.note(row, sample.readValues[i]);
    }
    this.enabled.note(row, sample.timeEnabled);
    this.running.note(row, sample.timeRunning);
  }

  finish(): void {
    if (!this.isCut) return;
    for (const column of this.counters) column.finish(this.#isKept.array);
    this.enabled.finish(this.#isKept.array);
    this.running.finish(this.#isKept.array);
  }
}

/**
 * The values of one counter in one stream. It only grows, so its values tell their order, which that
 * of the records in the file need not be.
 */
class CutColumn {
  readonly #rows = new GrowableFloat64();
  readonly #read = new GrowableFloat64();
  /** Ascending; parallel to it what was counted for removed samples up to each. */
  #values = new Float64Array(0);
  #removed = new Float64Array(0);

  note(row: number, value: number): void {
    this.#rows.push(row);
    this.#read.push(value);
  }

  finish(isKept: Uint8Array): void {
    const { length } = this.#read;
    const read = this.#read.array;
    const order = sortedOrder(read, length);
    this.#values = new Float64Array(length);
    this.#removed = new Float64Array(length);
    let removed = 0;
    let previous = 0;
    for (let k = 0; k < length; k++) {
      const index = order[k];
      const value = read[index];
      if (isKept[this.#rows.array[index]] === 0) removed += value - previous;
      previous = value;
      this.#values[k] = value;
      this.#removed[k] = removed;
    }
  }

  removedUpTo(value: number): number {
    const at = lastAtMost(this.#values, value);
    return at < 0 ? 0 : this.#removed[at];
  }
}

const TWO_32 = 2 ** 32;

function writeU64(view: DataView, at: number, value: number, littleEndian: boolean): void {
  const high = Math.floor(value / TWO_32);
  view.setUint32(littleEndian ? at + 4 : at, high, littleEndian);
  view.setUint32(littleEndian ? at : at + 4, value - high * TWO_32, littleEndian);
}
