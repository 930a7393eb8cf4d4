import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  type OpenOptions,
  openPerfData,
  type PerfData,
  walkRecords,
} from '../../../src/formats/perf-data/reader.ts';
import { RecordInflater } from '../../../src/formats/perf-data/record-inflater.ts';
import { UnpackLimit } from '../../../src/formats/perf-data/unpack-limit.ts';
import { ZstdGuard } from '../../../src/formats/perf-data/zstd-guard.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_SAMPLE,
  recordTypeName,
} from '../../../src/kernel/perf-event/constants.ts';
import type { RecordView } from '../../../src/kernel/perf-event/record-view.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import {
  concat,
  finishedRound,
  perfDataFile,
  plainSample,
  record,
  recordOf,
} from '../../helpers/record-builder.ts';
import {
  zstdFrameHeader,
  zstdMatchBlock,
  zstdRawBlock,
  zstdRunBlock,
} from '../../helpers/zstd-stream.ts';

const attr = newAttr({ sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME });
const sampleAt = (time: number, littleEndian = true) =>
  plainSample({ ip: 0x1000, pid: 1, tid: 1, time }, littleEndian);
const compressed = (piece: Uint8Array, littleEndian = true) =>
  record(PERF_RECORD.COMPRESSED, 0, (out) => out.bytes(piece), littleEndian);

function open(records: Uint8Array[], littleEndian = true): PerfData {
  const file = perfDataFile({ littleEndian, attrs: [{ attr, ids: [] }], records });
  return openPerfData(memorySource(file), { createZstdDecoder });
}

/** `TYPE time @record`: the record's number of those in the file that it was found at. */
function list(data: PerfData): string[] {
  const lines: string[] = [];
  let inFile = -1;
  let lastOffset = -1;
  walkRecords(data, {
    record(record) {
      const { view, offset, type, fileOffset } = record;
      if (fileOffset !== lastOffset) inFile++;
      lastOffset = fileOffset;
      const time =
        type === PERF_RECORD.SAMPLE ? ` ${view.getBigUint64(offset + 24, data.littleEndian)}` : '';
      lines.push(`${recordTypeName(type)}${time} @${inFile}`);
    },
  });
  return lines;
}

const codes = (data: PerfData) => data.diagnostics.entries().map(({ code }) => code);

describe('COMPRESSED records', () => {
  test.each([true, false])('compressed records are read in place, little-endian: %s', (le) => {
    const first = concat(zstdFrameHeader(), zstdRawBlock(concat(sampleAt(5, le), sampleAt(7, le))));
    const data = open(
      [
        sampleAt(1, le),
        compressed(first, le),
        finishedRound(le),
        compressed(zstdRawBlock(sampleAt(9, le)), le),
        sampleAt(10, le),
      ],
      le,
    );
    expect(list(data)).toEqual([
      'SAMPLE 1 @0',
      'COMPRESSED @1',
      'SAMPLE 5 @1',
      'SAMPLE 7 @1',
      'FINISHED_ROUND @2',
      'COMPRESSED @3',
      'SAMPLE 9 @3',
      'SAMPLE 10 @4',
    ]);
    expect(data.startTime.low).toBe(1);
    expect(codes(data)).toEqual([]);
  });

  test('compressed records may end inside a block and inside a record, wherever that is', () => {
    const stream = concat(
      zstdFrameHeader(),
      zstdRawBlock(sampleAt(5)),
      zstdRawBlock(concat(sampleAt(6).subarray(0, 13))),
      zstdRawBlock(concat(sampleAt(6).subarray(13), sampleAt(7))),
    );
    for (let cut = 1; cut < stream.length; cut++) {
      const data = open([compressed(stream.subarray(0, cut)), compressed(stream.subarray(cut))]);
      const samples = list(data).filter((line) => line.startsWith('SAMPLE'));
      expect(samples.map((line) => line.replace(/ @.*/, ''))).toEqual([
        'SAMPLE 5',
        'SAMPLE 6',
        'SAMPLE 7',
      ]);
      expect(codes(data)).toEqual([]);
    }
  });

  test('COMPRESSED2 says how many bytes are data; the rest is padding', () => {
    const piece = concat(zstdFrameHeader(), zstdRawBlock(sampleAt(5)));
    const padded = (size: number) =>
      record(PERF_RECORD.COMPRESSED2, 0, (out) => out.u64(size).bytes(piece).zeros(7));
    expect(list(open([padded(piece.length)]))).toEqual(['COMPRESSED2 @0', 'SAMPLE 5 @0']);
    const data = open([padded(piece.length + 8)]);
    expect(list(data)).toEqual(['COMPRESSED2 @0']);
    expect(codes(data)).toEqual(['compressed-data-damaged']);
  });

  test('views that are kept stay as they are, over many buffers', () => {
    const perBlock = 1000;
    const blocks = 100;
    const pieces: Uint8Array[] = [];
    for (let block = 0; block < blocks; block++) {
      const samples = Array.from({ length: perBlock }, (_, i) =>
        sampleAt(1 + block * perBlock + i),
      );
      const bytes = zstdRawBlock(concat(...samples));
      pieces.push(compressed(block === 0 ? concat(zstdFrameHeader(), bytes) : bytes));
    }
    const kept: [DataView, number][] = [];
    walkRecords(open(pieces), {
      record(record) {
        const { view, offset, type } = record;
        if (type === PERF_RECORD.SAMPLE) kept.push([view, offset]);
      },
    });
    const times = kept.map(([view, offset]) => Number(view.getBigUint64(offset + 24, true)));
    expect(times).toEqual(Array.from({ length: blocks * perBlock }, (_, i) => 1 + i));
  });

  test('the other COMPRESSED records are skipped after a damaged one, and plain records are read', () => {
    const reserved = Uint8Array.of(0b111, 0, 0, 0);
    const piece = concat(zstdFrameHeader(), zstdRawBlock(sampleAt(5)));
    const last = compressed(zstdRawBlock(sampleAt(8)));
    const damaged = compressed(reserved);
    const data = open([compressed(piece), damaged, sampleAt(6), last, sampleAt(9)]);
    expect(list(data)).toEqual([
      'COMPRESSED @0',
      'SAMPLE 5 @0',
      'COMPRESSED @1',
      'SAMPLE 6 @2',
      'COMPRESSED @3',
      'SAMPLE 9 @4',
    ]);
    expect(data.skippedBytes).toBe(damaged.length + last.length);
    expect(data.diagnostics.entries()).toEqual([
      {
        code: 'compressed-data-damaged',
        count: 1,
        detail: expect.stringMatching(/^at 0x[0-9a-f]+: a block has the reserved type; \d+ bytes/),
      },
    ]);
  });

  test('a compressed record that never ends is reported once', () => {
    const piece = concat(zstdFrameHeader(), zstdRawBlock(sampleAt(5).subarray(0, 20)));
    const data = open([compressed(piece)]);
    expect(list(data)).toEqual(['COMPRESSED @0']);
    expect(codes(data)).toEqual(['compressed-data-cut']);
  });

  test('an inflated record of less than 8 bytes ends the stream', () => {
    const data = open([compressed(concat(zstdFrameHeader(), zstdRawBlock(new Uint8Array(40))))]);
    expect(list(data)).toEqual(['COMPRESSED @0']);
    expect(data.diagnostics.entries()[0].detail).toContain(
      'an inflated record has a stated size of 0 bytes',
    );
  });

  test.each([
    ['as much as the ring held', 17, null],
    ['more', 18, 'a record inflates to more than the 2228224 bytes of a ring'],
  ])('a record may inflate to %s', (_, blocks, failure) => {
    const inflater = new RecordInflater(
      createZstdDecoder,
      true,
      17 * 2 ** 17,
      new UnpackLimit(null),
    );
    // Bytes of 0x40: records of type 0x40404040 and 0x4040 bytes.
    const runs = Array.from({ length: blocks }, () => zstdRunBlock(0x40, 2 ** 17));
    const bytes = compressed(concat(zstdFrameHeader(), ...runs));
    const sizes = new Set<number>();
    const visitor = {
      record: ({ size }: RecordView) => sizes.add(size),
    };
    inflater.inflate(recordOf(bytes), visitor);
    expect([inflater.failure, inflater.records]).toEqual([failure, Math.floor(2_228_224 / 0x4040)]);
    expect([...sizes]).toEqual([0x4040]);
  });

  describe('which unpack to far more than anybody recorded', () => {
    // 32 KiB of samples, then 128 KiB for every twelve bytes: the same again.
    const samples = concat(...Array.from({ length: 1024 }, () => sampleAt(5)));
    const again = zstdMatchBlock(samples.length, 128 << 10);
    const bomb = (blocks: number) => {
      const start = concat(zstdFrameHeader({ windowExponent: 7 }), zstdRawBlock(samples));
      const more = Array.from({ length: blocks }, () => again);
      return perfDataFile({
        attrs: [{ attr, ids: [] }],
        records: [compressed(start), compressed(concat(...more))],
      });
    };

    test('records that unpack to too much are refused, with the limit and the option that lifts it', () => {
      expect(() => openPerfData(memorySource(bomb(1100)), { createZstdDecoder })).toThrow(
        /^\d+ bytes of compressed records unpack to more than 4000000 records, .*maxUnpacked/,
      );
      const source = memorySource(bomb(200));
      const open = () => openPerfData(source, { createZstdDecoder, mostUnpacked: 20 << 20 });
      expect(open).toThrow(/unpack to more than 20971520 bytes, which is not read/);
    });

    test('records that unpack to too much are refused where frames ask for windows that nothing fills', () => {
      // 64 MiB each, and a last block without bytes.
      const frame = concat(zstdFrameHeader({ windowExponent: 16 }), Uint8Array.of(1, 0, 0));
      const frames = compressed(concat(...Array.from({ length: 9 }, () => frame)));
      const bytes = perfDataFile({ attrs: [{ attr, ids: [5] }], records: [frames] });
      const walk = (options: OpenOptions) =>
        walkRecords(openPerfData(memorySource(bytes), options), { record: () => {} }).records;
      expect(() => walk({ createZstdDecoder })).toThrow(
        /^\d+ bytes of compressed records unpack to more than 536870912 bytes, .*maxUnpacked/,
      );
      expect(walk({ createZstdDecoder, mostUnpacked: Number.POSITIVE_INFINITY })).toBe(1);
    });

    test('records that unpack to much are read where the user allows it, and where they are within the limit', () => {
      const mostUnpacked = Number.POSITIVE_INFINITY;
      const options = { createZstdDecoder, mostUnpacked };
      const count = (bytes: Uint8Array, given: OpenOptions) =>
        walkRecords(openPerfData(memorySource(bytes), given), { record: () => {} }).records;
      expect(count(bomb(1100), options)).toBe(2 + 1024 + 4096 * 1100);
      expect(count(bomb(300), { createZstdDecoder })).toBe(2 + 1024 + 4096 * 300);
    });
  });

  test('an exception of a visitor passes through the inflater', () => {
    const data = open([compressed(concat(zstdFrameHeader(), zstdRawBlock(sampleAt(5))))]);
    const visitor = {
      record({ type }: RecordView) {
        if (type === PERF_RECORD.SAMPLE) throw new RangeError('mine');
      },
    };
    expect(() => walkRecords(data, visitor)).toThrow(new RangeError('mine'));
    expect(codes(data)).toEqual([]);
  });

  test('compressed records are skipped without a decoder, and counted once', () => {
    const file = perfDataFile({
      attrs: [{ attr, ids: [] }],
      records: [compressed(concat(zstdFrameHeader(), zstdRawBlock(sampleAt(5)))), finishedRound()],
    });
    const data = openPerfData(memorySource(file));
    expect(list(data)).toEqual(['COMPRESSED @0', 'FINISHED_ROUND @1']);
    expect(list(data)).toEqual(['COMPRESSED @0', 'FINISHED_ROUND @1']);
    expect(data.compressedRecords).toBe(1);
    expect(data.diagnostics.entries()).toMatchObject([
      { code: 'compressed-records-unread', count: 1 },
    ]);
  });
});

describe('the guard of a zstd stream', () => {
  const check = (...pieces: Uint8Array[]) => {
    const guard = new ZstdGuard();
    for (const piece of pieces) guard.check(piece);
  };

  test('the guard of a zstd stream lets frames pass, whole or byte by byte', () => {
    const lastBlock = Uint8Array.of(0b1, 0, 0);
    const skippable = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 0xff, 0xff);
    const frame = concat(
      zstdFrameHeader(),
      zstdRawBlock(new Uint8Array(30)),
      zstdRunBlock(7, 500),
      lastBlock,
    );
    // Single segment (0x20) with a content size of two bytes (0x40) and a checksum (4).
    const second = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x64, 10, 0, 1, 0, 0, 1, 2, 3, 4);
    const stream = concat(frame, skippable, second, frame);
    expect(() => check(stream)).not.toThrow();
    expect(() => check(...Array.from(stream, (byte) => Uint8Array.of(byte)))).not.toThrow();
  });

  test.each([
    ['its window is 137438953472 bytes, at most', zstdFrameHeader({ windowExponent: 27 })],
    [
      'its window is 4294967295 bytes',
      Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0, 255, 255, 255, 255),
    ],
    ['does not begin with the zstd magic', new Uint8Array(18).fill(1)],
    ['it needs a dictionary', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1, 0x48, 9)],
    ['a block has 262144 bytes', concat(zstdFrameHeader(), zstdRunBlock(0, 1 << 18))],
  ])('refuses: %s', (message, stream) => {
    expect(() => check(stream)).toThrow(message);
  });
});
