import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { type AttrFields, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
} from '../../../src/kernel/perf-event/constants.ts';
import { computeParseInfo, newerFields } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import {
  describeSampleFields,
  formatPageSize,
  formatTransaction,
  SCRIPT_FIELD_BITS,
  SCRIPT_FIELDS,
} from '../../../src/kernel/perf-event/sample-fields.ts';
import { record, recordOf } from '../../helpers/record-builder.ts';

function contextOf(fields: AttrFields, littleEndian: boolean, write: (out: ByteWriter) => unknown) {
  const attr = newAttr(fields);
  const bytes = record(PERF_RECORD.SAMPLE, 2, (out) => void write(out), littleEndian);
  const sample = new SampleView({ high: 0, low: 0 });
  const info = computeParseInfo(attr, littleEndian);
  expect(decodeSample(recordOf(bytes, littleEndian), info, sample)).toBe(true);
  return { sample, attr, littleEndian, architecture: 'x86' as const };
}

describe.each([true, false])('fields of a sample, little-endian %s', (littleEndian) => {
  test('every sample field is described, with 64-bit values in hex', () => {
    const sampleType =
      PERF_SAMPLE.ADDR |
      PERF_SAMPLE.READ |
      PERF_SAMPLE.RAW |
      PERF_SAMPLE.BRANCH_STACK |
      PERF_SAMPLE.REGS_USER |
      PERF_SAMPLE.STACK_USER |
      PERF_SAMPLE.WEIGHT_STRUCT |
      PERF_SAMPLE.DATA_SRC |
      PERF_SAMPLE.TRANSACTION |
      PERF_SAMPLE.REGS_INTR |
      PERF_SAMPLE.PHYS_ADDR |
      PERF_SAMPLE.CGROUP |
      PERF_SAMPLE.DATA_PAGE_SIZE |
      PERF_SAMPLE.CODE_PAGE_SIZE |
      PERF_SAMPLE.AUX;
    const branchFlags = littleEndian ? 2n | (9n << 4n) : (1n << 62n) | (9n << 44n);
    const context = contextOf(
      {
        sampleType,
        readFormat: 1 | 4 | 8,
        sampleRegsUser: 1n << 7n,
        // The two halves of XMM0
        sampleRegsIntr: 3n << 32n,
        branchSampleType: BigInt(PERF_SAMPLE_BRANCH.COUNTERS | PERF_SAMPLE_BRANCH.HW_INDEX),
      },
      littleEndian,
      (out) => {
        out.u64(0xffff_8880_0000_1000n);
        out.u64(2).u64(500).u64(11).u64(7).u64(12).u64(8);
        out.u32(4).text('raw!');
        out.u64(1).u64(3).u64(0x401000).u64(0x402000).u64(branchFlags).u64(0xff);
        out.u64(2).u64(0x7ffc0000);
        out.u64(8).text('stack...').u64(5);
        out.u64((3n << 48n) | (2n << 32n) | 1n);
        out.u64(0x1e05080021n);
        out.u64((0x2an << 32n) | 6n);
        out.u64(2).u64(1).u64(2);
        out.u64(0x1000).u64(501).u64(4096).u64(0).u64(8).text('aux data');
      },
    );
    expect(describeSampleFields(context)).toEqual({
      addr: '0xffff888000001000',
      read: {
        timeEnabled: 500,
        counters: [
          { value: 11, id: '7' },
          { value: 12, id: '8' },
        ],
      },
      rawSize: 4,
      branchHwIndex: 3,
      branches: [
        {
          from: '0x401000',
          to: '0x402000',
          isMispredicted: false,
          isPredicted: true,
          isInTransaction: false,
          isAbort: false,
          cycles: 9,
          type: '',
          speculation: '',
          privilege: '',
          counters: '0xff',
        },
      ],
      userRegisters: { abi: '64-bit', values: { SP: '0x7ffc0000' } },
      interruptRegisters: { abi: '64-bit', values: { XMM0: '0x1', 'XMM0.high': '0x2' } },
      userStack: { size: 8, dynamicSize: 5 },
      weight: 1,
      weight2: 2,
      weight3: 3,
      dataSource: {
        value: '0x1e05080021',
        operation: 'N/A',
        level: 'N/A',
        snoop: 'N/A',
        tlb: 'N/A',
        lock: 'N/A',
        blocked: 'N/A',
      },
      transaction: { flags: 6, abortCode: 42 },
      physAddr: '0x1000',
      cgroup: 501,
      dataPageSize: 4096,
      codePageSize: 0,
      auxSize: 8,
    });
    // JSON takes all of it.
    expect(() => JSON.stringify(describeSampleFields(context))).not.toThrow();
  });

  test('fields that the event did not record are absent', () => {
    const context = contextOf({ sampleType: PERF_SAMPLE.IP }, littleEndian, (out) => out.u64(1));
    expect(describeSampleFields(context)).toEqual({});
  });

  test('branches that the kernel left out altogether come without their index', () => {
    const sampleType = PERF_SAMPLE.BRANCH_STACK | PERF_SAMPLE.CGROUP;
    const branchSampleType = BigInt(PERF_SAMPLE_BRANCH.HW_INDEX);
    const fields = { sampleType, branchSampleType };
    const without = contextOf(fields, littleEndian, (out) => out.u64(0).u64(501));
    expect(describeSampleFields(without)).toEqual({ branches: [], cgroup: 501 });
    const empty = contextOf(fields, littleEndian, (out) => out.u64(0).u64(5).u64(501));
    expect(describeSampleFields(empty)).toEqual({ branchHwIndex: 5, branches: [], cgroup: 501 });
  });
});

test('every printable field has the sample_type bits it needs', () => {
  expect(Object.keys(SCRIPT_FIELD_BITS).sort()).toEqual(Object.keys(SCRIPT_FIELDS).sort());
  for (const [field, bits] of Object.entries(SCRIPT_FIELD_BITS)) {
    expect(bits, field).toBeGreaterThan(0);
  }
});

describe('fields newer than this program', () => {
  const decodes = (fields: AttrFields) => {
    const bytes = record(PERF_RECORD.SAMPLE, 2, (out) => void out.zeros(64));
    const info = computeParseInfo(newAttr(fields), true);
    const sample = new SampleView({ high: 0, low: 0 });
    return decodeSample(recordOf(bytes), info, sample);
  };

  test.each([25, 31, 32, 40, 52])('sample_type bit %i: no sample is misread', (bit) => {
    const fields = { sampleType: PERF_SAMPLE.IP + 2 ** bit };
    expect(decodes(fields)).toBe(false);
    expect(newerFields(newAttr(fields))).toContain('sample_type 0x');
  });

  test('read_format counts where counters are read', () => {
    expect(decodes({ sampleType: PERF_SAMPLE.READ, readFormat: 32 })).toBe(false);
    expect(decodes({ sampleType: PERF_SAMPLE.IP, readFormat: 32 })).toBe(true);
    expect(newerFields(newAttr({ sampleType: PERF_SAMPLE.READ, readFormat: 0x21 }))).toBe(
      'read_format 0x21',
    );
  });

  test.each([PERF_SAMPLE.REGS_USER, PERF_SAMPLE.REGS_INTR])(
    'a register dump of another form, for sample_type 0x%i',
    (sampleType) => {
      const info = computeParseInfo(newAttr({ sampleType, sampleRegsUser: 1n }), true);
      const sample = new SampleView({ high: 0, low: 0 });
      for (const [abi, isKnown] of [
        [2, true],
        [6, false],
      ] as const) {
        const bytes = record(PERF_RECORD.SAMPLE, 2, (out) => void out.u64(abi).zeros(64));
        expect(decodeSample(recordOf(bytes), info, sample)).toBe(isKnown);
      }
    },
  );

  test('every sample_type bit of Linux 6.18 is known', () => {
    const fields = { sampleType: 2 ** 25 - 1, readFormat: 31 };
    expect(newerFields(newAttr(fields))).toBeNull();
  });
});

test('transactions print as in perf', () => {
  expect(formatTransaction(0, 0)).toBe('');
  expect(formatTransaction(0b110, 0)).toBe('TX SYNC');
  expect(formatTransaction(0b1110_0010, 0x2a)).toBe('TX CON CAP-WRITE CAP-READ NEITHER :2a');
  expect(formatTransaction(0b1_1001, 1)).toBe('EL ASYNC RETRY :1');
});

test('page sizes print as in perf', () => {
  const sizes = [0, 512, 1024, 4096, 16384, 2 ** 21, 2 ** 30, 2 ** 34, 2 ** 45];
  expect(sizes.map(formatPageSize)).toEqual([
    ...['N/A', '512B', '1024B', '4K', '16K', '2M', '1024M', '16G', '32768G'],
  ]);
});
