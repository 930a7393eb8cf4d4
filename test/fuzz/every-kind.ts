// Recordings in which every kind of record, field of a sample and section of the header is there: what their
// numbers are, `number-fields.ts` finds and replaces.

import { ByteWriter } from '../../src/base/byte-writer.ts';
import { encodeAppendix } from '../../src/formats/perf-data/appendix.ts';
import { encodeTracingData } from '../../src/formats/perf-data/encode-tracing-data.ts';
import {
  buildIdSection,
  clockDataSection,
  clockResolutionSection,
  commandLineSection,
  compressionSection,
  cpuCountsSection,
  type EncodedEvent,
  eventDescriptionSection,
  groupsSection,
  hostnameSection,
  hybridTopologySection,
  pmuCapabilitiesSections,
  pmuMappingsSection,
  sampleTimeSection,
  totalMemorySection,
  writeString,
} from '../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { type EventAttr, encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_FORMAT,
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
  PERF_SAMPLE_MAX,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { WAKE_UP_EVENT } from '../../src/profile/off-cpu/switch-pairs.ts';
import { OFF_CPU_EVENT } from '../../src/profile/wait-event.ts';
import { concat, perfDataFile, record } from '../helpers/record-builder.ts';
import { compressedRecords } from '../helpers/recordings.ts';
import { repositoryFiles } from './repository.ts';

const { IDENTIFIER, IP, TID, TIME, CPU, PERIOD, RAW, WEIGHT, ID, STREAM_ID } = PERF_SAMPLE;
const USER_CODE = 0x40_1000;
const KERNEL_CODE = 0xffff_ffff_8100_1000n;
const STACK = 0x7ffe_0000_0000n;
const TRACEPOINT = 2;
const PID = 2 ** 22 + 10;

type Event = {
  readonly name: string;
  readonly attr: EventAttr;
  readonly ids: readonly number[];
};

/** All fields of a sample but WEIGHT, in whose place WEIGHT_STRUCT is. */
const WIDE = newAttr({
  samplePeriod: 4000,
  sampleType: (PERF_SAMPLE_MAX - 1) & ~WEIGHT,
  readFormat:
    PERF_FORMAT.TOTAL_TIME_ENABLED |
    PERF_FORMAT.TOTAL_TIME_RUNNING |
    PERF_FORMAT.ID |
    PERF_FORMAT.GROUP |
    PERF_FORMAT.LOST,
  branchSampleType: BigInt(
    PERF_SAMPLE_BRANCH.USER | PERF_SAMPLE_BRANCH.CALL_STACK | PERF_SAMPLE_BRANCH.HW_INDEX,
  ),
  sampleRegsUser: 0xff0fffn,
  sampleRegsIntr: 0x3n,
  sampleStackUser: 64,
  flags: { freq: true, sampleIdAll: true, inherit: true, contextSwitch: true, mmap2: true },
});

/** Whose samples weigh what threads waited, with its tracepoint's fields; whose wake-ups end waits. */
const WAIT = newAttr({
  type: TRACEPOINT,
  config: 310n,
  samplePeriod: 1,
  sampleType: IDENTIFIER | IP | TID | TIME | ID | STREAM_ID | CPU | PERIOD | RAW,
  flags: { sampleIdAll: true, inherit: true },
});

const EVENTS: readonly Event[] = [
  { name: 'cycles:u', attr: WIDE, ids: [5, 6] },
  { name: 'instructions', attr: { ...WIDE, config: 1n, samplePeriod: 0 }, ids: [7, 8] },
  { name: OFF_CPU_EVENT, attr: WAIT, ids: [9] },
  { name: WAKE_UP_EVENT, attr: { ...WAIT, config: 313n }, ids: [10] },
];

/** Differences between the recordings of `everyKind`. */
type Way = { readonly littleEndian: boolean; readonly pipe: boolean; readonly packed: boolean };

/** The same recording as a file, a pipe, compressed, and of a machine of the other byte order. */
export function everyKind(): Uint8Array[] {
  return [
    drawn({ littleEndian: true, pipe: false, packed: false }),
    drawn({ littleEndian: true, pipe: true, packed: false }),
    drawn({ littleEndian: true, pipe: false, packed: true }),
    drawn({ littleEndian: false, pipe: false, packed: false }),
  ];
}

function drawn({ littleEndian, pipe, packed }: Way): Uint8Array {
  const records = [...sideband(littleEndian), ...samples(littleEndian)];
  const inside = packed ? compressedRecords(records, littleEndian) : records;
  const features = sections(littleEndian, packed);
  const user = recordsOfTools(littleEndian);
  if (pipe) return pipeOf([...user, ...inside], features);
  const attrs = EVENTS.map(({ attr, ids }) => ({ attr, ids }));
  const file = perfDataFile({ littleEndian, attrs, records: [...user, ...inside], features });
  return concat(file, ...encodeAppendix(ATTACHMENTS));
}

/** A map and a note, as `record` keeps them. */
const ATTACHMENTS = [
  ['perf-map/4194314', '401000 40 JS:*hot /srv/app.js:3:9\n401040 20 JS:~cold /srv/app.js:9:1\n'],
  ['provenance.json', '{"schema":"perf-ts/provenance@1"}'],
].map(([name, text]) => {
  const bytes = new TextEncoder().encode(text);
  return { name, packing: 'none' as const, unpackedSize: bytes.length, bytes };
});

/** Every record of the kernel that is no sample. */
function sideband(littleEndian: boolean): Uint8Array[] {
  const { sampleType } = WIDE;
  const encoder = new RecordEncoder({ littleEndian, sampleType, sampleIdAll: true });
  const end = { pid: PID, tid: PID, time: 50, id: 5, streamId: 5, cpu: 1 };
  const task = { pid: PID, parentPid: 1, tid: PID, parentTid: 1 };
  const mapped = { pid: PID, tid: PID, length: 0x4000, fileOffset: 0x1000 };
  const { SWITCH_OUT } = PERF_RECORD_MISC;
  const other = (type: number, misc: number, build: (out: ByteWriter) => void) =>
    encoder.record(type, misc, build, end);
  return [
    encoder.mmap(
      {
        pid: -1,
        tid: 0,
        address: 0xffff_ffff_8100_0000n,
        length: 0x100_0000,
        fileOffset: 0xffff_ffff_8100_0000n,
        filename: '[kernel.kallsyms]_text',
        cpuMode: PERF_RECORD_MISC.KERNEL,
      },
      end,
    ),
    encoder.comm({ pid: PID, tid: PID, comm: 'drawn', isExec: true }, end),
    encoder.mmap({ ...mapped, address: 0x50_0000, filename: '/nowhere/lib' }, end),
    encoder.mmap2(
      { ...mapped, address: 0x40_0000, filename: '/nowhere/app', prot: 5, flags: 2 },
      end,
    ),
    encoder.mmap2(
      {
        ...mapped,
        address: 0x60_0000,
        filename: '/nowhere/with-id',
        prot: 5,
        flags: 2,
        buildId: 'ab'.repeat(20),
      },
      end,
    ),
    encoder.fork({ ...task, pid: PID + 1, tid: PID + 1, parentPid: PID, parentTid: PID }, end),
    encoder.lost(5, 3, end),
    encoder.lostSamples(2, end),
    ...[PERF_RECORD.THROTTLE, PERF_RECORD.UNTHROTTLE].map((type) =>
      other(type, 0, (out) => out.u64(60).u64(5).u64(5)),
    ),
    other(PERF_RECORD.READ, 0, (out) => readValues(out.u32(PID).u32(PID))),
    other(PERF_RECORD.AUX, 0, (out) => out.u64(0).u64(64).u64(1)),
    other(PERF_RECORD.ITRACE_START, 0, (out) => out.u32(PID).u32(PID)),
    other(PERF_RECORD.SWITCH, SWITCH_OUT, () => {}),
    encoder.namespaces({ pid: PID, tid: PID, links: [{ device: 4n, inode: 40n }] }, end),
    other(PERF_RECORD.KSYMBOL, 0, (out) =>
      out.u64(0xffff_ffff_c000_0000n).u32(256).u16(1).u16(0).text('bpf_prog_1').zeros(6),
    ),
    other(PERF_RECORD.BPF_EVENT, 0, (out) => out.u16(1).u16(0).u32(7).zeros(8)),
    encoder.cgroup({ cgroupId: 33n, path: '/a.slice' }, end),
    other(PERF_RECORD.TEXT_POKE, 0, (out) => out.u64(KERNEL_CODE).u16(2).u16(2).zeros(4)),
    other(PERF_RECORD.AUX_OUTPUT_HW_ID, 0, (out) => out.u64(1)),
    other(PERF_RECORD.CALLCHAIN_DEFERRED, 0, (out) =>
      out
        .u64(77)
        .u64(2)
        .u64(-512)
        .u64(USER_CODE + 4),
    ),
    encoder.exit({ ...task, pid: PID + 1, tid: PID + 1 }, { ...end, time: 900 }),
  ];
}

/** `read_format` of `WIDE`: nr, the times, then value, ID and losses of each event of the group. */
function readValues(out: ByteWriter, scale = 1): ByteWriter {
  out
    .u64(2)
    .u64(1000 * scale)
    .u64(900 * scale);
  return out
    .u64(4000 * scale)
    .u64(5)
    .u64(0)
    .u64(900 * scale)
    .u64(7)
    .u64(0);
}

/** Samples of each event, a wait with its end, and rounds between them. */
function samples(littleEndian: boolean): Uint8Array[] {
  const encoder = new RecordEncoder({
    littleEndian,
    sampleType: WIDE.sampleType,
    sampleIdAll: true,
  });
  const result: Uint8Array[] = [];
  for (let i = 0; i < 8; i++) {
    const time = 100 + 100 * i;
    const id = 5 + (i & 1);
    result.push(
      record(
        PERF_RECORD.SAMPLE,
        i < 6 ? 2 : 1,
        (out) => wideSample(out, id, time, i),
        littleEndian,
      ),
    );
    if (i % 4 === 1) {
      result.push(
        record(PERF_RECORD.SAMPLE, 1, (out) => waitSample(out, 9, time + 1), littleEndian),
      );
      result.push(
        record(PERF_RECORD.SAMPLE, 1, (out) => waitSample(out, 10, time + 20), littleEndian),
      );
      const end = { pid: PID, tid: PID, time: time + 30, id: 5, streamId: 5, cpu: 1 };
      result.push(
        encoder.record(PERF_RECORD.SWITCH_CPU_WIDE, 0, (out) => out.u32(0).u32(0), end),
        record(PERF_RECORD.FINISHED_ROUND, 0, () => {}, littleEndian),
      );
    }
  }
  return result;
}

function wideSample(out: ByteWriter, id: number, time: number, row: number): void {
  out
    .u64(id)
    .u64(USER_CODE + 8 * row)
    .u32(PID)
    .u32(PID)
    .u64(time)
    .u64(0x1234);
  out.u64(id).u64(id).u32(1).u32(0).u64(4000);
  readValues(out, row + 1);
  out
    .u64(6)
    .u64(-128)
    .u64(KERNEL_CODE)
    .u64(-512)
    .u64(USER_CODE + 8 * row)
    .u64(USER_CODE + 0x100);
  out.u64(0x60_0010);
  out.u32(12).zeros(12);
  out.u64(2).u64(1);
  for (let i = 0; i < 2; i++)
    out
      .u64(USER_CODE + 16 * i)
      .u64(USER_CODE + 32)
      .u64(1);
  out.u64(2);
  for (let register = 0; register < 20; register++) out.u64(STACK);
  out.u64(64);
  for (let word = 0; word < 8; word++) out.u64(USER_CODE + 0x40 + word);
  out.u64(48);
  out.u32(7).u16(8).u16(9).u64(0x68100142).u64(1).u64(2).u64(STACK).u64(USER_CODE);
  out.u64(0x1000).u64(33).u64(4096).u64(4096).u64(16).zeros(16);
}

/** A sample of `sched:sched_switch` or `sched:sched_waking`, whose raw data is the fields of the first. */
function waitSample(out: ByteWriter, id: number, time: number): void {
  out.u64(id).u64(KERNEL_CODE).u32(PID).u32(PID).u64(time).u64(id).u64(id).u32(1).u32(0).u64(1);
  out
    .u32(68)
    .u16(id === 9 ? 310 : 313)
    .u16(0)
    .u32(PID);
  out
    .text('drawn')
    .zeros(11)
    .u32(PID)
    .u32(120)
    .u64(1)
    .text('other')
    .zeros(11)
    .u32(2)
    .u32(120)
    .zeros(4);
}

/** Records that tools write, not the kernel. */
function recordsOfTools(littleEndian: boolean): Uint8Array[] {
  const make = (type: number, build: (out: ByteWriter) => void) =>
    record(type, 0, (out) => build(out), littleEndian);
  const update = (kind: number, build: (out: ByteWriter) => void) =>
    make(PERF_RECORD.EVENT_UPDATE, (out) => build(out.u64(kind).u64(5)));
  return [
    make(PERF_RECORD.HEADER_EVENT_TYPE, (out) => out.u64(1).text('cycles').zeros(58)),
    make(PERF_RECORD.HEADER_BUILD_ID, (out) =>
      out.u32(PID).zeros(24).text('/nowhere/app').zeros(4),
    ),
    make(PERF_RECORD.ID_INDEX, (out) => out.u64(1).u64(5).u64(0).u64(1).u64(PID)),
    make(PERF_RECORD.AUXTRACE_INFO, (out) => out.u32(1).u32(0).u64(0)),
    make(PERF_RECORD.AUXTRACE_ERROR, (out) => out.zeros(20).u32(1).u64(1).u64(2).zeros(64)),
    make(PERF_RECORD.THREAD_MAP, (out) => out.u64(1).u64(PID).text('drawn').zeros(11)),
    make(PERF_RECORD.CPU_MAP, (out) => out.u16(0).u16(2).u16(0).u16(1)),
    make(PERF_RECORD.CPU_MAP, (out) => out.u16(1).zeros(2).u16(1).u16(8).zeros(4).u64(3)),
    make(PERF_RECORD.CPU_MAP, (out) => out.u16(2).u8(0).u8(0).u16(0).u16(3)),
    make(PERF_RECORD.STAT_CONFIG, (out) => out.u64(1).u64(0).u64(2)),
    make(PERF_RECORD.STAT, (out) => out.u64(5).u32(0).u32(0).u64(9).u64(10).u64(10)),
    make(PERF_RECORD.STAT_ROUND, (out) => out.u64(1).u64(100)),
    update(0, (out) => out.text('ns').zeros(6)),
    update(1, (out) => out.u64(1)),
    update(2, (out) => out.text('cycles').zeros(2)),
    update(3, (out) => out.u16(0).u16(1).u16(0).u16(0)),
    make(PERF_RECORD.TIME_CONV, (out) => out.u64(1).u64(2).u64(3).u64(4).u64(5).u64(1)),
    make(PERF_RECORD.FINISHED_INIT, () => {}),
    make(PERF_RECORD.BPF_METADATA, (out) => out.zeros(512).u64(0)),
    make(PERF_RECORD.SCHEDSTAT_CPU, (out) => out.u64(1).u32(0).u16(15).u16(0)),
    make(PERF_RECORD.SCHEDSTAT_DOMAIN, (out) => out.u64(1).u32(0).u16(15).u16(0)),
  ];
}

/** The header's sections by number. */
function sections(littleEndian: boolean, packed: boolean): [number, Uint8Array][] {
  const encoded = EVENTS.map(
    ({ attr, name, ids }): EncodedEvent => ({
      attrBytes: encodeAttr(attr, littleEndian),
      name,
      ids,
    }),
  );
  const both = [
    hostnameSection('drawn', littleEndian),
    eventDescriptionSection(encoded, littleEndian),
    commandLineSection(['perf-ts', 'record'], littleEndian),
    buildIdSection(
      [{ pid: -1, cpuMode: 1, buildId: 'cd'.repeat(20), filename: '[kernel.kallsyms]' }],
      littleEndian,
    ),
    sampleTimeSection(100n, 900n, littleEndian),
    { feature: FEATURE.TRACING_DATA, bytes: tracingData(littleEndian) },
    { feature: FEATURE.CPU_TOPOLOGY, bytes: cpuTopology(littleEndian) },
    { feature: FEATURE.NUMA_TOPOLOGY, bytes: numaTopology(littleEndian) },
    { feature: FEATURE.CACHE, bytes: cache(littleEndian) },
    { feature: FEATURE.MEM_TOPOLOGY, bytes: memoryTopology(littleEndian) },
    {
      feature: FEATURE.BPF_PROG_INFO,
      bytes: new ByteWriter(littleEndian).u32(1).zeros(64).finish(),
    },
    {
      feature: FEATURE.BPF_BTF,
      bytes: new ByteWriter(littleEndian).u32(1).u32(7).u32(8).zeros(8).finish(),
    },
  ];
  const littleOnly = [
    cpuCountsSection(4, 4),
    totalMemorySection(1024),
    groupsSection([{ name: '', leaderIndex: 0, memberCount: 2 }]),
    clockResolutionSection(1),
    clockDataSection({ clockId: 1, wallClockNs: 1n, clockNs: 2n }),
    pmuMappingsSection([{ type: 4, name: 'cpu' }]),
    ...pmuCapabilitiesSections([
      { pmu: 'cpu', capabilities: [{ name: 'branches', value: '32' }] },
      { pmu: 'other', capabilities: [{ name: 'x', value: '1' }] },
    ]),
    hybridTopologySection([{ pmu: 'cpu_core', cpus: '0-3' }]),
    ...(packed ? [compressionSection({ level: 1, ratio: 2, mmapLength: 4096 })] : []),
  ];
  return [...both, ...(littleEndian ? littleOnly : [])]
    .sort((one, other) => one.feature - other.feature)
    .map(({ feature, bytes }) => [feature, bytes]);
}

function tracingData(littleEndian: boolean): Uint8Array {
  const wanted = new Set(['sched:sched_switch.format', 'sched:sched_wakeup.format']);
  const formats = repositoryFiles('test/kernel/tracepoint/fixtures', '.format')
    .filter(({ name }) => wanted.has(name))
    .map(({ text }, i) => ({
      system: 'sched',
      text: text.replace(/ID: \d+/, `ID: ${i === 0 ? 310 : 313}`),
    }));
  const headerPage = 'field: u64 timestamp;';
  return encodeTracingData({
    headerPage,
    headerEvent: '# head',
    formats,
    pageSize: 4096,
    littleEndian,
  });
}

function cpuTopology(littleEndian: boolean): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(1);
  writeString(out, '0-1');
  out.u32(1);
  writeString(out, '0-1');
  return out.u32(0).u32(0).u32(1).u32(0).u32(1).finish();
}

function numaTopology(littleEndian: boolean): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(1).u32(0).u64(1000).u64(500);
  writeString(out, '0-3');
  return out.finish();
}

function cache(littleEndian: boolean): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(1).u32(1).u32(1).u32(64).u32(64).u32(8);
  for (const text of ['Data', '32K', '0-1']) writeString(out, text);
  return out.finish();
}

function memoryTopology(littleEndian: boolean): Uint8Array {
  return new ByteWriter(littleEndian)
    .u64(1)
    .u64(0x800_0000)
    .u64(1)
    .u64(0)
    .u64(8)
    .u64(64)
    .u64(255)
    .finish();
}

function pipeOf(records: readonly Uint8Array[], features: readonly [number, Uint8Array][]) {
  const { HEADER_ATTR, HEADER_FEATURE, HEADER_TRACING_DATA } = PERF_RECORD;
  const tracing = features.find(([feature]) => feature === FEATURE.TRACING_DATA)?.[1];
  return concat(
    new ByteWriter().text('PERFILE2').u64(16).finish(),
    ...EVENTS.map(({ attr, ids }) =>
      record(HEADER_ATTR, 0, (out) => {
        out.bytes(encodeAttr(attr));
        for (const id of ids) out.u64(id);
      }),
    ),
    ...features
      .filter(([feature]) => feature !== FEATURE.TRACING_DATA)
      .map(([feature, bytes]) =>
        record(HEADER_FEATURE, 0, (out) => out.u64(feature).bytes(bytes).align(8)),
      ),
    ...(tracing === undefined
      ? []
      : [
          record(HEADER_TRACING_DATA, 0, (out) => out.u32(tracing.length).u32(0)),
          new ByteWriter().bytes(tracing).align(8).finish(),
        ]),
    ...records,
  );
}
