import { expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../src/base/byte-source.ts';
import { openPerfData } from '../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { RecordView } from '../../src/kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { createZstdDecoder } from '../../src/read/files/zstd.ts';
import { visitInTimeOrder } from '../../src/read/ordered-records.ts';
import {
  concat,
  finishedRound,
  perfDataFile,
  plainSample,
  record,
} from '../helpers/record-builder.ts';
import { zstdFrameHeader, zstdRawBlock } from '../helpers/zstd-stream.ts';

test('records that cross the border of two reads are whole, and in order', () => {
  // Two rings a round, the second one's samples between the first one's; several MiB of them.
  const rounds = 60;
  const samplesPerRing = 1000;
  const records: Uint8Array[] = [];
  let time = 1000;
  for (let round = 0; round < rounds; round++) {
    for (const ring of [0, 1]) {
      for (let i = 0; i < samplesPerRing; i++) {
        records.push(plainSample({ ip: 1, pid: 1, tid: 1, time: time + 2 * i + ring }));
      }
    }
    records.push(finishedRound());
    time += 2 * samplesPerRing;
  }
  const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
  const attr = newAttr({ sampleType });
  const file = perfDataFile({ attrs: [{ attr, ids: [] }], records: [Buffer.concat(records)] });
  const data = openPerfData(memorySource(file));
  const sample = new SampleView(data.startTime);
  const times: number[] = [];
  visitInTimeOrder(data, {
    record(record) {
      const { type } = record;
      expect(type).toBe(PERF_RECORD.SAMPLE);
      expect(decodeSample(record, data.attrs[0].info, sample)).toBe(true);
      times.push(sample.timeNs);
    },
  });
  expect(times.length).toBe(rounds * 2 * samplesPerRing);
  expect(times.every((value, i) => value === i)).toBe(true);
});

test('records out of COMPRESSED ones are put in order with the rest, with their file offsets', () => {
  const attr = newAttr({ sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME });
  const sampleAt = (time: number) => plainSample({ ip: 1, pid: 1, tid: 1, time });
  const compressed = (...pieces: Uint8Array[]) =>
    record(PERF_RECORD.COMPRESSED, 0, (out) => out.bytes(concat(...pieces)));
  // Two rings, each drained into a COMPRESSED record per round; the second one's ends in a record.
  const records = [
    compressed(zstdFrameHeader(), zstdRawBlock(concat(sampleAt(10), sampleAt(30)))),
    compressed(zstdRawBlock(concat(sampleAt(20), sampleAt(40).subarray(0, 9)))),
    finishedRound(),
    sampleAt(35),
    compressed(zstdRawBlock(concat(sampleAt(40).subarray(9), sampleAt(5)))),
    finishedRound(),
  ];
  const file = perfDataFile({ attrs: [{ attr, ids: [] }], records });
  const data = openPerfData(memorySource(file), { createZstdDecoder });
  const starts = records.map((_, i) => data.dataOffset + concat(...records.slice(0, i)).length);
  const seen: string[] = [];
  visitInTimeOrder(data, {
    record(record) {
      const { view, offset, type, fileOffset } = record;
      if (type !== PERF_RECORD.SAMPLE) return;
      seen.push(`${view.getBigUint64(offset + 24, true)} @${starts.indexOf(fileOffset)}`);
    },
  });
  expect(seen).toEqual(['5 @4', '10 @0', '20 @1', '30 @0', '35 @3', '40 @4']);
});

test('the files of a directory are put in order as a whole', () => {
  const attr = newAttr({ sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME });
  const sampleAt = (time: number) => plainSample({ ip: 1, pid: 1, tid: 1, time });
  const rounds = (...times: number[]) =>
    concat(...times.flatMap((time) => [sampleAt(time), finishedRound()]));
  const main = perfDataFile({ attrs: [{ attr, ids: [] }], records: [sampleAt(20)] });
  const threadFiles = [rounds(30, 50, 70, 90), rounds(1, 40, 60, 80)].map(memorySource);
  const data = openPerfData(memorySource(main), { threadFiles });
  const times: number[] = [];
  visitInTimeOrder(data, {
    record(record) {
      const { view, offset, type } = record;
      if (type === PERF_RECORD.SAMPLE) times.push(Number(view.getBigUint64(offset + 24, true)));
    },
  });
  expect(data.startTime.low).toBe(1);
  expect(times).toEqual([1, 20, 30, 40, 50, 60, 70, 80, 90]);
});

/** Sources whose buffers are gone as soon as they are handed back. */
class ForgetfulSources {
  inUse = 0;
  mostInUse = 0;

  of(bytes: Uint8Array): ByteSource {
    return {
      size: bytes.length,
      read: (offset, length) => {
        this.mostInUse = Math.max(this.mostInUse, ++this.inUse);
        return Uint8Array.from(bytes.subarray(offset, offset + length));
      },
      recycle: (handedBack) => {
        this.inUse--;
        handedBack.fill(0xff);
      },
    };
  }
}

test('a round larger than memory reads some segments again', () => {
  // Three recording threads, several segments each, all at the same times.
  const perThread = 200_000;
  const attr = newAttr({ sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME });
  const sources = new ForgetfulSources();
  const threadFiles = [0, 1, 2].map((thread) => {
    const records: Uint8Array[] = [];
    for (let i = 0; i < perThread; i++) {
      records.push(plainSample({ ip: 1, pid: 1, tid: 1, time: 3 * i + thread }));
    }
    return sources.of(Buffer.concat(records));
  });
  const main = perfDataFile({ attrs: [{ attr, ids: [] }], records: [] });
  const data = openPerfData(sources.of(main), { threadFiles });
  sources.inUse = 0;
  sources.mostInUse = 0;
  let next = 0;
  let isInOrder = true;
  const visitor = {
    record({ view, offset }: RecordView) {
      isInOrder &&= Number(view.getBigUint64(offset + 24, true)) === next++;
    },
  };
  const mostResident = 4;
  visitInTimeOrder(data, visitor, mostResident);
  expect(isInOrder).toBe(true);
  expect(next).toBe(3 * perThread);
  // One more than that while the next is read.
  expect(sources.mostInUse).toBe(mostResident + 1);
});
