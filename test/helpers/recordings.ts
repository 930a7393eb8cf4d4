import { ByteWriter } from '../../src/base/byte-writer.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { concat, finishedRound, perfDataFile, plainSample, record } from './record-builder.ts';
import { zstdFrameHeader, zstdRawBlock } from './zstd-stream.ts';

const { IDENTIFIER, IP, TID, TIME } = PERF_SAMPLE;
const attr = newAttr({
  samplePeriod: 1000,
  sampleType: IDENTIFIER | IP | TID | TIME,
  flags: { sampleIdAll: true, freq: true },
});

/** Small recordings of two events, in every way of writing them: what each is, and its bytes. */
export function builtRecordings(): [name: string, bytes: Uint8Array][] {
  return [true, false].flatMap((littleEndian): [string, Uint8Array][] => {
    const order = littleEndian ? 'little-endian' : 'big-endian';
    const records = someRecords(littleEndian);
    const inside = compressedRecords(records, littleEndian);
    return [
      [`${order} file`, file(records, littleEndian)],
      [`${order} file, compressed`, file(inside, littleEndian)],
      [`${order} pipe`, pipe(records, littleEndian)],
      [`${order} pipe, compressed`, pipe(inside, littleEndian)],
    ];
  });
}

function someRecords(littleEndian: boolean): Uint8Array[] {
  const { sampleType } = attr;
  const encoder = new RecordEncoder({ littleEndian, sampleType, sampleIdAll: true });
  const records: Uint8Array[] = [
    encoder.comm({ pid: 10, tid: 11, comm: 'app' }, { id: 5 }),
    encoder.fork({ pid: 12, parentPid: 10, tid: 12, parentTid: 11 }, { id: 6 }),
  ];
  for (let i = 0; i < 60; i++) {
    const id = i % 3 === 0 ? 6 : 5;
    records.push(
      plainSample({ id, ip: 0x1000 + i, pid: 10, tid: 11, time: 100 + i }, littleEndian),
    );
    if (i % 10 === 9) records.push(finishedRound(littleEndian));
  }
  return records;
}

/** The records as one stream of uncompressed zstd blocks, cut into pieces that no border fits. */
export function compressedRecords(
  records: readonly Uint8Array[],
  littleEndian: boolean,
): Uint8Array[] {
  const stream = concat(zstdFrameHeader({ windowExponent: 0 }), ...records.map(zstdRawBlock));
  const pieces: Uint8Array[] = [];
  const step = 211;
  for (let at = 0; at < stream.length; at += step) {
    const piece = stream.subarray(at, at + step);
    pieces.push(record(PERF_RECORD.COMPRESSED, 0, (out) => out.bytes(piece), littleEndian));
  }
  return pieces;
}

function textSection(text: string, littleEndian: boolean): Uint8Array {
  return new ByteWriter(littleEndian)
    .u32(64)
    .text(text)
    .zeros(64 - text.length)
    .finish();
}

function file(records: Uint8Array[], littleEndian: boolean): Uint8Array {
  return perfDataFile({
    littleEndian,
    attrs: [
      { attr, ids: [5] },
      { attr: { ...attr, config: 2n }, ids: [6] },
    ],
    records,
    features: [
      [3, textSection('some-host', littleEndian)],
      [6, textSection('x86_64', littleEndian)],
    ],
  });
}

function pipe(records: readonly Uint8Array[], littleEndian: boolean): Uint8Array {
  const { HEADER_ATTR, HEADER_FEATURE, HEADER_TRACING_DATA } = PERF_RECORD;
  const describing = (type: number, build: (out: ByteWriter) => void) =>
    record(type, 0, build, littleEndian);
  const attrBytes = encodeAttr(attr, littleEndian);
  return concat(
    new ByteWriter(littleEndian)
      .text(littleEndian ? 'PERFILE2' : '2ELIFREP')
      .u64(16)
      .finish(),
    describing(HEADER_ATTR, (out) => out.bytes(attrBytes).u64(5)),
    describing(HEADER_ATTR, (out) => out.bytes(attrBytes).u64(6)),
    describing(HEADER_FEATURE, (out) => out.u64(3).bytes(textSection('some-host', littleEndian))),
    describing(HEADER_TRACING_DATA, (out) => out.u32(16)),
    new TextEncoder().encode('tracing data 16 '),
    ...records,
  );
}
