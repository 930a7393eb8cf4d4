import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { openPerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { decodeTrailer, TrailerView } from '../../../src/kernel/perf-event/trailer.ts';
import { finishedRound, perfDataFile, record } from '../../helpers/record-builder.ts';

// Samples of variable length, mappings, names, and sections of several kinds.
const attr = newAttr({
  type: 1,
  samplePeriod: 1000,
  // IP TID TIME READ CALLCHAIN RAW BRANCH_STACK REGS_USER STACK_USER IDENTIFIER
  sampleType: 0x13c37,
  readFormat: 0x0f,
  sampleRegsUser: 0xffn,
  flags: { sampleIdAll: true },
});
const encoder = new RecordEncoder({
  littleEndian: true,
  sampleType: attr.sampleType,
  sampleIdAll: true,
});
const sample = record(PERF_RECORD.SAMPLE, 2, (out) => {
  out.u64(5).u64(0x401000).u32(10).u32(11).u64(1000);
  out.u64(2).u64(30).u64(20).u64(100).u64(5).u64(200).u64(6);
  out.u64(3).u64(-512).u64(0x401000).u64(0x402000);
  out.u32(4).u32(0x01020304);
  out.u64(1).u64(0x1000).u64(0x2000).u64(0);
  out.u64(2).zeros(64);
  out.u64(16).zeros(16).u64(16);
});
const place = {
  pid: 10,
  tid: 11,
  address: 0x400000,
  length: 4096,
  fileOffset: 0,
  filename: '/bin/app',
};
const whole = perfDataFile({
  attrs: [
    { attr, ids: [5] },
    { attr, ids: [6] },
  ],
  records: [
    encoder.comm({ pid: 10, tid: 11, comm: 'app' }, { id: 5 }),
    encoder.mmap2({ ...place, prot: 5, flags: 2 }, { id: 6 }),
    sample,
    finishedRound(),
    encoder.fork({ pid: 12, parentPid: 10, tid: 12, parentTid: 11 }, { id: 5 }),
    sample,
  ],
  features: [
    [2, record(0, 2, (out) => out.u32(1).zeros(24).text('/bin/app\0'))],
    [3, record(8, 0, (out) => out.text('hostname\0'))],
    [11, record(1, 0, (out) => out.u32(4).text('app\0'))],
    [16, record(1, 0, (out) => out.u32(1).u32(4).text('cpu\0'))],
  ],
});

/** Reads all that there is; returns the number of records. */
function readAll(bytes: Uint8Array): number {
  const data = openPerfData(memorySource(bytes));
  const sampleView = new SampleView(data.startTime);
  const trailerView = new TrailerView(data.startTime);
  return walkRecords(data, {
    record(record) {
      const { type } = record;
      const info = data.attrs[data.lookup.attrIndexOf(record)]?.info;
      if (info === undefined) return;
      if (type === PERF_RECORD.SAMPLE) decodeSample(record, info, sampleView);
      else decodeRecord(record, info);
      decodeTrailer(record, info, trailerView);
    },
  }).records;
}

test('the undamaged file has six records', () => {
  expect(readAll(whole)).toBe(6);
});

test('whatever bytes are changed, the file is read or refused with a reason', () => {
  const interesting = fc.constantFrom(0, 1, 7, 8, 0x7f, 0x80, 0xff);
  const change = fc.tuple(fc.nat(whole.length - 1), fc.oneof(interesting, fc.nat(255)));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const bytes = whole.slice();
      for (const [at, value] of changes) bytes[at] = value;
      try {
        expect(readAll(bytes)).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect(error).toBeInstanceOf(PerfDataError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('every 64-bit and every 32-bit word may be all ones', () => {
  const outcomes = new Set<string>();
  for (const width of [4, 8]) {
    for (let at = 0; at + width <= whole.length; at += 4) {
      const bytes = whole.slice();
      bytes.fill(0xff, at, at + width);
      try {
        outcomes.add(readAll(bytes) > 0 ? 'read' : 'nothing to read');
      } catch (error) {
        expect(error, `${width} bytes at ${at}`).toBeInstanceOf(PerfDataError);
        outcomes.add((error as PerfDataError).code);
      }
    }
  }
  expect([...outcomes].sort()).toEqual([
    'not-perf-data',
    'nothing to read',
    'read',
    'truncated-header',
  ]);
});
