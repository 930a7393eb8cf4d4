import { expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { loadColumn, type StoredColumn } from '../../../src/formats/export/page-columns.ts';
import { decodePageData, encodePageData } from '../../../src/formats/export/page-data.ts';
import { pageOf } from '../../helpers/page-of.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const ROWS: StoredColumn = {
  array: 'Float64',
  encoding: 'values',
  length: 3,
  value: 0,
  integerBytes: 3,
  exceptions: 0,
};

test('a column has no more rows than its bytes can hold', () => {
  const bytes = Uint8Array.of(1, 3, 2);
  expect([...loadColumn(ROWS, bytes)]).toEqual([0, 1, -1]);
  for (const length of [4, 2 ** 40, -1, Number.NaN]) {
    expect(() => loadColumn({ ...ROWS, length }, bytes)).toThrow(
      new RangeError(`a column of ${length} rows in 3 bytes`),
    );
  }
});

test('a constant column takes no bytes, and no memory without end', () => {
  const constant = { ...ROWS, encoding: 'constant', value: 7, integerBytes: 0 } as const;
  expect([...loadColumn(constant, new Uint8Array(0))]).toEqual([7, 7, 7]);
  expect(() => loadColumn({ ...constant, length: 2 ** 31 }, new Uint8Array(0))).toThrow(RangeError);
});

test('a page table with a wrong row count is refused', () => {
  const page = pageOf(profileFromText('main'));
  const { samples } = page.profile;
  const longer = {
    ...page,
    profile: { ...page.profile, samples: { ...samples, length: 2 ** 32 } },
  };
  expect(() => finish(decodePageData(encodePageData(longer)))).toThrow(
    new RangeError('a table of 4294967296 rows has a column of 1'),
  );
});
