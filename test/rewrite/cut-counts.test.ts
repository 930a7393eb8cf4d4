import { describe, expect, it } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { open, rewritten } from './helpers.ts';

const { TID, TIME, STREAM_ID, CPU, READ } = PERF_SAMPLE;
const USER_MISC = 2;
const SELECTED = 7;
const OTHER = 8;

/** A sample as (time, tid, stream, values, …), in the order of the file. */
type Read = {
  readonly time: number;
  readonly tid: number;
  readonly stream: number;
  readonly values: readonly number[];
  readonly running: number;
};

function fileOf(samples: readonly Read[], readFormat: number): Uint8Array {
  const isGroup = (readFormat & PERF_FORMAT.GROUP) !== 0;
  const attr = newAttr({
    samplePeriod: 1000,
    sampleType: TID | TIME | STREAM_ID | CPU | READ,
    readFormat,
  });
  const records = samples.map(({ time, tid, stream, values, running }) => {
    return record(PERF_RECORD.SAMPLE, USER_MISC, (out) => {
      out.u32(tid).u32(tid).u64(time).u64(stream).u32(0).u32(0);
      out.u64(isGroup ? values.length : values[0]).u64(running);
      if (isGroup) for (const [i, value] of values.entries()) out.u64(value).u64(i);
    });
  });
  return perfDataFile({ attrs: [{ attr, ids: [1] }], records });
}

/** (count of each counter, running time) of the samples of a file. */
function readingsOf(bytes: Uint8Array): number[][] {
  const data = open(bytes);
  const sample = new SampleView(data.startTime);
  const found: number[][] = [];
  data.walk(
    {
      record(record) {
        const { type } = record;
        if (type !== PERF_RECORD.SAMPLE) return;
        decodeSample(record, data.attrs[0].info, sample);
        found.push([...sample.readValues.subarray(0, sample.readCount), sample.timeRunning]);
      },
    },
    1 << 20,
  );
  return found;
}

const SELECT = { select: { tids: new Set([SELECTED]) } };

describe('counts of a recording from which samples are removed', () => {
  it('the counts run on over what was cut out, per stream, whatever the order in the file', () => {
    const sample = (time: number, tid: number, stream: number, value: number) => ({
      ...{ time, tid, stream, values: [value] },
      running: 10 * value,
    });
    const bytes = fileOf(
      [
        sample(1, SELECTED, 100, 1),
        // From another CPU's ring, so later in the file.
        sample(4, SELECTED, 100, 60),
        sample(5, SELECTED, 100, 95),
        sample(2, OTHER, 100, 9),
        sample(3, OTHER, 100, 30),
        sample(6, SELECTED, 200, 5),
      ],
      PERF_FORMAT.TOTAL_TIME_RUNNING,
    );
    expect(readingsOf(rewritten(bytes, SELECT).bytes)).toEqual([
      [1, 10],
      [31, 310],
      [66, 660],
      [5, 50],
    ]);
  });

  it('the counts run on for every member of a group', () => {
    const bytes = fileOf(
      [
        { time: 1, tid: SELECTED, stream: 100, values: [10, 1], running: 5 },
        { time: 2, tid: OTHER, stream: 100, values: [20, 300], running: 25 },
        { time: 3, tid: SELECTED, stream: 100, values: [30, 302], running: 26 },
      ],
      PERF_FORMAT.GROUP | PERF_FORMAT.ID | PERF_FORMAT.TOTAL_TIME_RUNNING,
    );
    expect(readingsOf(rewritten(bytes, SELECT).bytes)).toEqual([
      [10, 1, 5],
      [20, 3, 6],
    ]);
  });

  it('counts are not looked for in samples that read none, whatever the read format', () => {
    const sampleType = TID | TIME | STREAM_ID;
    const attr = newAttr({ samplePeriod: 1000, sampleType, readFormat: 7 });
    const sampleOf = (tid: number) =>
      record(PERF_RECORD.SAMPLE, USER_MISC, (out) => out.u32(tid).u32(tid).u64(1).u64(100));
    const records = [SELECTED, OTHER, SELECTED].map(sampleOf);
    const bytes = perfDataFile({ attrs: [{ attr, ids: [1] }], records });
    expect(readingsOf(rewritten(bytes, SELECT).bytes)).toEqual([[0], [0]]);
  });

  it('counts stay as they are where nothing is removed', () => {
    const bytes = fileOf(
      [
        { time: 1, tid: SELECTED, stream: 100, values: [10], running: 5 },
        { time: 2, tid: SELECTED, stream: 100, values: [20], running: 25 },
      ],
      PERF_FORMAT.TOTAL_TIME_RUNNING,
    );
    expect(readingsOf(rewritten(bytes, SELECT).bytes)).toEqual([
      [10, 5],
      [20, 25],
    ]);
  });
});
