import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { openPerfData, type PerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_SAMPLE,
  recordTypeName,
} from '../../../src/kernel/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import {
  type BuiltFile,
  concat,
  finishedRound,
  perfDataFile,
  plainSample,
  record,
  viewOf,
} from '../../helpers/record-builder.ts';

const attr = newAttr({
  type: 1,
  samplePeriod: 1000,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true, freq: true },
});

/** Two events, five samples in two rounds, in either byte order. */
function smallFile(littleEndian = true): BuiltFile {
  const sample = (id: number, ip: number, time: number) =>
    plainSample({ id, ip, pid: 10, tid: 11, time }, littleEndian);
  return {
    littleEndian,
    attrs: [
      { attr, ids: [5, 6] },
      { attr: { ...attr, config: 2n }, ids: [7] },
    ],
    records: [
      sample(5, 0x1000, 2_000),
      sample(7, 0x1001, 2_100),
      sample(6, 0x1002, 1_900),
      finishedRound(littleEndian),
      sample(7, 0x1003, 2_300),
      finishedRound(littleEndian),
      sample(5, 0x1004, 2_400),
    ],
    features: [
      [3, textSection('some-host', littleEndian)],
      [12, eventDescSection(littleEndian)],
    ],
  };
}

function textSection(text: string, littleEndian: boolean): Uint8Array {
  return new ByteWriter(littleEndian)
    .u32(64)
    .text(text)
    .zeros(64 - text.length)
    .finish();
}

function eventDescSection(littleEndian: boolean): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(2).u32(128);
  const names = [
    { name: 'cpu-clock', ids: [5, 6] },
    { name: 'page-faults:u', ids: [7] },
  ];
  for (const { name, ids } of names) {
    out.bytes(encodeAttr(attr, littleEndian, 128)).u32(ids.length);
    out.bytes(textSection(name, littleEndian));
    for (const id of ids) out.u64(id);
  }
  return out.finish();
}

/** One line per record: type, and of samples the event, ip and time since the start. */
function dump(data: PerfData, segmentBytes?: number): string[] {
  const lines: string[] = [];
  const sample = new SampleView(data.startTime);
  walkRecords(
    data,
    {
      record(record) {
        const { type } = record;
        if (type !== PERF_RECORD.SAMPLE) {
          lines.push(recordTypeName(type));
          return;
        }
        const event = data.attrs[data.lookup.attrIndexOf(record)];
        const isDecoded = decodeSample(record, event.info, sample);
        expect(isDecoded).toBe(true);
        lines.push(`SAMPLE ${event.name} 0x${sample.ip.toString(16)} ${sample.timeNs}`);
      },
    },
    segmentBytes,
  );
  return lines;
}

const SMALL_DUMP = [
  'SAMPLE cpu-clock 0x1000 100',
  'SAMPLE page-faults:u 0x1001 200',
  'SAMPLE cpu-clock 0x1002 0',
  'FINISHED_ROUND',
  'SAMPLE page-faults:u 0x1003 400',
  'FINISHED_ROUND',
  'SAMPLE cpu-clock 0x1004 500',
];

describe('perf.data file', () => {
  test.each([true, false])('a file has events, names and features (little-endian: %s)', (le) => {
    const data = openPerfData(memorySource(perfDataFile(smallFile(le))));
    expect(dump(data)).toEqual(SMALL_DUMP);
    expect(data.littleEndian).toBe(le);
    expect(data.sections.names).toEqual(['HOSTNAME', 'EVENT_DESC']);
    expect(data.features.hostname).toBe('some-host');
    expect(data.attrs.map(({ name, ids }) => ({ name, ids }))).toEqual([
      { name: 'cpu-clock', ids: [5, 6] },
      { name: 'page-faults:u', ids: [7] },
    ]);
    expect(data.attrs[1].attr).toEqual({ ...attr, config: 2n, size: 128 });
    expect([data.truncatedAt, data.skippedBytes]).toEqual([-1, 0]);
    expect(data.diagnostics.entries()).toEqual([]);
  });

  test('the start time is the earliest of the first two rounds', () => {
    const data = openPerfData(memorySource(perfDataFile(smallFile())));
    expect(data.startTime).toEqual({ high: 0, low: 1_900 });
  });

  test('segments of any size give the same records', () => {
    const many = { ...smallFile(), records: [] as Uint8Array[] };
    for (let i = 0; i < 6000; i++) {
      many.records.push(plainSample({ id: 5, ip: 0x1000 + i, pid: 1, tid: 1, time: 100 + i }));
      if (i % 7 === 0) many.records.push(finishedRound());
    }
    const source = memorySource(perfDataFile(many));
    const whole = dump(openPerfData(source));
    expect(whole.length).toBe(6000 + 858);
    for (const segmentBytes of [1, 65_537, 100_000]) {
      expect(dump(openPerfData(source), segmentBytes)).toEqual(whole);
    }
  });

  test('a file cut at any byte gives its complete records and the place of the cut', () => {
    const built = smallFile();
    const bytes = perfDataFile(built);
    const headerEnd = bytes.length - concat(...built.records).length - sectionBytes(built);
    let recovered = 0;
    for (let length = 0; length <= bytes.length; length++) {
      const source = memorySource(bytes.slice(0, length));
      if (length < headerEnd - 24) {
        // Header and attrs are needed; ids may be cut.
        expect(() => openPerfData(source), `${length} bytes`).toThrow(PerfDataError);
        continue;
      }
      const data = openPerfData(source);
      const lines = walkTypes(data);
      expect(lines.length, `${length} bytes`).toBeGreaterThanOrEqual(recovered);
      recovered = lines.length;
      const isCut = data.truncatedAt >= 0 || data.diagnostics.entries().length > 0;
      expect(isCut, `${length} bytes`).toBe(length < bytes.length);
    }
    expect(recovered).toBe(built.records.length);
  });

  test('a record cut by the end of the file is reported by its offset', () => {
    const built = smallFile();
    const bytes = perfDataFile(built);
    const cutAt = bytes.length - sectionBytes(built) - 12;
    const data = openPerfData(memorySource(bytes.slice(0, cutAt)));
    expect(walkTypes(data).length).toBe(6);
    const lastRecord = cutAt + 12 - 40;
    expect([data.truncatedAt, data.skippedBytes]).toEqual([lastRecord, 28]);
  });

  test('a killed recorder leaves a data size of 0: the records are read to the end', () => {
    const bytes = perfDataFile({ ...smallFile(), features: [], dataSize: 0 });
    // Feature bits are set at the start of a recording, long before their sections exist.
    viewOf(bytes).setUint8(72, 0b1000);
    const data = openPerfData(memorySource(bytes));
    expect(walkTypes(data).length).toBe(7);
    expect(data.sections.names).toEqual([]);
    expect(data.diagnostics.entries().map(({ code }) => code)).toEqual(['recording-unfinished']);
  });

  test('an empty recording with its sections is not taken for a killed one', () => {
    const data = openPerfData(memorySource(perfDataFile({ ...smallFile(), records: [] })));
    expect(walkTypes(data)).toEqual([]);
    expect(data.features.hostname).toBe('some-host');
    expect(data.diagnostics.entries()).toEqual([]);
  });

  test('an impossible record header ends the walk and is reported', () => {
    const built = smallFile();
    const bytes = perfDataFile({
      ...built,
      records: [...built.records.slice(0, 2), new Uint8Array(16), ...built.records.slice(2)],
    });
    const data = openPerfData(memorySource(bytes));
    const end = walkRecords(data, { record: () => {} });
    expect([end.records, end.skippedBytes, end.truncatedAt]).toEqual([2, 16 + 3 * 40 + 2 * 8, -1]);
    const [entry] = data.diagnostics.entries();
    expect(entry).toMatchObject({
      code: 'record-header-damaged',
      count: 1,
      detail: `at 0x${end.badRecordAt.toString(16)}, 152 bytes skipped`,
    });
  });

  test('the data behind an AUXTRACE record is skipped', () => {
    const aux = concat(
      record(PERF_RECORD.AUXTRACE, 0, (out) => out.u64(24).zeros(32)),
      new Uint8Array(24).fill(0xff),
    );
    const sample = plainSample({ id: 5, ip: 1, pid: 1, tid: 1, time: 1 });
    const whole = openPerfData(
      memorySource(perfDataFile({ ...smallFile(), records: [aux, sample] })),
    );
    expect(walkTypes(whole)).toEqual(['AUXTRACE', 'SAMPLE']);
    const cut = perfDataFile({ ...smallFile(), features: [], records: [aux.slice(0, 60)] });
    const data = openPerfData(memorySource(cut));
    walkTypes(data);
    expect(data.truncatedAt).toBe(data.dataOffset);
  });

  test('a damaged section is counted and does not harm the others', () => {
    const built = smallFile();
    const huge = new ByteWriter().u32(0xffff_ffff).finish();
    const bytes = perfDataFile({
      ...built,
      features: [
        [3, textSection('some-host', true)],
        [4, huge],
        [11, huge],
        [12, concat(new ByteWriter().u32(0x1000_0000).u32(128).finish(), new Uint8Array(200))],
        [16, huge],
      ],
    });
    const data = openPerfData(memorySource(bytes));
    expect(data.features).toMatchObject({
      hostname: 'some-host',
      osRelease: null,
      commandLine: null,
      eventDescriptions: null,
      pmuMappings: null,
    });
    expect(data.attrs.map(({ name }) => name)).toEqual([null, null]);
    expect(data.diagnostics.entries()).toMatchObject(
      ['OSRELEASE', 'CMDLINE', 'EVENT_DESC', 'PMU_MAPPINGS'].map((subject) => ({
        code: 'header-section-unreadable',
        subject,
      })),
    );
  });

  test('a section that reaches past the end of the file is left out', () => {
    const bytes = perfDataFile(smallFile());
    const cut = bytes.slice(0, bytes.length - 1);
    const data = openPerfData(memorySource(cut));
    expect(data.sections.names).toEqual(['HOSTNAME']);
    expect(data.diagnostics.entries()).toMatchObject([{ code: 'header-section-cut', count: 1 }]);
  });

  test('the first magic, PERFFILE, is read in both byte orders', () => {
    for (const littleEndian of [true, false]) {
      const bytes = perfDataFile(smallFile(littleEndian));
      bytes.set(new TextEncoder().encode('PERFFILE'));
      expect(dump(openPerfData(memorySource(bytes)))).toEqual(SMALL_DUMP);
    }
  });

  test('feature bits of a 32-bit big-endian machine are found', () => {
    const bytes = perfDataFile(smallFile(false));
    const view = viewOf(bytes);
    // The same bits in words of 32 bits: the halves of each 64-bit word change places.
    const [high, low] = [view.getUint32(72), view.getUint32(76)];
    view.setUint32(72, low);
    view.setUint32(76, high);
    expect(openPerfData(memorySource(bytes)).sections.names).toEqual(['HOSTNAME', 'EVENT_DESC']);
  });
});

describe('perf.data pipe', () => {
  const describing = [
    record(PERF_RECORD.HEADER_ATTR, 0, (out) => out.bytes(encodeAttr(attr)).u64(5).u64(6)),
    record(PERF_RECORD.HEADER_ATTR, 0, (out) => out.bytes(encodeAttr(attr)).u64(7)),
    record(PERF_RECORD.EVENT_UPDATE, 0, (out) => out.u64(2).u64(6).text('cpu-clock').zeros(7)),
    record(PERF_RECORD.EVENT_UPDATE, 0, (out) => out.u64(2).u64(7).text('page-faults:u').zeros(3)),
    record(PERF_RECORD.HEADER_FEATURE, 0, (out) =>
      out.u64(3).bytes(textSection('some-host', true)),
    ),
    record(PERF_RECORD.HEADER_FEATURE, 0, (out) => out.u64(32)),
    record(PERF_RECORD.HEADER_BUILD_ID, 2, (out) =>
      out.u32(0xffff_ffff).zeros(20).u32(0).text('/bin/ls\0'),
    ),
    concat(
      record(PERF_RECORD.HEADER_TRACING_DATA, 0, (out) => out.u32(16)),
      new TextEncoder().encode('tracing data 16 '),
    ),
  ];
  const header = new ByteWriter().text('PERFILE2').u64(16).finish();

  test('events, names and features come from records', () => {
    const bytes = concat(header, ...describing, ...smallFile().records);
    const data = openPerfData(memorySource(bytes));
    expect(data.pipe).toBe(true);
    expect(dump(data).slice(-7)).toEqual(SMALL_DUMP);
    expect(data.sections.names).toEqual(['TRACING_DATA', 'HOSTNAME']);
    expect(new TextDecoder().decode(data.sections.bytes(1)!)).toBe('tracing data 16 ');
    expect(data.features.hostname).toBe('some-host');
    expect(data.features.buildIds).toEqual([
      { pid: -1, cpuMode: 2, buildId: '00'.repeat(20), filename: '/bin/ls' },
    ]);
    expect(data.diagnostics.entries()).toEqual([]);
  });

  test('describing records that are too short are counted', () => {
    const bytes = concat(
      header,
      describing[0],
      record(PERF_RECORD.HEADER_ATTR, 0, (out) => out.u64(1)),
      record(PERF_RECORD.EVENT_UPDATE, 0, (out) => out.u64(2)),
    );
    const data = openPerfData(memorySource(bytes));
    expect(data.attrs.length).toBe(1);
    expect(data.diagnostics.entries()).toMatchObject([
      { code: 'describing-record-unreadable', subject: 'HEADER_ATTR' },
      { code: 'describing-record-unreadable', subject: 'EVENT_UPDATE' },
    ]);
  });

  test('a pipe cut at any byte reports the cut only', () => {
    const bytes = concat(header, ...describing, ...smallFile().records);
    let recovered = 0;
    for (let length = 16; length <= bytes.length; length++) {
      const data = openPerfData(memorySource(bytes.slice(0, length)));
      const records = walkTypes(data).length;
      expect(records).toBeGreaterThanOrEqual(recovered);
      recovered = records;
      const counted = data.diagnostics.entries();
      expect(counted.filter(({ code }) => code !== 'pipe-without-events')).toEqual([]);
    }
    expect(recovered).toBe(describing.length + 7);
  });
});

function walkTypes(data: PerfData): string[] {
  const types: string[] = [];
  walkRecords(data, {
    record: (record) => {
      const { type } = record;
      types.push(recordTypeName(type));
    },
  });
  return types;
}

function sectionBytes(built: BuiltFile): number {
  return (built.features ?? []).reduce((sum, [, bytes]) => sum + 16 + bytes.length, 0);
}
