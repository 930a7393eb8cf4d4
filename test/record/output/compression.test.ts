import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { FailedError } from '../../../src/base/errors.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import type { SamplerTotals } from '../../../src/native/types.ts';
import { RECORD } from '../../../src/options/record.ts';
import {
  announceCompression,
  checkCompression,
  describeCompression,
} from '../../../src/record/output/compression.ts';
import { perfDataFile } from '../../helpers/record-builder.ts';

const usable = { zstdProblem: () => '' };
const missing = { zstdProblem: () => 'libzstd.so.1: cannot open shared object file' };

test('a level from 1 to 22 is taken where libzstd is there', () => {
  for (const level of [1, 3, 22]) expect(() => checkCompression(level, usable)).not.toThrow();
});

test.each([0, 23, -1, 1.5, Number.NaN])('a level of %s is no level', (level) => {
  expect(RECORD.compressionLevel.kind.has(level)).toBe(false);
});

test('a compressed recording does not begin without libzstd, and the line names what to install', () => {
  let failure: unknown = null;
  try {
    checkCompression(1, missing);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(FailedError);
  expect(failure).toMatchObject({
    message:
      'compressionLevel compresses with libzstd, which cannot be used: libzstd.so.1: cannot open shared object file',
    hints: [expect.stringContaining('apt-get install libzstd1')],
  });
  expect(() => checkCompression(undefined, missing)).not.toThrow();
});

test('the header has the level, the ratio and room for what comes out of a record', () => {
  const totals = { bytes: 4000, writtenBytes: 90 } as SamplerTotals;
  const { bytes } = describeCompression(3, totals);
  const words = Array.from(new Uint32Array(bytes.slice().buffer));
  // Version 0, zstd, level, 4000 ÷ 90, 64 KiB.
  expect(words).toEqual([0, 1, 3, 44, 65_536]);
  const nothing = describeCompression(3, { bytes: 0, writtenBytes: 0 } as SamplerTotals);
  expect(new Uint32Array(nothing.bytes.slice().buffer)[3]).toBe(1);
});

test('the record that announces compression is one that readers of files pass over', () => {
  const records = [announceCompression(1)];
  const file = perfDataFile({ attrs: [{ attr: newAttr({}), ids: [1] }], records });
  const data = openPerfData(memorySource(file));
  expect(data.truncatedAt).toBe(-1);
  expect(data.diagnostics.entries()).toEqual([]);
});
