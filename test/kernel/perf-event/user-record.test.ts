import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { PERF_RECORD, PERF_RECORD_MISC } from '../../../src/kernel/perf-event/constants.ts';
import {
  decodeUserRecord,
  type UserRecordFields,
} from '../../../src/kernel/perf-event/user-record.ts';
import { record, recordOf } from '../../helpers/record-builder.ts';

type Case = [
  name: keyof typeof PERF_RECORD,
  misc: number,
  write: (out: ByteWriter) => unknown,
  fields: UserRecordFields,
];

const CASES: readonly Case[] = [
  [
    'HEADER_ATTR',
    0,
    (out) => out.u32(1).u32(128).zeros(120).u64(7).u64(8),
    { attrSize: 128, ids: 2 },
  ],
  [
    'HEADER_EVENT_TYPE',
    0,
    (out) => out.u64(3).text('cycles').zeros(58),
    { eventId: 3, name: 'cycles' },
  ],
  ['HEADER_TRACING_DATA', 0, (out) => out.u32(4096), { dataSize: 4096 }],
  [
    'HEADER_BUILD_ID',
    PERF_RECORD_MISC.BUILD_ID_SIZE,
    (out) =>
      out
        .u32(-1 >>> 0)
        .bytes(new Uint8Array(16).fill(0xab))
        .zeros(4)
        .u8(16)
        .zeros(3)
        .text('/bin/a')
        .zeros(2),
    { pid: -1, buildId: 'ab'.repeat(16), filename: '/bin/a' },
  ],
  [
    'HEADER_BUILD_ID',
    0,
    (out) => out.u32(0).bytes(new Uint8Array(20).fill(1)).zeros(4).text('[vdso]').zeros(2),
    { pid: 0, buildId: '01'.repeat(20), filename: '[vdso]' },
  ],
  ['ID_INDEX', 0, (out) => out.u64(1).u64(5).u64(0).u64(0).u64(10), { entries: 1 }],
  ['AUXTRACE_INFO', 0, (out) => out.u32(1).u32(0).u64(9), { tracer: 'intel_pt' }],
  [
    'AUXTRACE',
    0,
    (out) => out.u64(512).u64(64).u64(1).u32(2).u32(10).u32(3).u32(0),
    { dataSize: 512, dataOffset: 64, index: 2, tid: 10, cpu: 3 },
  ],
  [
    'AUXTRACE_ERROR',
    0,
    (out) =>
      out.u32(1).u32(5).u32(2).u32(10).u32(11).u32(1).u64(0x401000).u64(99).text('lost').zeros(60),
    { code: 5, cpu: 2, pid: 10, tid: 11, ip: '0x401000', time: 99, message: 'lost' },
  ],
  [
    'AUXTRACE_ERROR',
    0,
    // Format 0, before 5.0, had no time.
    (out) => out.u32(1).u32(5).u32(2).u32(10).u32(11).u32(0).u64(0x401000).text('lost').zeros(60),
    { code: 5, cpu: 2, pid: 10, tid: 11, ip: '0x401000', message: 'lost' },
  ],
  [
    'THREAD_MAP',
    0,
    (out) => out.u64(2).u64(10).text('app').zeros(13).u64(-1).zeros(16),
    { pids: [10, -1], comms: ['app', ''] },
  ],
  ['CPU_MAP', 0, (out) => out.u16(0).u16(3).u16(0).u16(2).u16(0xffff), { cpus: [0, 2, -1] }],
  ['CPU_MAP', 0, (out) => out.u16(1).u16(2).u16(4).u32(5).u32(1), { cpus: [0, 2, 32] }],
  [
    'CPU_MAP',
    0,
    (out) =>
      out
        .u16(1)
        .u16(1)
        .u16(8)
        .zeros(4)
        .u64((1n << 63n) | 2n),
    { cpus: [1, 63] },
  ],
  ['CPU_MAP', 0, (out) => out.u16(2).u8(0).u8(0).u16(0).u16(3), { cpus: [0, 1, 2, 3] }],
  ['CPU_MAP', 0, (out) => out.u16(2).u8(1).u8(0).u16(4).u16(5), { cpus: [-1, 4, 5] }],
  [
    'STAT_CONFIG',
    0,
    (out) => out.u64(3).u64(0).u64(1).u64(1).u64(1000).u64(9).u64(4),
    { aggrMode: 1, interval: 1000, term9: 4 },
  ],
  [
    'STAT',
    0,
    (out) => out.u64(7).u32(1).u32(0xffff_ffff).u64(100).u64(60).u64(50),
    { id: 7, cpu: 1, thread: -1, value: 100, timeEnabled: 60, timeRunning: 50 },
  ],
  ['STAT_ROUND', 0, (out) => out.u64(1).u64(77), { round: 'final', time: 77 }],
  [
    'EVENT_UPDATE',
    0,
    (out) => out.u64(0).u64(5).text('Joules').zeros(2),
    { id: 5, unit: 'Joules' },
  ],
  [
    'EVENT_UPDATE',
    0,
    (out) => out.u64(2).u64(5).text('cycles').zeros(2),
    { id: 5, name: 'cycles' },
  ],
  ['EVENT_UPDATE', 0, (out) => out.u64(3).u64(5).u16(0).u16(1).u16(6), { id: 5, cpus: [6] }],
  [
    'TIME_CONV',
    0,
    (out) =>
      out
        .u64(10)
        .u64(366)
        .u64(2n ** 63n)
        .u64(1)
        .u64(0xffn)
        .u8(1)
        .zeros(7),
    { shift: 10, mult: 366, zero: '0x8000000000000000', cycles: '0x1', mask: '0xff' },
  ],
  ['TIME_CONV', 0, (out) => out.u64(10).u64(366).u64(5), { shift: 10, mult: 366, zero: '0x5' }],
  ['HEADER_FEATURE', 0, (out) => out.u64(3).zeros(16), { feature: 3, dataSize: 16 }],
  ['COMPRESSED', 0, (out) => out.zeros(40), { dataSize: 40 }],
  ['COMPRESSED2', 0, (out) => out.u64(37).zeros(40), { dataSize: 37 }],
  [
    'BPF_METADATA',
    0,
    (out) => out.text('prog').zeros(508).u64(1).zeros(320),
    { program: 'prog', entries: 1 },
  ],
  [
    'SCHEDSTAT_CPU',
    0,
    (out) => out.u64(9).u32(1).u16(17).u16(0),
    { timestamp: 9, cpu: 1, version: 17 },
  ],
  [
    'SCHEDSTAT_DOMAIN',
    0,
    (out) => out.u64(9).u32(1).u16(17).u16(2),
    { timestamp: 9, cpu: 1, version: 17, domain: 2 },
  ],
];

function decode(bytes: Uint8Array, type: number, misc: number, littleEndian: boolean) {
  const view = Object.assign(recordOf(bytes, littleEndian), { type, misc });
  return decodeUserRecord(view, littleEndian);
}

describe.each([true, false])('record of perf, little-endian %s', (littleEndian) => {
  test.each(CASES)('%s (misc %i) is decoded', (name, misc, write, fields) => {
    const type = PERF_RECORD[name];
    const bytes = record(type, misc, (out) => void write(out), littleEndian);
    expect(decode(bytes, type, misc, littleEndian)).toEqual(fields);
  });

  test.each(CASES)('%s (misc %i) cut anywhere is not read past its end', (name, misc, write) => {
    const type = PERF_RECORD[name];
    const bytes = record(type, misc, (out) => void write(out), littleEndian);
    for (let length = 8; length < bytes.length; length++) {
      // The view ends with the record: a read beyond it would throw.
      const cut = bytes.slice(0, length);
      expect(() => decode(cut, type, misc, littleEndian), `${length} bytes`).not.toThrow();
    }
  });
});

test('a scale is a double', () => {
  const bytes = record(PERF_RECORD.EVENT_UPDATE, 0, (out) => {
    const scale = new DataView(new ArrayBuffer(8));
    scale.setFloat64(0, 2.5e-10, true);
    out.u64(1).u64(5).u64(scale.getBigUint64(0, true));
  });
  expect(decode(bytes, PERF_RECORD.EVENT_UPDATE, 0, true)).toEqual({ id: 5, scale: 2.5e-10 });
});

test('user records without fields or name decode to null', () => {
  for (const type of [PERF_RECORD.FINISHED_ROUND, PERF_RECORD.FINISHED_INIT, 200, 32768]) {
    expect(
      decode(
        record(type, 0, (out) => void out.u64(1)),
        type,
        0,
        true,
      ),
    ).toBeNull();
  }
});

test('user records with impossible counts are refused', () => {
  for (const [type, write] of [
    [PERF_RECORD.THREAD_MAP, (out: ByteWriter) => out.u64(2n ** 60n).zeros(24)],
    [PERF_RECORD.STAT_CONFIG, (out: ByteWriter) => out.u64(2).zeros(16)],
    [PERF_RECORD.CPU_MAP, (out: ByteWriter) => out.u16(0).u16(0xffff).u32(0)],
    [PERF_RECORD.CPU_MAP, (out: ByteWriter) => out.u16(1).u16(0xffff).u16(8).u32(0)],
    [PERF_RECORD.CPU_MAP, (out: ByteWriter) => out.u16(1).u16(1).u16(3).u32(0)],
  ] as const) {
    const bytes = record(type, 0, (out) => void write(out));
    expect(decode(bytes, type, 0, true), `type ${type}`).toBeNull();
  }
});
