import { expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { openPerfData } from '../../src/perf-data/reader.ts';
import { newAttr } from '../../src/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../src/perf-event/sample.ts';
import { visitInTimeOrder } from '../../src/session/ordered-records.ts';
import { finishedRound, perfDataFile, plainSample } from '../helpers/record-builder.ts';

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
    record(view, offset, size, type) {
      expect(type).toBe(PERF_RECORD.SAMPLE);
      expect(decodeSample(view, offset, offset + size, data.attrs[0]!.info, sample)).toBe(true);
      times.push(sample.timeNs);
    },
  });
  expect(times.length).toBe(rounds * 2 * samplesPerRing);
  expect(times.every((value, i) => value === i)).toBe(true);
});
