import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { record, recordOf, viewOf } from '../../helpers/record-builder.ts';

const START = { high: 1, low: 0xffff_fff0 };
const START_NS = 2n ** 32n + 0xffff_fff0n;

/** One field of a sample: how it is written, and what the decoder must make of it. */
type Field = {
  readonly bit: number;
  write(out: ByteWriter): void;
  expected: Partial<Record<string, unknown>>;
};

// In ABI order. Values are all different, so that no field passes for another.
const FIELDS: readonly Field[] = [
  { bit: PERF_SAMPLE.IDENTIFIER, write: (out) => out.u64(77), expected: { id: 77 } },
  { bit: PERF_SAMPLE.IP, write: (out) => out.u64(0x401136), expected: { ip: 0x401136 } },
  {
    bit: PERF_SAMPLE.TID,
    write: (out) => out.u32(1234).u32(1235),
    expected: { pid: 1234, tid: 1235 },
  },
  {
    bit: PERF_SAMPLE.TIME,
    write: (out) => out.u64(START_NS + 5_000_000_001n),
    expected: { timeNs: 5_000_000_001 },
  },
  {
    bit: PERF_SAMPLE.ADDR,
    write: (out) => out.u64(0x7ffc_1234_5678n),
    expected: { addr: 0x7ffc_1234_5678 },
  },
  { bit: PERF_SAMPLE.ID, write: (out) => out.u64(77), expected: { id: 77 } },
  { bit: PERF_SAMPLE.STREAM_ID, write: (out) => out.u64(78), expected: { streamId: 78 } },
  { bit: PERF_SAMPLE.CPU, write: (out) => out.u32(3).u32(0xdead), expected: { cpu: 3 } },
  { bit: PERF_SAMPLE.PERIOD, write: (out) => out.u64(123_456), expected: { period: 123_456 } },
  {
    bit: PERF_SAMPLE.READ,
    write: (out) => out.u64(9001).u64(9002).u64(9003).u64(9004).u64(9005),
    expected: {
      readCount: 1,
      timeEnabled: 9002,
      timeRunning: 9003,
      value: 9001,
      readId: 9004,
      lost: 9005,
    },
  },
  {
    bit: PERF_SAMPLE.CALLCHAIN,
    write: (out) => out.u64(4).u64(-128).u64(0xffff_ffff_8100_0000n).u64(-512).u64(0x401136),
    expected: { callchain: [-128, -0x7f00_0000, -512, 0x401136], firstOfCallchain: 2 ** 64 },
  },
  {
    bit: PERF_SAMPLE.RAW,
    write: (out) => out.u32(12).text('raw payload.'),
    expected: { raw: 'raw payload.' },
  },
  {
    bit: PERF_SAMPLE.BRANCH_STACK,
    write: (out) =>
      out.u64(2).u64(31).u64(101).u64(102).u64(103).u64(104).u64(105).u64(106).u64(7).u64(8),
    expected: {
      branchCount: 2,
      branchHwIndex: 31,
      firstBranchFrom: 101,
      firstBranchCounter: 7,
    },
  },
  {
    bit: PERF_SAMPLE.REGS_USER,
    write: (out) => out.u64(2).u64(201).u64(202).u64(203),
    expected: { userRegsAbi: 2, userRegsCount: 3, firstUserReg: 201 },
  },
  {
    bit: PERF_SAMPLE.STACK_USER,
    write: (out) => out.u64(16).text('stack bytes 1234').u64(11),
    expected: { stackSize: 16, stackDynamicSize: 11, stack: 'stack bytes' },
  },
  {
    bit: PERF_SAMPLE.WEIGHT,
    write: (out) => out.u64(2n ** 40n + 1n),
    expected: { weight: 2 ** 40 + 1 },
  },
  {
    bit: PERF_SAMPLE.DATA_SRC,
    write: (out) => out.u64(0x1_1234_5678_9abcn),
    expected: { dataSrc: 0x1_1234_5678_9abc },
  },
  {
    bit: PERF_SAMPLE.TRANSACTION,
    write: (out) => out.u64(0xabcd_ef01_0000_0003n),
    expected: { transactionFlags: 3, transactionAbortCode: 0xabcd_ef01 },
  },
  {
    bit: PERF_SAMPLE.REGS_INTR,
    write: (out) => out.u64(1).u64(301).u64(302),
    expected: { interruptRegsAbi: 1, interruptRegsCount: 2, firstInterruptReg: 301 },
  },
  { bit: PERF_SAMPLE.PHYS_ADDR, write: (out) => out.u64(2 ** 50), expected: { physAddr: 2 ** 50 } },
  { bit: PERF_SAMPLE.CGROUP, write: (out) => out.u64(501), expected: { cgroup: 501 } },
  {
    bit: PERF_SAMPLE.DATA_PAGE_SIZE,
    write: (out) => out.u64(4096),
    expected: { dataPageSize: 4096 },
  },
  {
    bit: PERF_SAMPLE.CODE_PAGE_SIZE,
    write: (out) => out.u64(2 ** 21),
    expected: { codePageSize: 2 ** 21 },
  },
  {
    bit: PERF_SAMPLE.AUX,
    write: (out) => out.u64(8).text('aux data'),
    expected: { aux: 'aux data' },
  },
];

const ABSENT = {
  id: -1,
  ip: 0,
  pid: -1,
  tid: -1,
  timeNs: Number.NaN,
  addr: 0,
  streamId: -1,
  cpu: -1,
  period: 1000,
  readCount: 0,
  timeEnabled: 0,
  timeRunning: 0,
  value: null,
  readId: null,
  lost: null,
  callchain: [],
  firstOfCallchain: null,
  raw: null,
  branchCount: 0,
  branchHwIndex: -1,
  firstBranchFrom: null,
  firstBranchCounter: null,
  userRegsAbi: 0,
  userRegsCount: 0,
  firstUserReg: null,
  stackSize: 0,
  stackDynamicSize: 0,
  stack: null,
  weight: 0,
  dataSrc: 0,
  transactionFlags: 0,
  transactionAbortCode: 0,
  interruptRegsAbi: 0,
  interruptRegsCount: 0,
  firstInterruptReg: null,
  physAddr: 0,
  cgroup: -1,
  dataPageSize: 0,
  codePageSize: 0,
  aux: null,
};

function infoFor(sampleType: number, littleEndian = true, readFormat: number = READ_ALL) {
  const attr = newAttr({
    sampleType,
    readFormat,
    samplePeriod: 1000,
    sampleRegsUser: 0b1011n,
    sampleRegsIntr: 0b11n,
    // HW_INDEX and COUNTERS
    branchSampleType: (1n << 17n) | (1n << 19n),
  });
  return computeParseInfo(attr, littleEndian);
}

const READ_ALL =
  PERF_FORMAT.TOTAL_TIME_ENABLED |
  PERF_FORMAT.TOTAL_TIME_RUNNING |
  PERF_FORMAT.ID |
  PERF_FORMAT.LOST;

function build(sampleType: number, littleEndian = true): Uint8Array {
  return record(
    PERF_RECORD.SAMPLE,
    2,
    (out) => {
      for (const field of FIELDS) if (sampleType & field.bit) field.write(out);
    },
    littleEndian,
  );
}

/** Everything that a sample says, by value instead of by place. */
function describeSample(sample: SampleView, view: DataView, littleEndian: boolean) {
  const text = (offset: number, length: number) =>
    offset < 0
      ? null
      : new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + offset, length));
  const word = (offset: number) =>
    offset < 0 ? null : Number(view.getBigUint64(offset, littleEndian));
  const counter = (column: Float64Array) => (sample.readCount > 0 ? column[0] : null);
  return {
    id: sample.id,
    ip: sample.ip,
    pid: sample.pid,
    tid: sample.tid,
    timeNs: sample.timeNs,
    addr: sample.addr,
    streamId: sample.streamId,
    cpu: sample.cpu,
    period: sample.period,
    readCount: sample.readCount,
    timeEnabled: sample.timeEnabled,
    timeRunning: sample.timeRunning,
    value: counter(sample.readValues),
    readId: counter(sample.readIds),
    lost: counter(sample.readLost),
    callchain: [...sample.callchain.subarray(0, sample.callchainLength)],
    // As a double, PERF_CONTEXT_KERNEL is 2^64.
    firstOfCallchain: word(sample.callchainOffset),
    raw: text(sample.rawOffset, sample.rawLength),
    branchCount: sample.branchCount,
    branchHwIndex: sample.branchHwIndex,
    firstBranchFrom: word(sample.branchOffset),
    firstBranchCounter: word(sample.branchCountersOffset),
    userRegsAbi: sample.userRegsAbi,
    userRegsCount: sample.userRegsCount,
    firstUserReg: word(sample.userRegsOffset),
    stackSize: sample.stackSize,
    stackDynamicSize: sample.stackDynamicSize,
    stack: text(sample.stackOffset, sample.stackDynamicSize),
    weight: sample.weight,
    dataSrc: sample.dataSrc,
    transactionFlags: sample.transactionFlags,
    transactionAbortCode: sample.transactionAbortCode,
    interruptRegsAbi: sample.interruptRegsAbi,
    interruptRegsCount: sample.interruptRegsCount,
    firstInterruptReg: word(sample.interruptRegsOffset),
    physAddr: sample.physAddr,
    cgroup: sample.cgroup,
    dataPageSize: sample.dataPageSize,
    codePageSize: sample.codePageSize,
    aux: text(sample.auxOffset, sample.auxSize),
  };
}

function expectedOf(sampleType: number) {
  return Object.assign(
    { ...ABSENT },
    ...FIELDS.filter((field) => sampleType & field.bit).map((field) => field.expected),
  );
}

function decode(
  bytes: Uint8Array,
  sampleType: number,
  littleEndian = true,
  sample = new SampleView(START),
) {
  const info = infoFor(sampleType, littleEndian);
  const view = viewOf(bytes);
  expect(decodeSample(recordOf(bytes, littleEndian), info, sample)).toBe(true);
  return describeSample(sample, view, littleEndian);
}

describe('sample', () => {
  test.each(FIELDS.map((field) => [field.bit.toString(16), field] as const))(
    'sample_type 0x%s alone is decoded',
    (_name, field) => {
      expect(decode(build(field.bit), field.bit)).toEqual(expectedOf(field.bit));
    },
  );

  test('all fields together are decoded, in both byte orders', () => {
    const all = FIELDS.reduce((sum, field) => sum | field.bit, 0);
    expect(decode(build(all), all)).toEqual(expectedOf(all));
    expect(decode(build(all, false), all, false)).toEqual(expectedOf(all));
  });

  test('any combination of fields is decoded, also into a view that held another sample', () => {
    const anyType = fc
      .subarray(FIELDS.map((field) => field.bit))
      .map((bits) => bits.reduce((sum, bit) => sum | bit, 0));
    fc.assert(
      fc.property(anyType, anyType, fc.boolean(), (first, second, littleEndian) => {
        const sample = new SampleView(START);
        decode(build(first, littleEndian), first, littleEndian, sample);
        const bytes = build(second, littleEndian);
        expect(decode(bytes, second, littleEndian, sample)).toEqual(expectedOf(second));
      }),
    );
  });

  test.each<readonly [string, number]>([
    ['all', FIELDS.reduce((sum, field) => sum | field.bit, 0)],
    ...FIELDS.map(({ bit }) => [`0x${bit.toString(16)}`, bit] as const),
  ])('a record shorter than its fields is refused at every length: %s', (_, sampleType) => {
    const bytes = build(sampleType);
    const info = infoFor(sampleType);
    const sample = new SampleView(START);
    const refused: number[] = [];
    for (let length = 8; length <= bytes.length; length++) {
      // The view ends with the record: a read beyond it would throw.
      const cut = recordOf(bytes.slice(0, length));
      if (!decodeSample(cut, info, sample)) refused.push(length);
    }
    expect(refused).toEqual(Array.from({ length: bytes.length - 8 }, (_, i) => i + 8));
  });

  test('samples with impossible counts are refused', () => {
    const huge = [
      [PERF_SAMPLE.CALLCHAIN, (out: ByteWriter) => out.u64(2n ** 64n - 1n)],
      [PERF_SAMPLE.CALLCHAIN, (out: ByteWriter) => out.u64(2).u64(1)],
      [PERF_SAMPLE.RAW, (out: ByteWriter) => out.u32(0xffff_ffff).u32(0)],
      [PERF_SAMPLE.BRANCH_STACK, (out: ByteWriter) => out.u64(2n ** 61n).u64(0)],
      [PERF_SAMPLE.STACK_USER, (out: ByteWriter) => out.u64(2n ** 63n).u64(0)],
      [PERF_SAMPLE.AUX, (out: ByteWriter) => out.u64(9).u64(0)],
    ] as const;
    for (const [sampleType, write] of huge) {
      const bytes = record(PERF_RECORD.SAMPLE, 0, (out) => write(out));
      const sample = new SampleView(START);
      const isDecoded = decodeSample(recordOf(bytes), infoFor(sampleType), sample);
      expect(isDecoded, `sample_type 0x${sampleType.toString(16)}`).toBe(false);
    }
  });

  test('a user stack of size 0 has no dynamic size behind it', () => {
    const sampleType = PERF_SAMPLE.STACK_USER | PERF_SAMPLE.CGROUP;
    const bytes = record(PERF_RECORD.SAMPLE, 2, (out) => out.u64(0).u64(501));
    expect(decode(bytes, sampleType)).toEqual({ ...ABSENT, stack: '', cgroup: 501 });
  });

  test('a register dump without an ABI has no registers', () => {
    const sampleType = PERF_SAMPLE.REGS_USER | PERF_SAMPLE.CGROUP;
    const bytes = record(PERF_RECORD.SAMPLE, 1, (out) => out.u64(0).u64(501));
    expect(decode(bytes, sampleType)).toMatchObject({ userRegsCount: 0, cgroup: 501 });
  });

  test('a weight struct has three parts, from the low end in both byte orders', () => {
    for (const littleEndian of [true, false]) {
      const bytes = record(
        PERF_RECORD.SAMPLE,
        2,
        (out) => out.u64((3n << 48n) | (2n << 32n) | 0x8000_0001n),
        littleEndian,
      );
      const sample = new SampleView(START);
      const info = infoFor(PERF_SAMPLE.WEIGHT_STRUCT, littleEndian);
      expect(decodeSample(recordOf(bytes, littleEndian), info, sample)).toBe(true);
      expect([sample.weight, sample.weight2, sample.weight3]).toEqual([0x8000_0001, 2, 3]);
    }
  });

  test('every read format is decoded, single and as a group of three', () => {
    const bits = [1, 2, 4, 16];
    for (let subset = 0; subset < 16; subset++) {
      const format = bits.reduce((sum, bit, i) => (subset & (1 << i) ? sum | bit : sum), 0);
      for (const isGroup of [false, true]) {
        const readFormat = format | (isGroup ? PERF_FORMAT.GROUP : 0);
        const counters = isGroup ? [11, 12, 13] : [11];
        const bytes = record(PERF_RECORD.SAMPLE, 2, (out) => {
          if (isGroup) out.u64(counters.length);
          else out.u64(11);
          if (format & PERF_FORMAT.TOTAL_TIME_ENABLED) out.u64(500);
          if (format & PERF_FORMAT.TOTAL_TIME_RUNNING) out.u64(400);
          for (const value of counters) {
            if (isGroup) out.u64(value);
            if (format & PERF_FORMAT.ID) out.u64(value + 100);
            if (format & PERF_FORMAT.LOST) out.u64(value + 200);
          }
          out.u64(501);
        });
        const sample = new SampleView(START);
        const info = infoFor(PERF_SAMPLE.READ | PERF_SAMPLE.CGROUP, true, readFormat);
        expect(decodeSample(recordOf(bytes), info, sample)).toBe(true);
        expect(sample.cgroup, `read_format ${readFormat}`).toBe(501);
        const upTo = sample.readCount;
        expect([...sample.readValues.subarray(0, upTo)]).toEqual(counters);
        expect(sample.timeEnabled).toBe(format & 1 ? 500 : 0);
        expect(sample.timeRunning).toBe(format & 2 ? 400 : 0);
        if (format & PERF_FORMAT.ID) {
          expect([...sample.readIds.subarray(0, upTo)]).toEqual(
            counters.map((value) => value + 100),
          );
        }
        if (format & PERF_FORMAT.LOST) {
          expect([...sample.readLost.subarray(0, upTo)]).toEqual(
            counters.map((value) => value + 200),
          );
        }
      }
    }
  });

  test('kernel addresses are negative and still exact', () => {
    const bytes = record(PERF_RECORD.SAMPLE, 1, (out) => out.u64(0xffff_ffff_8141_5c9cn));
    expect(decode(bytes, PERF_SAMPLE.IP).ip).toBe(0x8141_5c9c - 2 ** 32);
  });
});
