import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import { record, recordOf, viewOf } from '../../helpers/record-builder.ts';

const TRAILER = PERF_SAMPLE.TID | PERF_SAMPLE.TIME | PERF_SAMPLE.IDENTIFIER;

function infoWith(sampleType: number, littleEndian = true) {
  const attr = newAttr({ sampleType, readFormat: 3, flags: { sampleIdAll: sampleType !== 0 } });
  return computeParseInfo(attr, littleEndian);
}

function decode(bytes: Uint8Array, sampleType = TRAILER, littleEndian = true) {
  return decodeRecord(recordOf(bytes, littleEndian), infoWith(sampleType, littleEndian));
}

const trailer = (out: ByteWriter) => out.u32(1).u32(2).u64(3).u64(4);

/** Type, misc, fields between header and trailer, expected record. */
const CASES: readonly [
  name: keyof typeof PERF_RECORD,
  misc: number,
  fields: (out: ByteWriter) => void,
  expected: unknown,
][] = [
  [
    'MMAP',
    1,
    (out) =>
      out
        .u32(-1 >>> 0)
        .u32(0)
        .u64(-0x7f00_0000)
        .u64(0x3f00_0000)
        .u64(-0x7f00_0000)
        .text('[kernel.kallsyms]_text\0\0'),
    {
      kind: 'mmap',
      pid: -1,
      tid: 0,
      address: -0x7f00_0000,
      length: 0x3f00_0000,
      fileOffset: -0x7f00_0000,
      filename: '[kernel.kallsyms]_text',
      isData: false,
      cpuMode: 1,
      fileId: null,
      buildId: null,
      prot: 0,
      flags: 0,
    },
  ],
  [
    'MMAP2',
    2,
    (out) =>
      out
        .u32(10)
        .u32(11)
        .u64(0x7f12_3456_7000)
        .u64(0x1000)
        .u64(0x2000)
        .u32(8)
        .u32(1)
        .u64(130_977)
        .u64(0xffff_ffff_ffff_ffffn)
        .u32(5)
        .u32(2)
        .text('/bin/ls\0'),
    {
      kind: 'mmap2',
      pid: 10,
      tid: 11,
      address: 0x7f12_3456_7000,
      length: 0x1000,
      fileOffset: 0x2000,
      filename: '/bin/ls',
      isData: false,
      cpuMode: 2,
      fileId: { major: 8, minor: 1, inode: '130977', inodeGeneration: '18446744073709551615' },
      buildId: null,
      prot: 5,
      flags: 2,
    },
  ],
  [
    'MMAP2',
    2 | (1 << 14) | (1 << 13),
    (out) =>
      out
        .u32(10)
        .u32(11)
        .u64(0x1000)
        .u64(0x1000)
        .u64(0)
        .u8(4)
        .zeros(3)
        .u8(0xde)
        .u8(0xad)
        .u8(0xbe)
        .u8(0xef)
        .zeros(16)
        .u32(1)
        .u32(2)
        .text('/lib/x\0\0'),
    {
      kind: 'mmap2',
      pid: 10,
      tid: 11,
      address: 0x1000,
      length: 0x1000,
      fileOffset: 0,
      filename: '/lib/x',
      isData: true,
      cpuMode: 2,
      fileId: null,
      buildId: 'deadbeef',
      prot: 1,
      flags: 2,
    },
  ],
  [
    'COMM',
    1 << 13,
    (out) => out.u32(10).u32(11).text('wk-2 café\0').zeros(5),
    { kind: 'comm', pid: 10, tid: 11, comm: 'wk-2 café', isExec: true },
  ],
  [
    'FORK',
    0,
    (out) => out.u32(20).u32(10).u32(21).u32(11).u64(99),
    { kind: 'fork', pid: 20, parentPid: 10, tid: 21, parentTid: 11 },
  ],
  [
    'EXIT',
    0,
    (out) => out.u32(20).u32(10).u32(21).u32(11).u64(99),
    { kind: 'exit', pid: 20, parentPid: 10, tid: 21, parentTid: 11 },
  ],
  ['LOST', 0, (out) => out.u64(7).u64(1234), { kind: 'lost', id: 7, lost: 1234 }],
  ['LOST_SAMPLES', 0, (out) => out.u64(55), { kind: 'lostSamples', lost: 55, isFiltered: false }],
  [
    'LOST_SAMPLES',
    1 << 15,
    (out) => out.u64(55),
    { kind: 'lostSamples', lost: 55, isFiltered: true },
  ],
  ['THROTTLE', 0, (out) => out.u64(1).u64(7).u64(8), { kind: 'throttle', id: 7, streamId: 8 }],
  ['UNTHROTTLE', 0, (out) => out.u64(1).u64(7).u64(8), { kind: 'unthrottle', id: 7, streamId: 8 }],
  [
    'READ',
    0,
    (out) => out.u32(10).u32(11).u64(1000).u64(30).u64(20),
    {
      kind: 'read',
      pid: 10,
      tid: 11,
      values: [1000],
      ids: [],
      lost: [],
      timeEnabled: 30,
      timeRunning: 20,
    },
  ],
  [
    'AUX',
    0,
    (out) => out.u64(4096).u64(512).u64(1),
    { kind: 'aux', auxOffset: 4096, auxSize: 512, flags: 1 },
  ],
  ['ITRACE_START', 0, (out) => out.u32(10).u32(11), { kind: 'itraceStart', pid: 10, tid: 11 }],
  ['SWITCH', 1 << 13, () => {}, { kind: 'switch', isOut: true, isPreempted: false }],
  [
    'SWITCH_CPU_WIDE',
    (1 << 13) | (1 << 14),
    (out) => out.u32(10).u32(11),
    { kind: 'switchCpuWide', isOut: true, isPreempted: true, otherPid: 10, otherTid: 11 },
  ],
  [
    'NAMESPACES',
    0,
    (out) => out.u32(10).u32(11).u64(2).u64(4).u64(4026531840).u64(4).u64(4026531838),
    {
      kind: 'namespaces',
      pid: 10,
      tid: 11,
      links: [
        { name: 'net', device: 4, inode: 4026531840 },
        { name: 'uts', device: 4, inode: 4026531838 },
      ],
    },
  ],
  [
    'KSYMBOL',
    0,
    (out) => out.u64(-0x3fff_0000).u32(0x80).u16(1).u16(1).text('bpf_prog_6deef7357e7b4530\0'),
    {
      kind: 'ksymbol',
      address: -0x3fff_0000,
      length: 0x80,
      symbolType: 1,
      isUnregister: true,
      name: 'bpf_prog_6deef7357e7b4530',
    },
  ],
  [
    'BPF_EVENT',
    0,
    (out) => out.u16(1).u16(0).u32(13).u64(0x3045_7b7e_35f7_ee6dn),
    { kind: 'bpfEvent', eventType: 1, flags: 0, programId: 13, tag: '6deef7357e7b4530' },
  ],
  [
    'CGROUP',
    0,
    (out) => out.u64(1).text('/user.slice\0').zeros(4),
    { kind: 'cgroup', id: 1, path: '/user.slice' },
  ],
  [
    'TEXT_POKE',
    0,
    (out) => out.u64(-0x7f00_0000).u16(2).u16(3).text('abcde').zeros(7),
    {
      kind: 'textPoke',
      address: -0x7f00_0000,
      oldBytes: new TextEncoder().encode('ab'),
      newBytes: new TextEncoder().encode('cde'),
    },
  ],
  ['AUX_OUTPUT_HW_ID', 0, (out) => out.u64(3), { kind: 'auxOutputHwId', hwId: '0x3' }],
  [
    'CALLCHAIN_DEFERRED',
    0,
    (out) => out.u64(42).u64(2).u64(-512).u64(0x401000),
    { kind: 'callchainDeferred', cookie: '0x2a', callchain: Float64Array.of(-512, 0x401000) },
  ],
];

describe('record', () => {
  test.each(CASES)('%s (misc %i) is decoded', (name, misc, fields, expected) => {
    const bytes = record(PERF_RECORD[name], misc, (out) => {
      fields(out);
      trailer(out);
    });
    expect(decode(bytes)).toEqual(expected);
    const withoutTrailer = record(PERF_RECORD[name], misc, fields);
    expect(decode(withoutTrailer, 0)).toEqual(expected);
  });

  test.each(CASES)(
    '%s (misc %i) cut anywhere is malformed or loses its end only',
    (name, misc, fields, expected) => {
      const type = PERF_RECORD[name];
      const whole = record(type, misc, fields);
      const { kind } = expected as { kind: string };
      for (let length = 8; length < whole.length; length++) {
        const cut = whole.slice(0, length);
        const decoded = decode(cut, 0);
        expect(['malformed', kind]).toContain(decoded.kind);
      }
      expect(
        decode(
          record(type, misc, () => {}),
          TRAILER,
        ).kind,
      ).toBe('malformed');
    },
  );

  test.each<[string, number, number[], object]>([
    ['a value alone', 0, [1000], { values: [1000], ids: [], lost: [], timeRunning: 0 }],
    ['value, id', 4, [1000, 7], { values: [1000], ids: [7], lost: [] }],
    ['value, lost', 16, [1000, 3], { values: [1000], ids: [], lost: [3] }],
    [
      'value, times, id, lost',
      23,
      [1000, 30, 20, 7, 3],
      { values: [1000], timeEnabled: 30, timeRunning: 20, ids: [7], lost: [3] },
    ],
    ['a group without ids', 8, [2, 1000, 2000], { values: [1000, 2000], ids: [], lost: [] }],
    [
      'a group with everything',
      31,
      [2, 30, 20, 1000, 7, 3, 2000, 8, 4],
      { values: [1000, 2000], timeEnabled: 30, timeRunning: 20, ids: [7, 8], lost: [3, 4] },
    ],
    ['an empty group', 8, [0], { values: [] }],
  ])('READ has the values of its read format: %s', (_, readFormat, words, expected) => {
    const attr = newAttr({ sampleType: TRAILER, readFormat, flags: { sampleIdAll: true } });
    const info = computeParseInfo(attr, true);
    const build = (length: number) =>
      record(PERF_RECORD.READ, 0, (out) => {
        out.u32(10).u32(11);
        for (const word of words.slice(0, length)) out.u64(word);
        trailer(out);
      });
    const back = (bytes: Uint8Array) => decodeRecord(recordOf(bytes), info);
    expect(back(build(words.length))).toMatchObject({
      kind: 'read',
      pid: 10,
      tid: 11,
      ...expected,
    });
    expect(back(build(words.length - 1)).kind).toBe('malformed');
  });

  test('a name without a terminator ends with the record, not in the trailer', () => {
    const bytes = record(PERF_RECORD.COMM, 0, (out) => {
      out.u32(1).u32(1).text('sixteen_bytes_xx');
      out.text('TRAILERSTRAILERSTRAILERS');
    });
    expect(decode(bytes)).toMatchObject({ comm: 'sixteen_bytes_xx' });
  });

  test('MMAP2 of a kernel 3.10 has its file name in place of rights and flags', () => {
    // What CentOS 7 wrote for its libc, but for the trailer.
    const bytes = record(PERF_RECORD.MMAP2, 2, (out) => {
      out.u32(28388).u32(28388).u64(0x7f0226c09000).u64(0x3c1000).u64(0);
      out.u32(0xfd).u32(1).u64(201327386).u64(674321759);
      out.text('/usr/lib64/libc-2.17.so').zeros(1);
    });
    expect(decode(bytes, 0)).toMatchObject({
      kind: 'mmap2',
      filename: '/usr/lib64/libc-2.17.so',
      fileId: { major: 0xfd, minor: 1, inode: '201327386', inodeGeneration: '674321759' },
      prot: 0,
      flags: 0,
    });
    // perf inject writes a file's mode as prot; it is no name, nor would an odd prot be.
    for (const prot of [0o100457, 0x2f]) {
      const injected = record(PERF_RECORD.MMAP2, 2, (out) => {
        out.u32(1).u32(1).zeros(48).u32(prot).u32(1).text('/tmp/jit.so').zeros(5);
      });
      expect(decode(injected, 0)).toMatchObject({ prot, filename: '/tmp/jit.so' });
    }
  });

  test.each([
    // perf 6.1 beside a recording of all CPUs with build IDs, on 6.18.
    [254, 0, 260958, 0],
    [8, 1, 260958, 3],
    [259, 1, 260958, 0],
    [0, 39, 260958, 0],
  ])(
    'MMAP2 has device %i:%i where the mark of a build ID is that of another session',
    (major, minor, inode, generation) => {
      const bytes = record(PERF_RECORD.MMAP2, 2 | (1 << 14), (out) => {
        out.u32(10).u32(11).u64(0x1000).u64(0x1000).u64(0);
        out.u32(major).u32(minor).u64(inode).u64(generation).u32(5).u32(2).text('/lib/x\0\0');
      });
      expect(decode(bytes, 0)).toMatchObject({
        kind: 'mmap2',
        filename: '/lib/x',
        fileId: { major, minor, inode: String(inode), inodeGeneration: String(generation) },
        buildId: null,
        prot: 5,
        flags: 2,
      });
    },
  );

  test('types without a name and records of perf pass through', () => {
    const future = record(60, 0, (out) => out.u64(1));
    expect(decode(future, 0)).toEqual({ kind: 'unknown', type: 60, size: 16 });
    const user = record(PERF_RECORD.FINISHED_ROUND, 0, () => {});
    expect(decode(user)).toEqual({ kind: 'user', type: 68, size: 8 });
  });

  test('records with impossible counts are malformed', () => {
    const namespaces = record(PERF_RECORD.NAMESPACES, 0, (out) => out.u64(0).u64(2n ** 60n));
    expect(decode(namespaces, 0).kind).toBe('malformed');
    const poke = record(PERF_RECORD.TEXT_POKE, 0, (out) => out.u64(0).u16(4).u16(1).u32(0));
    expect(decode(poke, 0).kind).toBe('malformed');
  });
});

describe('record encoder', () => {
  const pid = fc.integer({ min: 0, max: 2 ** 22 });
  const name = fc
    .string({ maxLength: 15, unit: 'grapheme-ascii' })
    .map((s) => s.replaceAll('\0', ''));

  test('an encoded record is decoded again, whatever the trailer and the byte order', () => {
    fc.assert(
      fc.property(pid, pid, name, fc.boolean(), fc.boolean(), (a, b, comm, hasTrailer, little) => {
        const sampleType = hasTrailer ? TRAILER : 0;
        const encoder = new RecordEncoder(infoWith(sampleType, little));
        const back = (bytes: Uint8Array) => decode(bytes, sampleType, little);
        expect(back(encoder.comm({ pid: a, tid: b, comm, isExec: true }))).toEqual({
          kind: 'comm',
          pid: a,
          tid: b,
          comm,
          isExec: true,
        });
        const task = { pid: a, parentPid: b, tid: a, parentTid: b };
        expect(back(encoder.fork(task))).toEqual({ kind: 'fork', ...task });
        expect(back(encoder.exit(task))).toEqual({ kind: 'exit', ...task });
        expect(back(encoder.lostSamples(a))).toMatchObject({ kind: 'lostSamples', lost: a });
        expect(back(encoder.lost(b, a))).toEqual({ kind: 'lost', id: b, lost: a });
        const place = { pid: a, tid: b, address: 0x5555_5555_4000, length: 4096, fileOffset: 8192 };
        expect(back(encoder.mmap({ ...place, filename: comm }))).toMatchObject({
          kind: 'mmap',
          ...place,
          filename: comm,
          cpuMode: 2,
        });
        const buildId = '0123456789abcdef0123456789abcdef01234567';
        const mmap2 = encoder.mmap2({ ...place, filename: comm, prot: 5, flags: 2, buildId });
        expect(back(mmap2)).toMatchObject({ kind: 'mmap2', ...place, buildId, prot: 5, flags: 2 });
      }),
    );
  });

  test('every encoded record is a multiple of 8 bytes and has its size in the header', () => {
    const encoder = new RecordEncoder(infoWith(TRAILER));
    for (let length = 0; length <= 20; length++) {
      const bytes = encoder.comm({ pid: 1, tid: 1, comm: 'x'.repeat(length) });
      expect(bytes.length % 8).toBe(0);
      expect(viewOf(bytes).getUint16(6, true)).toBe(bytes.length);
    }
  });

  test('a name too long for a record is refused', () => {
    const encoder = new RecordEncoder(infoWith(TRAILER));
    expect(() => encoder.comm({ pid: 1, tid: 1, comm: 'x'.repeat(70_000) })).toThrow(RangeError);
    const place = { pid: 1, tid: 1, address: 0, length: 1, fileOffset: 0, filename: 'x' };
    expect(() => encoder.mmap2({ ...place, prot: 0, flags: 0, buildId: 'xyz' })).toThrow(
      RangeError,
    );
  });
});
