import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { loadColumn, storeColumn } from '../../../src/formats/export/page-columns.ts';
import { decodePageData, encodePageData } from '../../../src/formats/export/page-data.ts';
import { decodePageReport, encodePageReport } from '../../../src/formats/export/page-report.ts';
import { openProfile } from '../../../src/read/open-profile.ts';
import { describePageProfile } from '../../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../../src/read/outputs/describe-page-report.ts';
import { CORPORA, hasCorpora } from '../../helpers/corpora.ts';
import { wideColumns } from '../../helpers/wide-columns.ts';

const back = (column: Int32Array | Float64Array | Uint8Array) => {
  const { stored, bytes } = storeColumn(column);
  return { ...stored, column: loadColumn(stored, bytes), bytes: bytes.length };
};

describe('a column of a page', () => {
  it('a page column survives encoding and decoding', () => {
    const number = fc.oneof(fc.maxSafeInteger(), fc.double(), fc.constant(-0), fc.integer());
    fc.assert(
      fc.property(fc.array(number), (values) => {
        const column = Float64Array.from(values);
        expect(back(column).column).toStrictEqual(column);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        const column = Int32Array.from(values);
        expect(back(column).column).toStrictEqual(column);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (column) => {
        const plain = Uint8Array.from(column);
        expect(back(plain).column).toStrictEqual(plain);
      }),
    );
  });

  it('a constant page column takes no bytes', () => {
    const nan = new Float64Array(1000).fill(Number.NaN);
    expect(back(nan)).toMatchObject({ encoding: 'constant', bytes: 0, column: nan });
    const none = new Int32Array(1000).fill(-1);
    expect(back(none)).toMatchObject({ encoding: 'constant', bytes: 0, column: none });
  });

  it('a growing page column is stored as deltas', () => {
    const times = Float64Array.from({ length: 1000 }, (_, row) => 1e9 + row * 100);
    expect(back(times)).toMatchObject({ encoding: 'deltas', exceptions: 0, column: times });
    expect(back(times).bytes).toBeLessThan(2010);
    const rows = Int32Array.from({ length: 1000 }, (_, row) => (row % 2) * 8000);
    expect(back(rows)).toMatchObject({ encoding: 'values', bytes: 1500, column: rows });
  });

  it('a page column of bytes is stored as it is', () => {
    const cpus = Int32Array.from({ length: 1000 }, (_, row) => row % 256);
    expect(back(cpus)).toMatchObject({ encoding: 'bytes', bytes: 1000, column: cpus });
    const zeros = Float64Array.of(0, -0, 255);
    expect(back(zeros).column).toStrictEqual(zeros);
  });

  it('a page column with unusual first rows is decoded right', () => {
    const rows = Float64Array.from({ length: 10_000 }, (_, row) =>
      row < 5000 ? row * 1000 : (row % 7) * 2 ** 40 - 0.5 * (row % 2),
    );
    expect(back(rows).column).toStrictEqual(rows);
  });

  it('a page column keeps fractions among whole numbers', () => {
    const weights = Float64Array.of(4000, 4000, 1234.5, 4000, Number.POSITIVE_INFINITY, 4000);
    expect(back(weights)).toMatchObject({ exceptions: 2, column: weights });
  });
});

describe.skipIf(!hasCorpora)('a profile for the page', () => {
  it.each([
    'multi-5events-threads-forks.data',
    'jit-node-perfprof.injected.data',
    'group-S-F1000.data',
    'cpu-clock-F30000-fp.data',
  ])('a page profile survives encoding and decoding: %s', async (file) => {
    const opened = await openProfile(join(CORPORA, 'own', file));
    const page = describePageProfile(opened);
    expect(page.profile.samples.length).toBeGreaterThan(0);
    expect(finish(decodePageData(encodePageData(page)))).toStrictEqual(wideColumns(page));
    const report = describePageReport(opened);
    expect(report.periods.events.length).toBeGreaterThan(0);
    const names = report.eventRows.map((row) => page.profile.events[row]?.name);
    expect(report.periods.events.map(({ event }) => event)).toEqual(names);
    expect(decodePageReport(encodePageReport(report))).toStrictEqual(report);
  });

  it('a page profile may hold a part of the samples', async () => {
    const opened = await openProfile(join(CORPORA, 'own', 'multi-5events-threads-forks.data'));
    const whole = describePageProfile(opened);
    const page = describePageProfile(opened, { select: { event: 1 } });
    const rows = opened.samplesOf(whole.profile.samples.event[0] as never);
    expect(rows.length).toBeGreaterThan(0);
    expect([...page.profile.samples.event].every((event) => event === 1)).toBe(true);
    const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
    const expected = opened
      .samplesOf(1 as never)
      .reduce((total, row) => total + (whole.weights.events?.values[row] ?? Number.NaN), 0);
    expect(sum(page.weights.events?.values as Float64Array)).toBe(expected);
  });
});

describe('bytes that are not page data', () => {
  it('bytes that are not page data are recognized', () => {
    expect(() => finish(decodePageData(new Uint8Array(40)))).toThrow('not page data');
  });
});
