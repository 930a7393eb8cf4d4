import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  archSection,
  buildIdSection,
  clockDataSection,
  clockResolutionSection,
  commandLineSection,
  cpuCountsSection,
  cpuDescriptionSection,
  cpuIdSection,
  eventDescriptionSection,
  type FeatureSection,
  groupsSection,
  hostnameSection,
  osReleaseSection,
  pmuMappingsSection,
  sampleTimeSection,
  totalMemorySection,
  tracingDataSection,
  versionSection,
} from '../../../src/formats/perf-data/feature-encoders.ts';
import { DATA_SIZE_OFFSET, FEATURE_FLAGS_OFFSET } from '../../../src/formats/perf-data/header.ts';
import {
  encodeEventName,
  encodeHeaderAttr,
  encodeHeaderBuildIds,
  encodeHeaderFeature,
  encodeHeaderTracingData,
  encodePipeHeader,
} from '../../../src/formats/perf-data/pipe-writer.ts';
import { openPerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../../src/formats/perf-data/writer.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { concat, viewOf } from '../../helpers/record-builder.ts';

// IDENTIFIER, IP, TID, TIME
const SAMPLE_TYPE = 0x10007;

// Attrs of different sizes: 64 and 96 bytes.
const events = [
  {
    name: 'cpu-clock:u',
    attr: newAttr({ type: 1, sampleType: SAMPLE_TYPE, samplePeriod: 250_000 }),
    ids: [21n, 22n],
  },
  {
    name: 'page-faults',
    attr: newAttr({
      type: 1,
      config: 2n,
      sampleType: SAMPLE_TYPE,
      clockid: 1,
      flags: { useClockid: true },
    }),
    ids: [23n],
  },
].map((event) => ({ ...event, attrBytes: encodeAttr(event.attr) }));

const encoder = new RecordEncoder({
  littleEndian: true,
  sampleType: SAMPLE_TYPE,
  sampleIdAll: false,
});
/** The end of a round: type 68, misc 0, 8 bytes. */
const FINISHED_ROUND = Uint8Array.of(68, 0, 0, 0, 0, 0, 8, 0);
const records = concat(encoder.comm({ pid: 1, tid: 1, comm: 'init' }), FINISHED_ROUND);

/** What the recorder does: prefix, records, sections, then size and flags into the header. */
function wholeFile(sections: readonly FeatureSection[]): Uint8Array {
  const { bytes, dataOffset } = encodePrefix({ attrs: events });
  const end = encodeFeatures(dataOffset + records.length, sections);
  const file = concat(bytes, records, end.bytes);
  viewOf(file).setBigUint64(DATA_SIZE_OFFSET, BigInt(records.length), true);
  file.set(end.flags, FEATURE_FLAGS_OFFSET);
  return file;
}

const open = (bytes: Uint8Array) => openPerfData(memorySource(bytes));

describe('writer', () => {
  test('a file without sections has its events, all in the size of the largest', () => {
    const data = open(wholeFile([]));
    expect(data.attrs.map(({ attr, ids }) => ({ attr, ids }))).toEqual([
      { attr: { ...events[0].attr, size: 96 }, ids: [21, 22] },
      { attr: { ...events[1].attr, size: 96 }, ids: [23] },
    ]);
    expect(walkRecords(data, { record: () => {} }).records).toBe(2);
    expect(data.diagnostics.entries()).toEqual([]);
  });

  test('a prefix whose recorder was killed before it ended is read to the end', () => {
    const { bytes } = encodePrefix({ attrs: events });
    const data = open(concat(bytes, records));
    expect(walkRecords(data, { record: () => {} }).records).toBe(2);
  });

  test('every section is read back as it was given, in whatever order they come', () => {
    const buildIds = [
      { pid: -1, cpuMode: 1, buildId: 'ab'.repeat(20), filename: '[kernel.kallsyms]' },
      { pid: -1, cpuMode: 2, buildId: 'cd'.repeat(16), filename: '/usr/lib/libc.so.6' },
    ];
    const groups = [{ name: '', leaderIndex: 0, memberCount: 2 }];
    const pmuMappings = [
      { type: 1, name: 'software' },
      { type: 4, name: 'cpu' },
    ];
    const clockData = { clockId: 1, wallClockNs: 1_700_000_000_123_456_789n, clockNs: 2n ** 60n };
    const commandLine = ['perf-ts', 'record', '--', './app', '', 'a b', 'ünïcode'];
    const sections = [
      clockDataSection(clockData),
      hostnameSection('host'),
      osReleaseSection('6.18.1'),
      versionSection('perf-ts 0.1.0'),
      archSection('x86_64'),
      cpuCountsSection(8, 6),
      cpuDescriptionSection('Some CPU @ 2 GHz'),
      cpuIdSection('GenuineIntel,6,85,7'),
      totalMemorySection(24_684_096),
      commandLineSection(commandLine),
      eventDescriptionSection(events),
      buildIdSection(buildIds),
      groupsSection(groups),
      pmuMappingsSection(pmuMappings),
      sampleTimeSection(2n ** 53n + 1n, 2n ** 53n + 2n),
      clockResolutionSection(1),
    ];
    const data = open(wholeFile(sections));
    expect(data.diagnostics.entries()).toEqual([]);
    expect(data.features).toEqual({
      hostname: 'host',
      osRelease: '6.18.1',
      version: 'perf-ts 0.1.0',
      arch: 'x86_64',
      cpusAvailable: 8,
      cpusOnline: 6,
      cpuDescription: 'Some CPU @ 2 GHz',
      cpuId: 'GenuineIntel,6,85,7',
      totalMemoryKb: 24_684_096,
      commandLine,
      eventDescriptions: events.map(({ attr, name, ids }) => ({
        attr: { ...attr, size: 96 },
        name,
        ids: ids.map(Number),
      })),
      buildIds,
      cpuTopology: null,
      groups,
      pmuMappings,
      sampleTime: { first: 2n ** 53n + 1n, last: 2n ** 53n + 2n },
      clockResolutionNs: 1,
      clockData,
      compression: null,
      directoryVersion: null,
      numaNodes: null,
      caches: null,
      memoryTopology: null,
      pmuCapabilities: null,
      hybridPmus: null,
    });
    expect(data.attrs.map(({ name }) => name)).toEqual(['cpu-clock:u', 'page-faults']);
  });

  test('any text survives in the header, except what follows a NUL', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 20 }),
        (list) => {
          const args = list.map((text) => text.replaceAll('\0', ''));
          expect(open(wholeFile([commandLineSection(args)])).features.commandLine).toEqual(args);
        },
      ),
    );
  });

  test('a section given twice is refused', () => {
    expect(() => encodeFeatures(0, [archSection('a'), archSection('b')])).toThrow(RangeError);
  });

  test('tracing data has the layout of trace-cmd, version 0.6', () => {
    const { bytes } = tracingDataSection({
      headerPage: 'PAGE',
      headerEvent: 'EVENT',
      pageSize: 4096,
      formats: [
        { system: 'sched', text: 'one' },
        { system: 'irq', text: 'three' },
        { system: 'sched', text: 'two!' },
      ],
    });
    const u32 = (value: number) => String.fromCharCode(value, 0, 0, 0);
    const u64 = (value: number) => `${u32(value)}\0\0\0\0`;
    const expected = [
      '\x17\x08\x44tracing',
      '0.6\0',
      '\0\x08',
      '\0\x10\0\0',
      `header_page\0${u64(4)}PAGE`,
      `header_event\0${u64(5)}EVENT`,
      u32(0),
      u32(2),
      `sched\0${u32(2)}${u64(3)}one${u64(4)}two!`,
      `irq\0${u32(1)}${u64(5)}three`,
      u32(0) + u32(0) + u64(0),
    ];
    expect(String.fromCharCode(...bytes)).toBe(expected.join(''));
  });

  test('a pipe carries the same sections as a file', () => {
    const tracing = tracingDataSection({
      headerPage: '',
      headerEvent: '',
      pageSize: 4096,
      formats: [],
    });
    const pipe = concat(
      encodePipeHeader(),
      ...events.map((event) => encodeHeaderAttr(event)),
      ...events.map(({ ids, name }) => encodeEventName(ids[0], name)),
      encodeHeaderFeature(hostnameSection('host'))!,
      encodeHeaderFeature(eventDescriptionSection(events))!,
      encodeHeaderTracingData(tracing.bytes),
      records,
    );
    const data = open(pipe);
    expect(data.attrs.map(({ name, ids }) => ({ name, ids }))).toEqual([
      { name: 'cpu-clock:u', ids: [21, 22] },
      { name: 'page-faults', ids: [23] },
    ]);
    expect(data.sections.names).toEqual(['TRACING_DATA', 'HOSTNAME', 'EVENT_DESC']);
    expect(data.sections.bytes(1)!.slice(0, tracing.bytes.length)).toEqual(tracing.bytes);
    expect(data.features.hostname).toBe('host');
    expect(walkRecords(data, { record: () => {} }).records).toBe(2 + 2 + 2 + 1 + 2);
    expect(data.truncatedAt).toBe(-1);
  });

  test('a pipe carries build IDs in records of their own', () => {
    const kernel = { pid: -1, cpuMode: 1, buildId: 'ab'.repeat(20), filename: '[kernel.kallsyms]' };
    const program = { pid: -1, cpuMode: 2, buildId: 'cd'.repeat(16), filename: '/usr/bin/node' };
    const section = buildIdSection([kernel, program]);
    const pipe = concat(
      encodePipeHeader(),
      encodeHeaderAttr(events[0]),
      encodeHeaderBuildIds(section),
      encodeHeaderFeature(hostnameSection('host'))!,
    );
    const data = open(pipe);
    expect(data.features.buildIds).toEqual([kernel, program]);
    expect(data.features.hostname).toBe('host');
    expect(() => encodeHeaderFeature(section)).toThrow(RangeError);
  });

  test('data that does not fit into a record of a pipe is left out', () => {
    const large = { feature: 11, bytes: new Uint8Array(70_000) };
    expect(encodeHeaderFeature(large)).toBeNull();
    const ids = BigUint64Array.from({ length: 10_000 }, (_, i) => BigInt(i + 1));
    const record = encodeHeaderAttr({ attrBytes: events[0].attrBytes, ids });
    expect(viewOf(record).getUint16(6, true)).toBe(record.length);
    expect(open(concat(encodePipeHeader(), record)).attrs[0].ids.length).toBe(
      (0xfff8 - 8 - 64) / 8,
    );
  });
});
