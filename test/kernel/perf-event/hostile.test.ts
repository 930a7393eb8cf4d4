// Records of random bytes: whatever they hold, decoding them ends, reads nothing outside and throws
// nothing. The views end with the record, so that a read beyond it would throw.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD } from '../../../src/kernel/perf-event/constants.ts';
import { describeIbs } from '../../../src/kernel/perf-event/ibs.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import type { RegisterArchitecture } from '../../../src/kernel/perf-event/register-names.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import {
  describeSampleFields,
  SCRIPT_FIELD_BITS,
  SCRIPT_FIELDS,
} from '../../../src/kernel/perf-event/sample-fields.ts';
import { record, recordOf, viewOf } from '../../helpers/record-builder.ts';

/** Words that are small more often than not, or no count would ever be true. */
const anyWord = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 4n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
);
const anyBody = fc.array(anyWord, { maxLength: 60 });
const anyArchitecture = fc.constantFrom<RegisterArchitecture | null>(
  ...(['x86', 'arm', 'arm64', 'riscv', 's390', 'powerpc', 'loongarch', 'mips', null] as const),
);
const anyAttr = fc
  .record({
    sampleType: fc.nat({ max: 2 ** 25 - 1 }),
    readFormat: fc.nat({ max: 31 }),
    sampleRegsUser: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    sampleRegsIntr: fc.bigInt({ min: 0n, max: 255n }),
    branchSampleType: fc.constantFrom(0n, 1n << 17n, 1n << 19n, 5n << 17n),
    deferCallchain: fc.boolean(),
  })
  .map(({ deferCallchain, ...fields }) =>
    newAttr({ ...fields, flags: { deferCallchain, sampleIdAll: true } }),
  );

function build(type: number, words: readonly bigint[], cut: number, littleEndian: boolean) {
  const bytes = record(
    type,
    2,
    (out) => {
      for (const word of words) out.u64(word);
    },
    littleEndian,
  );
  return bytes.slice(0, Math.max(8, bytes.length - cut));
}

test('a sample of random bytes is refused or described whole', () => {
  const sample = new SampleView({ high: 0, low: 0 });
  let described = 0;
  fc.assert(
    fc.property(
      ...([anyAttr, anyBody, fc.nat({ max: 7 }), fc.boolean(), anyArchitecture] as const),
      (attr, words, cut, littleEndian, architecture) => {
        const bytes = build(PERF_RECORD.SAMPLE, words, cut, littleEndian);
        const info = computeParseInfo(attr, littleEndian);
        if (!decodeSample(recordOf(bytes, littleEndian), info, sample)) return;
        described++;
        const context = { sample, attr, littleEndian, architecture };
        JSON.stringify(describeSampleFields(context));
        for (const [field, bits] of Object.entries(SCRIPT_FIELD_BITS)) {
          if ((attr.sampleType & bits) === 0) continue;
          expect(SCRIPT_FIELDS[field as keyof typeof SCRIPT_FIELDS](context)).toEqual(
            expect.any(String),
          );
        }
      },
    ),
    { numRuns: 3000 },
  );
  expect(described).toBeGreaterThan(10);
});

test('any other record of random bytes is decoded, malformed or unknown', () => {
  fc.assert(
    fc.property(
      ...([anyAttr, fc.nat({ max: 90 }), anyBody, fc.nat({ max: 7 }), fc.boolean()] as const),
      (attr, type, words, cut, littleEndian) => {
        const bytes = build(type, words, cut, littleEndian);
        const info = computeParseInfo(attr, littleEndian);
        const any = recordOf(bytes, littleEndian);
        any.misc = 0xf002;
        const decoded = decodeRecord(any, info);
        expect(decoded.kind).toEqual(expect.any(String));
        JSON.stringify(decoded);
      },
    ),
    { numRuns: 5000 },
  );
});

test('random raw data is refused or decoded completely as IBS registers', () => {
  const machine = { family: 25, model: 1, hasZen4Extensions: true, hasLoadLatency: true };
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom('op' as const, 'fetch' as const),
      (bytes, kind) => {
        const lines = describeIbs(viewOf(bytes), 0, bytes.length, kind, machine);
        if (lines !== null) expect(lines.length).toBeGreaterThan(2);
      },
    ),
  );
});
