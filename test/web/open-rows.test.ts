import { expect, it } from 'vitest';
import { decodeOpenRows, encodeOpenRows, type OpenRow } from '../../web/src/tables/open-rows.ts';

const row = (key: number, ...below: OpenRow[]): OpenRow => ({ key, below });

it.each([
  ['nothing', [], '.'],
  ['one row', [row(12)], '12'],
  ['rows below rows', [row(12, row(5, row(7)), row(9)), row(3)], '12-5-7_.9_.3'],
])('writes down %s, and reads it again', (_, rows, text) => {
  expect(encodeOpenRows(rows)).toBe(text);
  expect(decodeOpenRows(text)).toStrictEqual(rows);
});

it('open rows that are missing, invalid or too long are dropped', () => {
  for (const text of ['', '-', '1_', '_', '-5']) expect(decodeOpenRows(text)).toBeNull();
  const many = Array.from({ length: 2000 }, (_, key) => row(key));
  expect(encodeOpenRows(many)).toBe('');
  expect(decodeOpenRows('1'.repeat(9999))).toBeNull();
});
